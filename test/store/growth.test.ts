import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it, vi } from "vitest";
import * as cases from "../cases/build.ts";
import type { Line } from "../cases/build.ts";
import { copyCorpus, LABELS, open, scratch, type Roots } from "./fixture.ts";
import { tablesOf } from "./tables.ts";

// So short that most of what is known of a session lies in full slices.
vi.mock(import("../../src/turns/lists.ts"), () => ({
  SLICE: { turns: 2, tools: 3, usage: 2, questions: 1, contexts: 2 },
}));

const LINES = LABELS.filter((label) => !/^(opencode|goose|gemini-0\.[23])/.test(label));

/** The same in every run. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 7919 + 17;
  }

  /** A whole number below the given one. */
  below(n: number): number {
    this.#state = (this.#state * 1103515245 + 12345) % 2147483648;
    return Math.floor((this.#state / 2147483648) * n);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Writes the lines in handfuls with a sync after each; every index on the way is the one made from empty. */
async function grow(path: string, lines: readonly string[], roots: Roots, dice: Dice, most: number): Promise<void> {
  const book = scratch("book");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  for (let [at, part] = [0, 0]; at < lines.length;) {
    const next = Math.min(lines.length, at + 1 + dice.below(most));
    const rest = lines.slice(at, next).join("").slice(part);
    // Now and then the last line is caught while it is written.
    const last = lines[next - 1] ?? "";
    part = dice.below(4) === 0 && rest.length > last.length ? Math.ceil(last.length / 2) : 0;
    at = part === 0 ? next : next - 1;
    appendFileSync(path, part === 0 ? rest : rest.slice(0, part - last.length));
    await open(roots, book).sync();
    const fresh = scratch("fresh");
    await open(roots, fresh).sync();
    const [grown, made] = [tablesOf(book), tablesOf(fresh)];
    rmSync(fresh, { recursive: true, force: true });
    // A prompt that was uncertain may have had another name: a name too many only makes more be compared.
    const names = new Set(made["identity"]);
    grown["identity"] = (grown["identity"] ?? []).filter((row) => names.has(row));
    for (const [table, rows] of Object.entries(made))
      expect({ at, table, rows: grown[table] }).toEqual({ at, table, rows });
  }
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

describe("a session that grows line by line", () => {
  it.each(LINES)("has the rows of one made from empty: %s", async (label) => {
    const { dir, roots } = copyCorpus([label]);
    const paths = [
      ...new Set(
        open(roots)
          .opened()
          .refs.map((ref) => ref.path),
      ),
    ];
    const files = paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
    for (const { path } of files) rmSync(path);
    const dice = new Dice(label.length);
    // The longest stand for the others, each alone in its tree: nothing then makes it be put together anew.
    for (const { path, text } of files.toSorted((a, b) => b.text.length - a.text.length).slice(0, 3)) {
      const at = join(dir, "alone", relative(dir, path));
      const source = Object.keys(roots)[0] ?? "";
      await grow(at, linesOf(text), { [source]: [join(dir, "alone", label)] }, dice, 8);
      rmSync(at);
    }
  });
});

describe("any session", () => {
  const text = (lines: readonly Line[]): string[] => lines.map((line) => `${JSON.stringify(line)}\n`);

  it.each([1, 2, 3, 4, 5, 6])("of Codex, whatever comes late, twice or never: %i", async (seed) => {
    const dir = scratch("files");
    const dice = new Dice(seed);
    await grow(join(dir, "rollout-any.jsonl"), text(anyCodex(dice)), { codex: [dir] }, dice, 5);
  });

  it.each([1, 2, 3, 4, 5, 6])("of Claude Code, whatever comes late, twice or never: %i", async (seed) => {
    const dir = scratch("files");
    const dice = new Dice(seed);
    await grow(join(dir, "any.jsonl"), text(anyClaude(dice)), { "claude-code": [dir] }, dice, 5);
  });
});

function anyCodex(dice: Dice): Line[] {
  const { A, CALL, codexLine, E, M, OUT, R, TC, TD, TS, U, event } = cases;
  const lines: Line[] = [M("any")];
  let [turns, calls, total] = [0, 0, 0];
  const turn = (): string => `t${dice.of([turns, turns, turns, Math.max(1, turns - 1)])}`;
  const usage = (n: number): Line => U((total += n), n);
  const compacted = codexLine("compacted", { message: "short" });
  // Never before the totals: from then on they count for nothing.
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

/** Lines by chance, the heavier acts more often; in the end each later than the one before. */
function deal(lines: Line[], acts: readonly [number, () => Line[]][], dice: Dice): Line[] {
  const bag = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  while (lines.length < 90) lines.push(...dice.of(bag)());
  const start = Date.parse(cases.TIME);
  return lines.map((line, i) =>
    "timestamp" in line ? cases.at(new Date(start + i * 60_000).toISOString(), line) : line,
  );
}
