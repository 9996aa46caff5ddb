import { inside } from "../../src/answers/daybook.ts";
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/views/turn-view.ts";
import * as cases from "../cases/build.ts";
import type { Line } from "../cases/build.ts";
import { isCompared } from "../nightly.ts";
import { copyCorpus, LABELS, open, scratch, syncBook, type Roots } from "./fixture.ts";
import { sourceOfCorpus } from "../truth.ts";
import { WINDOW_TRUTH, WINDOWS } from "../windows.ts";
import { tablesOf } from "./tables.ts";

// Short slices, so that most of a session's state is in full ones.
vi.mock(import("../../src/turns/lists.ts"), () => ({
  SLICE_SIZES: { turns: 2, tools: 3, usage: 2, questions: 1, contexts: 2 },
}));

const LINES = LABELS.filter((label) => !/^(opencode|goose|gemini-0\.[23])/.test(label));

/** Random numbers that are the same in every run. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 7919 + 17;
  }

  /** An integer from 0 to n - 1. */
  below(n: number): number {
    this.#state = (this.#state * 1103515245 + 12345) % 2147483648;
    return Math.floor((this.#state / 2147483648) * n);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Appends the lines a few at a time with a sync after each, and compares the index with one built from scratch. */
async function grow(path: string, lines: readonly string[], roots: Roots, dice: Dice, maxLines: number): Promise<void> {
  const book = scratch("book");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  for (let [at, part, step] = [0, 0, 1]; at < lines.length; step += 1) {
    const next = Math.min(lines.length, at + 1 + dice.below(maxLines));
    const rest = lines.slice(at, next).join("").slice(part);
    // Sometimes the last line is written only in part.
    const last = lines[next - 1] ?? "";
    part = dice.below(4) === 0 && rest.length > last.length ? Math.ceil(last.length / 2) : 0;
    at = part === 0 ? next : next - 1;
    appendFileSync(path, part === 0 ? rest : rest.slice(0, part - last.length));
    await syncBook(roots, book);
    if (!isCompared(step, at === lines.length)) continue;
    const fresh = scratch("fresh");
    await syncBook(roots, fresh);
    const [grown, rebuilt] = [tablesOf(book), tablesOf(fresh)];
    rmSync(fresh, { recursive: true, force: true });
    // A prompt whose class was uncertain may have had another identity. A surplus identity is harmless: it only makes
    // Daybook compare more sessions.
    const identities = new Set(rebuilt["identity"]);
    grown["identity"] = (grown["identity"] ?? []).filter((row) => identities.has(row));
    for (const [table, rows] of Object.entries(rebuilt))
      expect({ at, table, rows: grown[table] }).toEqual({ at, table, rows });
  }
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

describe("a session that grows line by line", () => {
  it.each(LINES)("has the same rows as in a freshly built index after every sync: %s", async (label) => {
    const { dir, roots } = copyCorpus([label]);
    const paths = [
      ...new Set(
        inside(open(roots))
          .opened()
          .refs.map((ref) => ref.path),
      ),
    ];
    const files = paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
    for (const { path } of files) rmSync(path);
    const dice = new Dice(label.length);
    // The three longest files, each alone in its directory: then nothing causes the session to be assembled whole.
    for (const { path, text } of files.toSorted((a, b) => b.text.length - a.text.length).slice(0, 2)) {
      const at = join(dir, "alone", relative(dir, path));
      const source = Object.keys(roots)[0] ?? "";
      await grow(at, linesOf(text), { [source]: [join(dir, "alone", label)] }, dice, 8);
      rmSync(at);
    }
  });
});

describe("a session that two windows write to", () => {
  it.each(Object.keys(WINDOW_TRUTH))(
    "has the same rows as in a freshly built index after every sync: %s",
    async (label) => {
      const source = sourceOfCorpus(label);
      const dice = new Dice(label.length);
      for (const { path } of inside(open({ [source]: [join(WINDOWS, label)] })).opened().refs) {
        const dir = scratch("windows");
        const at = join(dir, relative(WINDOWS, path));
        await grow(at, linesOf(readFileSync(path, "utf8")), { [source]: [join(dir, label)] }, dice, 4);
      }
    },
  );
});

describe("a session that grows beside its sub-agents", () => {
  interface Family {
    parent: string;
    children: string[];
  }

  async function familiesIn(roots: Roots): Promise<Family[]> {
    const sessions = await open(roots).sessions();
    const families = new Map<string, string[]>();
    for (const { parent, session_path } of sessions) {
      const parentPath = sessions.find((one) => one.session_id === parent?.session_id)?.session_path ?? null;
      if (parentPath !== null && session_path !== null && parentPath !== session_path)
        families.set(parentPath, [...(families.get(parentPath) ?? []), session_path]);
    }
    return [...families].map(([parent, children]) => ({ parent, children }));
  }

  const LABELS_WITH_CHILDREN = LINES.filter((label) =>
    /^(claude-2.1.325|codex-0.(130|166).0(-tui-nodaemon)?$|gemini-0.61|qwen-0.24)/.test(label),
  );

  it.each(LABELS_WITH_CHILDREN)("has the same rows as in a freshly built index after every sync: %s", async (label) => {
    const { dir, roots } = copyCorpus([label]);
    const source = Object.keys(roots)[0] ?? "";
    const families = await familiesIn(roots);
    expect(families).not.toEqual([]);
    const dice = new Dice(label.length);
    for (const { parent, children } of families.slice(0, 2)) {
      const alone = (path: string): string => join(dir, "alone", relative(dir, path));
      for (const child of children) cpSync(child, alone(child), { recursive: true });
      const lines = linesOf(readFileSync(parent, "utf8"));
      await grow(alone(parent), lines, { [source]: [join(dir, "alone", label)] }, dice, 8);
      rmSync(join(dir, "alone"), { recursive: true });
    }
  });

  it("is the only session refreshed, and its turns include the usage of the sub-agents", async () => {
    const { roots } = copyCorpus(["codex-0.130.0"]);
    const [family] = await familiesIn(roots);
    const path = family?.parent ?? "";
    const lines = linesOf(readFileSync(path, "utf8"));
    writeFileSync(path, lines.slice(0, -1).join(""));
    const book = scratch("book");
    await syncBook(roots, book);
    appendFileSync(path, lines.at(-1) ?? "");
    const { sessions_refreshed } = await syncBook(roots, book);
    expect(sessions_refreshed).toBe(1);
    const turns = await open(roots, book).turns();
    expect(turns).toEqual(await open(roots).turns());
    expect(turns.some(({ usage, usage_with_children: all }) => usage.output_tokens < all.output_tokens)).toBe(true);
  });
});

// Synthetic records: no agent is known to write either of these.
describe("lines appended to one session that affect another", () => {
  const { E, M, R } = cases;
  const B = "rollout-b.jsonl";
  const prompt = (text: string): Line[] => [R(text), E(text)];

  async function turnsAfterGrowth(
    a: readonly Line[],
    b: readonly Line[],
    file: string,
    added: readonly Line[],
  ): Promise<TurnView[]> {
    const [dir, book] = [scratch("files"), scratch("book")];
    const text = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(join(dir, "rollout-a.jsonl"), text(a));
    writeFileSync(join(dir, B), text(b));
    await syncBook({ codex: [dir] }, book);
    appendFileSync(join(dir, file), text(added));
    await syncBook({ codex: [dir] }, book);
    const turns = await open({ codex: [dir] }, book).turns();
    expect(turns).toEqual(await open({ codex: [dir] }).turns());
    return turns;
  }

  it("make a session a fork if a repeated header names a parent", async () => {
    const turns = await turnsAfterGrowth([M("a"), ...prompt("first")], [M("b"), ...prompt("second")], B, [
      M("b", { forked_from_id: "a" }),
    ]);
    expect(turns.flatMap(({ children }) => children?.map(({ relation }) => relation))).toEqual(["fork"]);
  });

  it("attach a sub-agent that names no turn to a prompt appended later", async () => {
    const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: "a" } } } };
    const turns = await turnsAfterGrowth(
      [M("a"), ...prompt("first")],
      [M("b", spawned)],
      "rollout-a.jsonl",
      prompt("second"),
    );
    const causing = turns.filter(({ children }) => children?.length !== 0).map(({ trigger }) => trigger.text);
    expect(causing).toEqual(["second"]);
  });
});

