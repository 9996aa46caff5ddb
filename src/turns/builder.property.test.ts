import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordBody } from "../record/record.ts";
import type { Entry } from "../agents/contract.ts";
import { SLICE_SIZES, type ListName } from "./lists.ts";
import { totalTokens } from "../record/tokens.ts";
import type { FileDraft } from "./model.ts";
import {
  ask,
  builderOf,
  done,
  finish,
  changesMissed,
  NO_DRIFT,
  placed,
  say,
  spent,
  start,
  unplaced,
  type UnplacedEntry,
} from "./testing.ts";

/** Ids of calls and responses: many of them, but few enough that each occurs repeatedly. */
const id = fc.nat(400).map(String);
const response = fc.nat(1200).map(String);
const native = fc.option(fc.nat(8).map(String), { nil: undefined, freq: 2 });
const window = fc.option(fc.nat(5), { nil: undefined, freq: 3 });
const time = fc.option(fc.nat(1000), { freq: 4 });
const tokens = fc.record({ input_tokens: fc.nat(9), output_tokens: fc.nat(9) });
const verdict = fc.constantFrom(
  "counted",
  "counted",
  "counted",
  "counted",
  "counted",
  "duplicate",
  "estimate",
  "inherited",
);
const status = fc.constantFrom("ok", "ok", "failed", "denied", "pending", "interrupted");
const kind = fc.constantFrom("prompt", "prompt", "queued", "shell");

/** Anything a source may yield, often about calls, responses and turns that occurred before. */
const acts = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(id, kind, fc.boolean())
      .map(([n, k, ends]) => ask(n, { identity: n }, { kind: k, ends_stated: ends })),
  },
  { weight: 4, arbitrary: fc.constant(say("words")) },
  { weight: 2, arbitrary: fc.constant(done()) },
  {
    weight: 5,
    arbitrary: fc.tuple(id, fc.constantFrom("Bash", "AskUserQuestion")).map(([n, name]) => start(n, {}, { name })),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(id, status).map(([n, s]) =>
      finish(n, {
        status: s,
        error: s === "denied" ? "declined" : null,
        files: [{ path: n, operation: "modified" }],
      }),
    ),
  },
  {
    weight: 11,
    arbitrary: fc
      .tuple(response, tokens, verdict)
      .map(([n, t, v]) => unplaced("reaction", [spent(n, t, { verdict: v as "counted" })])),
  },
  { weight: 1, arbitrary: fc.tuple(response, tokens).map(([n, t]) => unplaced("early", [spent(n, t)])) },
  { weight: 2, arbitrary: fc.nat(3).map((n) => unplaced("setup", [{ type: "context", model: String(n) }])) },
  {
    weight: 1,
    arbitrary: fc.nat(3).map((n) => unplaced("setup", [{ type: "context", rate_limits: { limit_id: String(n) } }])),
  },
  { weight: 1, arbitrary: fc.nat(3).map((n) => cancelled({ reason: "rolled_back", turns: n })) },
  { weight: 1, arbitrary: fc.nat(60).map((n) => cancelled({ reason: "rewound", from_line: n })) },
  { weight: 1, arbitrary: fc.constant(cancelled({ reason: "interrupted" })) },
  { weight: 1, arbitrary: fc.constant(cancelled({ reason: "interrupted", assumed: true })) },
  {
    weight: 1,
    arbitrary: id.map((n) =>
      unplaced("reaction", [
        {
          type: "child_linked",
          child: { source: "toy", session_id: n },
          relation: "subagent",
          phase: "returned",
          call_id: n,
        },
      ]),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("echo", "session", "inherited", "duplicate", "unknown", "corrupt")
      .map((c) => unplaced(c as "echo", [])),
  },
);

function cancelled(more: object): UnplacedEntry {
  return unplaced("reaction", [{ type: "cancelled", ...more } as RecordBody]);
}

/** Long enough that lists have several full slices; without the default bias towards short ones. */
const stories = fc
  .noBias(fc.array(fc.tuple(acts, time, native, window), { minLength: 20, maxLength: 1600, size: "max" }))
  .map((list) => {
    const windows = list.map((one) => one[3]);
    const entries = list.map(([act, at, turnId]) => ({
      ...act,
      time: at,
      ...(turnId === undefined ? {} : { turnId }),
    }));
    return inWindows(placed(entries), windows);
  });

/** States which of the prompts before it an entry belongs to or follows, counted backwards. */
function inWindows(entries: readonly Entry[], windows: readonly (number | undefined)[]): Entry[] {
  const prompts: number[] = [];
  return entries.map((entry, i) => {
    const back = windows[i];
    // Beyond the first prompt there is none; the line before one is not a prompt, as a broken chain may state.
    const line = back === undefined ? undefined : back === 5 ? entry.line - 1 : (prompts.at(-back - 1) ?? null);
    if (entry.class !== "trigger") return typeof line === "number" ? { ...entry, turnLine: line } : entry;
    prompts.push(entry.line);
    if (line === undefined) return entry;
    return {
      ...entry,
      records: entry.records.map((body) => (body.type === "user" ? { ...body, follows_line: line } : body)),
    };
  });
}

const NAMES: readonly ListName[] = ["turns", "tools", "usage", "questions", "contexts"];

function whole(entries: readonly Entry[]): FileDraft {
  return builderOf(entries).finish(NO_DRIFT);
}

describe("a builder", () => {
  it("builds the same draft if it is saved and restored in between", () => {
    const reached = new Set<ListName>();
    fc.assert(
      fc.property(stories, fc.array(fc.nat(1600), { maxLength: 6 }), (entries, restarts) => {
        const builder = builderOf(entries, restarts);
        for (const name of NAMES) if (builder.lists[name].length > SLICE_SIZES[name]) reached.add(name);
        expect(JSON.stringify(builder.finish(NO_DRIFT))).toBe(JSON.stringify(whole(entries)));
      }),
      { numRuns: 10 },
    );
    // Otherwise nothing was tested: a list that fits into one slice is never unloaded.
    expect([...reached]).toEqual(expect.arrayContaining(["turns", "tools", "usage"]));
  });

  it("reports every change since it was restored", () => {
    fc.assert(
      fc.property(stories, fc.nat(1600), (entries, at) => {
        expect(changesMissed(entries, Math.min(at, entries.length - 1))).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("counts every record and every token once", () => {
    fc.assert(
      fc.property(stories, (entries) => {
        const { records, turns, tokens: t, usage } = whole(entries);
        const { records_read, reasons, ...byOwner } = records;
        expect(records_read).toBe(entries.length);
        expect(Object.values(byOwner).reduce((sum, n) => sum + n, 0)).toBe(records_read);
        expect(Object.values(reasons).reduce((sum, n) => sum + n, 0)).toBe(records_read);
        expect(turns.reduce((sum, turn) => sum + turn.records, 0)).toBe(records.owned_by_turns);
        expect(t.counted + t.duplicates + t.inherited + t.estimates).toBe(t.tokens_read);
        // A response that only a copy states belongs to another session.
        const own = usage.filter((event) => event.copied === undefined);
        expect(own.reduce((sum, event) => sum + totalTokens(event), 0)).toBe(t.counted);
        expect(new Set(usage.map((event) => event.response_id)).size).toBe(usage.length);
      }),
      { numRuns: 10 },
    );
  });
});
