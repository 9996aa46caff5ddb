import { readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../src/answers/daybook.ts";
import { order } from "../src/base/text/order.ts";
import { exportedLogs } from "./conformance/exported-logs.ts";
import { copyCorpus, open, scratch, type Roots } from "./store/fixture.ts";
import { sourceOfCorpus } from "./truth.ts";

const USAGE = { group: "daily", by: "spent", breakdown: true, order: "asc" } as const;

/** What a copy beside the original must not change: turns, calls, tokens. */
async function countsOf(daybook: Daybook): Promise<unknown> {
  const turns = (await daybook.turns()).map(({ trigger, outcome, final_text, usage_with_children: usage }) => {
    return JSON.stringify([trigger.time, trigger.text, outcome, final_text, usage.output_tokens]);
  });
  const tools = (await daybook.tools()).map(({ name, status, exit_code }) => `${name} ${status} ${exit_code}`);
  const { rows, totals } = await daybook.usage(USAGE);
  const report = await daybook.usage({ ...USAGE, by: "trigger" });
  return { turns: turns.toSorted(order), tools: tools.toSorted(order), rows, totals, byTrigger: report.totals };
}

async function answerOf(roots: Roots, book?: string): Promise<unknown> {
  const daybook = open(roots, book);
  try {
    return await countsOf(daybook);
  } finally {
    daybook.close();
  }
}

/** Search results, in an order that does not depend on their rank. */
async function searchResults(roots: Roots, book?: string): Promise<string[]> {
  const daybook = open(roots, book);
  try {
    const results = await Promise.all(["answer", "file", "lab"].map((word) => daybook.search(word, { limit: 1000 })));
    return results
      .flat()
      .map(({ source, kind, turn_ref, snippet }) => `${source} ${kind} ${turn_ref} ${snippet}`)
      .toSorted(order);
  } finally {
    daybook.close();
  }
}

/** Class and reason of the first user record in a log; null if it has none. */
async function requestIn(daybook: Daybook, session: string): Promise<string | null> {
  const [view] = await daybook.sessions({ session: `log/${session}` });
  const lines = readFileSync(view?.session_path ?? "", "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes('"type":"user"')) + 1;
  if (line === 0) return null;
  const [explained] = await daybook.explain(`log/${session}:${line}`);
  return `${explained?.class} ${explained?.reason}`;
}

describe.each(["codex-0.130.0-tui", "claude-2.1.325-tui", "pi-0.87.1"])(
  "logs exported from the sessions of %s",
  (label) => {
    const source = sourceOfCorpus(label);
    const { roots: native } = copyCorpus([label]);
    const logs = { log: [exportedLogs(source, native[source]?.[0] ?? "")] };

    it("add nothing beside the originals, and alone give the same answers", async () => {
      const alone = await answerOf(native);
      expect(await answerOf({ ...native, ...logs })).toEqual(alone);
      expect(await answerOf({ ...logs, ...native })).toEqual(alone);
      expect(await answerOf(logs)).toEqual(alone);
    });

    it("add nothing to a book, whichever is read first, even after the originals are deleted", async () => {
      const alone = await answerOf(native);
      const [copied, both] = [copyCorpus([label]).roots, scratch("book")];
      expect(await answerOf(logs, both)).toEqual(alone);
      expect(await answerOf({ ...copied, ...logs }, both)).toEqual(alone);
      const [second, gone] = [copyCorpus([label]).roots, scratch("book")];
      expect(await answerOf(second, gone)).toEqual(alone);
      expect(await answerOf({ ...second, ...logs }, gone)).toEqual(alone);
      for (const dir of second[source] ?? []) rmSync(dir, { recursive: true });
      expect(await answerOf({ ...second, ...logs }, gone)).toEqual(alone);
    });

    it("add no search results beside the originals", async () => {
      const alone = await searchResults(native);
      expect(alone.length).toBeGreaterThan(3);
      expect(await searchResults({ ...native, ...logs })).toEqual(alone);
      // A log has only hashes of instructions, and nothing that a fork copied: these texts are missing.
      const inLogs = alone.filter((one) => !one.startsWith(`${source} instructions `));
      const texts = (list: readonly string[]): Set<string> =>
        new Set(list.map((one) => one.replace(/^\S+ (\S+) \S+ /, "$1 ")));
      const fromLogs = await searchResults(logs);
      expect(texts(fromLogs)).toEqual(texts(inLogs));
      const [copied, book] = [copyCorpus([label]).roots, scratch("book")];
      // The logs are read first.
      expect(await searchResults(logs, book)).toEqual(fromLogs);
      expect(await searchResults({ ...copied, ...logs }, book)).toEqual(alone);
      for (const dir of copied[source] ?? []) rmSync(dir, { recursive: true });
      // The book still has the texts of the deleted files.
      expect(await searchResults({ ...copied, ...logs }, book)).toEqual(alone);
    });

    it("are reported as copies by audit, doctor and explain", async () => {
      for (const book of [undefined, scratch("book")]) {
        const daybook = open({ ...native, ...logs }, book);
        const sessions = (await daybook.audit()).sessions.filter((one) => one.source === "log");
        expect(sessions.length).toBeGreaterThan(0);
        for (const { records, balanced } of sessions) {
          expect(balanced).toBe(true);
          expect(records.inherited).toBe(records.reasons["inherited · log.copied"]);
          expect(records.owned_by_turns).toBe(0);
        }
        const { problems = [] } = (await daybook.doctor()).sources.find((one) => one.source === "log") ?? {};
        expect(problems.filter(({ message }) => message.startsWith(`a copy of ${source}/`))).toHaveLength(
          sessions.length,
        );
        const requests = await Promise.all(sessions.map(({ session_id }) => requestIn(daybook, session_id)));
        expect(new Set(requests.filter((reason) => reason !== null))).toEqual(new Set(["inherited log.copied"]));
        daybook.close();
      }
    });
  },
);