describe("a random session that grows line by line", () => {
  const serialize = (lines: readonly Line[]): string[] => lines.map((line) => `${JSON.stringify(line)}\n`);

  it.each([1, 2, 3, 4, 5, 6])(
    "has the same rows as in a freshly built index after every sync: Codex, seed %i",
    async (seed) => {
      const dir = scratch("files");
      const dice = new Dice(seed);
      await grow(join(dir, "rollout-any.jsonl"), serialize(anyCodex(dice)), { codex: [dir] }, dice, 5);
    },
  );

  it.each([1, 2, 3, 4, 5, 6])(
    "has the same rows as in a freshly built index after every sync: Claude Code, seed %i",
    async (seed) => {
      const dir = scratch("files");
      const dice = new Dice(seed);
      await grow(join(dir, "any.jsonl"), serialize(anyClaude(dice)), { "claude-code": [dir] }, dice, 5);
    },
  );
});

/** Results, turn ends and usage may be late, repeated or missing. */
function anyCodex(dice: Dice): Line[] {
  const { A, CALL, codexLine, E, M, OUT, R, TC, TD, TS, U, event } = cases;
  const lines: Line[] = [M("any")];
  let [turns, calls, total] = [0, 0, 0];
  const turn = (): string => `t${dice.of([turns, turns, turns, Math.max(1, turns - 1)])}`;
  const usage = (n: number): Line => U((total += n), n);
  const compacted = codexLine("compacted", { message: "short" });
  // Not among the first lines: after the first usage record of this kind, the running totals are ignored.
  const record = (n: number): Line =>
    lines.length < 60
      ? usage(n)
      : codexLine("token_usage_record", {
          response_id: `r${(total += n)}`,
          turn_id: turn(),
          usage: { output_tokens: n },
        });
  const acts: [number, () => Line[]][] = [
    [3, () => ((turns += 1), [TS(turn()), TC({ turn_id: turn() }), R(`do ${turns}`), E(`do ${turns}`)])],
    [2, () => ((turns += 1), [TS(turn()), usage(7), record(5), compacted, R(`late ${turns}`), E(`late ${turns}`)])],
    [1, () => [compacted]],
    [1, () => [E(`also ${turns}`)]],
    [5, () => [CALL(`c${(calls += 1)}`, dice.of(["shell", "exec_command"]), { command: ["rm", "-rf", `/x${calls}`] })]],
    [6, () => [OUT(`c${1 + dice.below(calls + 1)}`, `Process exited with code ${dice.below(2)}\nOutput:\nok`)]],
    [4, () => [usage(10 + dice.below(90))]],
    [1, () => [U(total, 5)]],
    [3, () => [A(`said ${dice.below(9)}`)]],
    [3, () => [TD(turn())]],
    [1, () => [event("turn_aborted", { reason: "interrupted", turn_id: turn() })]],
    [1, () => [event("thread_rolled_back", { num_turns: 1 + dice.below(2) })]],
    [1, () => [TC({ turn_id: turn(), cwd: `/nowhere/app${dice.below(2)}` })]],
    [1, () => [event("error", { message: "stream broke" })]],
    [1, () => [CALL(`q${(calls += 1)}`, "request_user_input", { questions: [{ id: "a", question: "which?" }] })]],
  ];
  return deal(lines, acts, dice);
}

