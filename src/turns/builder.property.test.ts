import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordBody } from "../format/record.ts";
import type { Entry } from "../sources/contract.ts";
import { DraftBuilder, type BuilderAtRest } from "./builder.ts";
import { SLICE, type AllSleeping, type ListName } from "./lists.ts";
import { totalTokens } from "../format/tokens.ts";
import type { FileDraft } from "./model.ts";
import { askingCall } from "./questions.ts";
import type { Slice } from "./slices.ts";
import { ask, done, finish, NO_DRIFT, OPTIONS, placed, REF, say, spent, start, told, type Told } from "./testing.ts";

const NAMES = ["turns", "tools", "usage", "questions", "contexts"] as const satisfies ListName[];

/** Full slices as an index holds them, as text. */
class Shelf {
  readonly #slices = new Map<string, { items: string; names: (string | null)[] }>();

  /** Lays a builder down and wakes it, as another process would. */
  rest(builder: DraftBuilder): BuilderAtRest {
    for (const name of NAMES) {
      for (const { n, items, names } of builder.lists[name].renewed() as Iterable<Slice<unknown>>)
        this.#slices.set(`${name} ${n}`, { items: JSON.stringify(items), names });
    }
    const saved = JSON.parse(JSON.stringify(builder.save())) as BuilderAtRest["saved"];
    const sleeping = Object.fromEntries(NAMES.map((name) => [name, this.#sleeping(name)]));
    return { saved, sleeping: sleeping as unknown as AllSleeping };
  }

  #sleeping(list: ListName): { wake(n: number): unknown[]; holding(name: string): number[] } {
    return {
      wake: (n) => JSON.parse(this.#slices.get(`${list} ${n}`)?.items ?? "null") as unknown[],
      holding: (name) =>
        [...this.#slices].flatMap(([key, { names }]) =>
          key.startsWith(`${list} `) && names.includes(name) ? Number(key.split(" ")[1]) : [],
        ),
    };
  }
}

/** Of calls and responses: enough of them, and each met again. */
const id = fc.nat(400).map(String);
const response = fc.nat(1200).map(String);
const native = fc.option(fc.nat(8).map(String), { nil: undefined, freq: 2 });
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

/** Anything a source may yield, often about calls, responses and turns that were met before. */
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
      .map(([n, t, v]) => told("reaction", [spent(n, t, { verdict: v as "counted" })])),
  },
  { weight: 1, arbitrary: fc.tuple(response, tokens).map(([n, t]) => told("early", [spent(n, t)])) },
  { weight: 2, arbitrary: fc.nat(3).map((n) => told("setup", [{ type: "context", model: String(n) }])) },
  {
    weight: 1,
    arbitrary: fc.nat(3).map((n) => told("setup", [{ type: "context", rate_limits: { limit_id: String(n) } }])),
  },
  { weight: 1, arbitrary: fc.nat(3).map((n) => cancelled({ reason: "rolled_back", turns: n })) },
  { weight: 1, arbitrary: fc.nat(60).map((n) => cancelled({ reason: "rewound", from_line: n })) },
  { weight: 1, arbitrary: fc.constant(cancelled({ reason: "interrupted" })) },
  {
    weight: 1,
    arbitrary: id.map((n) =>
      told("reaction", [
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
      .map((c) => told(c as "echo", [])),
  },
);

function cancelled(more: object): Told {
  return told("reaction", [{ type: "cancelled", ...more } as RecordBody]);
}

/** Long enough that lists have several full slices: without a bias, which is towards short ones. */
const stories = fc
  .noBias(fc.array(fc.tuple(acts, time, native), { minLength: 20, maxLength: 1600, size: "max" }))
  .map((list) =>
    placed(list.map(([act, at, turnId]) => ({ ...act, time: at, ...(turnId === undefined ? {} : { turnId }) }))),
  );

function whole(entries: readonly Entry[]): FileDraft {
  const builder = new DraftBuilder(REF, "s", OPTIONS);
  for (const entry of entries) builder.push(entry);
  return builder.finish(NO_DRIFT);
}

describe("a builder", () => {
  it("goes on as if it had never rested", () => {
    const reached = new Set<ListName>();
    fc.assert(
      fc.property(stories, fc.array(fc.nat(1600), { maxLength: 6 }), (entries, rests) => {
        const shelf = new Shelf();
        let builder = new DraftBuilder(REF, "s", OPTIONS);
        for (const [i, entry] of entries.entries()) {
          if (rests.includes(i)) builder = new DraftBuilder(REF, "s", OPTIONS, shelf.rest(builder));
          builder.push(entry);
        }
        for (const name of NAMES) if (builder.lists[name].length > SLICE[name]) reached.add(name);
        expect(JSON.stringify(builder.finish(NO_DRIFT))).toBe(JSON.stringify(whole(entries)));
      }),
      { numRuns: 10 },
    );
    // Otherwise nothing was tried: a list that fits into one slice never sleeps.
    expect([...reached]).toEqual(expect.arrayContaining(["turns", "tools", "usage"]));
  });

  it("tells what became different, and that it is all", () => {
    fc.assert(
      fc.property(stories, fc.nat(1600), (entries, at) => {
        const cut = Math.min(at, entries.length - 1);
        const shelf = new Shelf();
        const before = new DraftBuilder(REF, "s", OPTIONS);
        for (const entry of entries.slice(0, cut)) before.push(entry);
        const builder = new DraftBuilder(REF, "s", OPTIONS, shelf.rest(before));
        for (const entry of entries.slice(cut)) builder.push(entry);
        const { draft, calls, turns, newTurns } = builder.changes(NO_DRIFT);
        const [old, now] = [whole(entries.slice(0, cut)), whole(entries)];
        expect([turns, newTurns]).toEqual([now.turns.length, now.turns.length - old.turns.length]);
        // What is told is true.
        for (const turn of draft.turns) expect(turn).toEqual(now.turns[turn.index]);
        expect(draft.tools).toEqual(calls.map((n) => now.tools[n]));
        for (const event of draft.usage) expect(now.usage).toContainEqual(event);
        expect(draft.records).toEqual(now.records);
        expect(draft.tokens).toEqual(now.tokens);
        // What is not told is as it was.
        const toldTurns = new Set(draft.turns.map((turn) => turn.index));
        for (const [i, turn] of now.turns.entries()) if (!toldTurns.has(i)) expect(turn).toEqual(old.turns[i]);
        for (const [i, call] of now.tools.entries()) if (!calls.includes(i)) expect(call).toEqual(old.tools[i]);
        const toldUsage = new Set(draft.usage.map((event) => event.response_id));
        for (const event of now.usage) if (!toldUsage.has(event.response_id)) expect(old.usage).toContainEqual(event);
      }),
      { numRuns: 10 },
    );
  });

  it("books every record and every token once", () => {
    fc.assert(
      fc.property(stories, (entries) => {
        const { records, turns, tokens: t, usage } = whole(entries);
        const { records_read, reasons, ...booked } = records;
        expect(records_read).toBe(entries.length);
        expect(Object.values(booked).reduce((sum, n) => sum + n, 0)).toBe(records_read);
        expect(Object.values(reasons).reduce((sum, n) => sum + n, 0)).toBe(records_read);
        expect(turns.reduce((sum, turn) => sum + turn.records, 0)).toBe(records.owned_by_turns);
        expect(t.counted + t.duplicates + t.inherited + t.estimates).toBe(t.tokens_read);
        // What only a copy states is another session's.
        const own = usage.filter((event) => event.copied === undefined);
        expect(own.reduce((sum, event) => sum + totalTokens(event), 0)).toBe(t.counted);
        expect(new Set(usage.map((event) => event.response_id)).size).toBe(usage.length);
      }),
      { numRuns: 10 },
    );
  });

  it("names the prompts that are new", () => {
    const entries = placed([
      ask("a", { identity: "A" }),
      ask("b", { identity: "B" }),
      ask("c", { identity: "C" }),
      ask("d"),
    ]);
    const before = new DraftBuilder(REF, "s", OPTIONS);
    for (const entry of entries.slice(0, 2)) before.push(entry);
    expect(before.identities()).toEqual(["A", "B"]);
    const builder = new DraftBuilder(REF, "other", OPTIONS, new Shelf().rest(before));
    expect(builder.identities()).toEqual([]);
    for (const entry of entries.slice(2)) builder.push(entry);
    expect(builder.identities()).toEqual(["C"]);
    expect(builder.summary.session_id).toBe("s");
    const header = told(
      "session",
      [{ type: "session_meta", source: "toy", kind: "root", cwd: null, started_at: null, agent_version: null }],
      { native: "session_meta", identity: "new" },
    );
    for (const entry of placed([header])) builder.push(entry);
    expect(builder.identities()).toEqual(["A", "B", "C"]);
  });

  it("knows asking calls by their ids", () => {
    const place = { line: 1, time: null, turn: null };
    expect(askingCall({ ...place, body: { type: "tool_started", call_id: "1", name: "x", input: null } })).toBe("1");
    expect(askingCall({ ...place, body: { type: "assistant_finished", text: "x" } })).toBeNull();
  });
});
