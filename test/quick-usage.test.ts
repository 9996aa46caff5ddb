import { describe, expect, it } from "vitest";
import { openSources, readSessions } from "../src/book/reading/library.ts";
import { quickUsage } from "../src/book/reading/quick-usage.ts";
import { QUICK_SOURCES } from "../src/agents/quick.ts";
import { SOURCES } from "../src/agents/registry.ts";
import type { UsageEvent } from "../src/turns/model.ts";
import { readTruth, rootOfCorpus, sourceOfCorpus } from "./truth.ts";

/** Sums per model and quarter of an hour: a response counted at the wrong time or under the wrong model shows. */
function sums(events: Iterable<UsageEvent>): Record<string, number[]> {
  const out: Record<string, number[]> = {};
  for (const e of events) {
    const key = `${e.model ?? "?"} ${e.time === null ? "?" : Math.floor(e.time / 900_000)}`;
    const sum = (out[key] ??= [0, 0, 0, 0, 0, 0]);
    for (const [i, n] of [
      e.input_tokens,
      e.cached_input_tokens,
      e.cache_write_tokens,
      e.cache_write_1h_tokens,
      e.output_tokens,
      e.reasoning_tokens,
    ].entries()) {
      sum[i] = (sum[i] ?? 0) + n;
    }
  }
  return Object.fromEntries(Object.entries(out).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe("usage summed without turns", () => {
  it.each(Object.keys(readTruth().corpora).filter((label) => /^(codex|claude)/.test(label)))(
    "equals the usage of the assembled sessions of %s",
    async (label) => {
      const opened = openSources({
        roots: { [sourceOfCorpus(label)]: [rootOfCorpus(label)] },
        env: {},
        home: "/nowhere",
      });
      const { sessions } = await readSessions(opened, { detail: "full", ledger: false, toolDetail: false });
      const quick = [...(await quickUsage(opened, () => ({ micro: 0, pico: 1 }))).groups];
      expect(sums(quick.map(({ event }) => event))).toEqual(
        sums(sessions.flatMap((session) => session.usage.map(({ event }) => event))),
      );
      // At one pico-dollar per response, the cost is the number of responses.
      const counted = sessions.reduce((sum, session) => sum + session.usage.length, 0);
      expect(quick.reduce((sum, { cost }) => sum + (cost?.pico ?? 0), 0)).toBe(counted);
      expect(counted).toBeGreaterThan(0);
    },
  );
});

it("QUICK_SOURCES contains every source that has quickUsage", () => {
  expect(SOURCES.filter((source) => "quickUsage" in source).map(({ id }) => id)).toEqual([...QUICK_SOURCES.keys()]);
});