function anyClaude(dice: Dice): Line[] {
  const { CA, claudeLine, CT, CU, toolUse } = cases;
  const lines: Line[] = [CU("begin")];
  let [calls, replies] = [0, 0];
  const reply = (): { id: string; output: number } => ({ id: `m${(replies += 1)}`, output: dice.below(50) });
  const again = (): { id: string; output: number } => ({
    id: `m${1 + dice.below(replies + 1)}`,
    output: dice.below(90),
  });
  const acts: [number, () => Line[]][] = [
    [3, () => [CU(`do ${dice.below(99)}`)]],
    [3, () => [CA(`said ${dice.below(9)}`, { ...reply(), stop: dice.of(["end_turn", null]) })]],
    [5, () => [CA([toolUse(`c${(calls += 1)}`, "Bash", { command: `sudo rm -rf /y${calls}` })], reply())]],
    [2, () => [CA([toolUse(`c${(calls += 1)}`, "Edit", { file_path: "/nowhere/app/a" })], again())]],
    [6, () => [CT(`c${1 + dice.below(calls + 1)}`, "done", {}, { is_error: dice.below(3) === 0 })]],
    [1, () => [CU("[Request interrupted by user]")]],
    [1, () => [CU("/clear", { isMeta: true })]],
    [2, () => [claudeLine("system", { subtype: "turn_duration", durationMs: 900 })]],
    [1, () => [CA([toolUse(`c${(calls += 1)}`, "AskUserQuestion", { questions: [{ question: "which?" }] })], reply())]],
    [1, () => [CU("go on", { cwd: "/nowhere/other" })]],
    [1, () => [{ type: "custom-title", customTitle: `name ${dice.below(9)}`, sessionId: "any" }]],
    [1, () => [claudeLine("system", { subtype: "api_error", error: "overloaded" })]],
  ];
  return deal(lines, acts, dice);
}

/** Random lines, those of acts with more weight more often, with increasing timestamps. */
function deal(lines: Line[], acts: readonly [number, () => Line[]][], dice: Dice): Line[] {
  const bag = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  while (lines.length < 90) lines.push(...dice.of(bag)());
  const start = Date.parse(cases.TIME);
  return lines.map((line, i) =>
    "timestamp" in line ? cases.at(new Date(start + i * 60_000).toISOString(), line) : line,
  );
}
