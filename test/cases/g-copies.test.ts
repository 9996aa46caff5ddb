import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  A,
  at,
  CA,
  classes,
  CU,
  E,
  M,
  only,
  open,
  R,
  spans,
  TC,
  TD,
  TS,
  U,
  type Book,
  type Line,
  type Lines,
} from "./build.ts";

/** A parent and a child that says it was forked from it. Names decide the order in which the files are found. */
function fork(parent: Lines, child: Lines, names: [string, string] = ["rollout-1.jsonl", "rollout-2.jsonl"]): Book {
  return open({ codex: { [names[0]]: parent, [names[1]]: child } });
}

const FORKED = { forked_from_id: "parent" };
const one: Lines = [R("first"), A("answer")];

const before = (line: Line): Line => at("2026-05-11T08:00:00.000Z", line);
const later = (line: Line): Line => at("2026-05-12T09:00:00.000Z", line);

/** A task with its prompt, as versions since 0.101 write it. */
const task = (n: number, words: string): Lines => [
  TS(`t${n}`),
  TC({ turn_id: `t${n}` }),
  R(words),
  E(words),
  A(`a${n}`),
  TD(`t${n}`),
];

/** Bookkeeping that only the session itself writes, not a copy of it. */
const queued = (session: string): Line =>
  before({ type: "queue-operation", operation: "enqueue", timestamp: "", sessionId: session });

async function promptsOf(book: Book, session: string): Promise<string[]> {
  return (await book.turns({ session })).map((turn) => turn.trigger.text ?? "");
}

/**
 * Section G: duplicates and forks. The rule of the cases removes a leading run of whole turns that are equal in every
 * field. Daybook decides record by record: a record is inherited if the parent has one with the same type and payload,
 * and its time is that of the parent's record or that of the fork (Codex gives copies a new time). The result is the
 * same (inherited turns are not listed, new ones are), except that one different record does not make the rest of the
 * copied history count twice.
 */
describe("G. copies", () => {
  it("case 78: the same bytes under two paths are one session with the first path", async () => {
    const lines = [M("same"), ...one];
    const book = open({ codex: { "b/rollout-same.jsonl": lines, "a/rollout-same.jsonl": lines } });
    const path = join(book.root.codex, "a/rollout-same.jsonl");
    expect(only(await book.sessions())).toMatchObject({ session_id: "same", session_path: path, turns: 1 });
    expect(await spans(book)).toEqual([[2, 3]]);
    expect(only((await book.audit()).sessions).session_paths).toEqual([path]);
    expect((await book.problems()).map((problem) => problem.code)).toEqual(["file_duplicate"]);
  });

  it("case 80: equal turns of unrelated sessions are two turns; equal ids of two sources are two sessions", async () => {
    const equal = open({ codex: { "rollout-1.jsonl": [M("one"), ...one], "rollout-2.jsonl": [M("two"), ...one] } });
    expect((await equal.turns()).map((turn) => turn.session_id)).toEqual(["one", "two"]);
    const ids = open({ codex: { "rollout-1.jsonl": [M("same"), ...one] }, claude: { "same.jsonl": [CU("first")] } });
    expect((await ids.turns()).map((turn) => turn.source).toSorted()).toEqual(["claude-code", "codex"]);
  });

  it.each([
    ["before", ["rollout-1.jsonl", "rollout-2.jsonl"]],
    ["after", ["rollout-2.jsonl", "rollout-1.jsonl"]],
  ] as const)("case 81: a fork that only repeats its parent adds no turn (parent sorts %s it)", async (_, names) => {
    const book = fork([M("parent"), ...one], [M("child", FORKED), ...one], [...names]);
    expect((await book.turns()).map((turn) => turn.session_id)).toEqual(["parent"]);
    const child = only((await book.sessions()).filter((session) => session.session_id === "child"));
    expect(child).toMatchObject({ turns: 0, forked_from: "parent", diagnostics: { inherited_records: 2 } });
    expect((await book.audit()).balanced).toBe(true);
  });

  it("case 82: only the copied history is inherited; a prompt that the fork repeats later is new", async () => {
    const child = [M("child", FORKED), ...one, R("new"), A("of its own"), ...one];
    const book = fork([M("parent"), ...one], child);
    const turns = await book.turns({ session: "child" });
    expect(turns.map((turn) => [turn.turn_ref, turn.start_line, turn.end_line])).toEqual([
      ["T0001", 4, 5],
      ["T0002", 6, 7],
    ]);
  });

  it("case 83: a copy with other key order and spacing is still a copy", async () => {
    const reformatted = one.map((line) => {
      const { timestamp, type, payload } = line as Line;
      return ` { "payload" : ${JSON.stringify(payload)}, "type":"${String(type)}" , "timestamp":"${String(timestamp)}"}`;
    });
    expect(await promptsOf(fork([M("parent"), ...one], [M("child", FORKED), ...reformatted]), "child")).toEqual([]);
  });

  it("case 83: a prompt with another text or an extra field is new", async () => {
    for (const prompt of [R("First"), R({ type: "input_text", text: "first", extra: true })]) {
      const book = fork([M("parent"), ...one], [M("child", FORKED), prompt, A("answer")]);
      expect(await spans(book, "child")).toEqual([[2, 3]]);
    }
  });

  it("case 83: a prompt written after the fork is new, even if the parent has the same text", async () => {
    const book = fork([M("parent"), ...one], [M("child", FORKED), later(R("first")), later(A("answer"))]);
    expect(await spans(book, "child")).toEqual([[2, 3]]);
  });

  it("case 83, finer: a copy with the time of the fork is still a copy", async () => {
    const child = [M("child", FORKED), ...one, R("new")].map((line) => later(line as Line));
    expect(await promptsOf(fork([M("parent"), ...one], child), "child")).toEqual(["new"]);
  });

  // By the rule of the cases nothing is removed and the prompt is listed twice. But a fork made while its parent worked
  // contains such an incomplete turn, and its prompt was written once.
  it("case 83, finer: a copied prompt is listed once even if its reaction is missing or differs", async () => {
    for (const rest of [[], [A("another answer")]]) {
      const book = fork([M("parent"), ...one], [M("child", FORKED), R("first"), ...rest, R("new"), A("b")]);
      expect(await promptsOf(book, "child")).toEqual(["new"]);
      expect((await book.audit()).balanced).toBe(true);
    }
  });

  describe("a prompt of a fork with the same text as one of its parent", () => {
    const parent = [M("parent"), ...task(1, "begin"), ...task(2, "continue"), ...task(3, "continue")];

    it("is new if it belongs to a task of the fork", async () => {
      const child = [M("child", FORKED), M("parent"), ...task(1, "begin"), ...task(9, "continue")];
      const book = fork(parent, child);
      expect(await promptsOf(book, "child")).toEqual(["continue"]);
      expect(await spans(book, "child")).toEqual([[11, 14]]);
    });

    it("is new if it was written after the fork, in files without tasks", async () => {
      const old = [M("parent"), R("begin"), A("a"), R("continue"), A("b")];
      const child = [M("child", FORKED), M("parent"), R("begin"), A("a"), later(R("continue")), later(A("c"))];
      expect(await spans(fork(old, child), "child")).toEqual([[5, 6]]);
    });
  });

  it("case 85: copies are recognised across days", async () => {
    const parent = [before(M("parent")), before(R("yesterday")), before(A("a")), ...one];
    const copied = fork(parent, [M("child", FORKED), before(R("yesterday")), before(A("a")), ...one]);
    expect(await promptsOf(copied, "child")).toEqual([]);
    const different = fork(parent, [M("child", FORKED), before(R("another day")), before(A("a")), ...one]);
    expect(await promptsOf(different, "child")).toEqual(["another day", "first"]);
  });

  it("case 86: without a valid link to the parent both sessions keep their turns", async () => {
    const numbered = fork([M("parent"), ...one], [M("child", { forked_from_id: 7 }), ...one]);
    expect((await numbered.turns()).map((turn) => turn.session_id).toSorted()).toEqual(["child", "parent"]);
    // A parent without an id is not the one that the child names. Then only the child's times count, so its own turns
    // must be later than its header, as they are in real files.
    const nameless = fork([M(null), ...one], [M("child", FORKED), ...one.map((line) => later(line as Line))]);
    expect((await nameless.turns()).map((turn) => turn.session_id).toSorted()).toEqual(["child", "rollout-1"]);
  });

  // By the rule of the cases any of these makes the whole history ambiguous, and the copy is listed again. Decided record
  // by record, the rest is still certain. Real copies do have a second header: Codex copies the parent's.
  it.each([
    ["a malformed line in the parent", [M("parent"), "{ broken", ...one], [M("child", FORKED), ...one]],
    ["a malformed line in the child", [M("parent"), ...one], [M("child", FORKED), "{ broken", ...one]],
    ["a second header", [M("parent"), ...one], [M("child", FORKED), M("parent"), ...one]],
    ["no id in the child", [M("parent"), ...one], [M(null, FORKED), ...one]],
    ["an untimed copy", [M("parent"), ...one], [M("child", FORKED), at(null, R("first")), A("answer")]],
  ] as const)("case 86, finer: %s does not make the copied turn count twice", async (_, parent, child) => {
    const book = fork(parent, child);
    expect((await book.turns()).map((turn) => turn.session_id)).toEqual(["parent"]);
    expect((await book.audit()).balanced).toBe(true);
  });

  it("case 87: a fork in another directory belongs to another project and has only its new turn", async () => {
    const child = [M("child", { ...FORKED, cwd: "/nowhere/elsewhere" }), ...one, R("new"), A("b")];
    const book = fork([M("parent", { cwd: "/nowhere/app" }), ...one], child);
    expect((await book.turns()).map((turn) => `${turn.project}: ${turn.trigger.text}`).toSorted()).toEqual([
      "app: first",
      "elsewhere: new",
    ]);
    expect((await book.turns({ session: "parent" }))[0]?.children).toMatchObject([
      { session_id: "child", relation: "fork" },
    ]);
  });

  it("section G: explain and records agree with the turns of a fork", async () => {
    const book = fork([M("parent"), ...one], [M("child", FORKED), ...one, R("new"), A("b")]);
    expect(await classes(book, 5, "child")).toEqual(["session", "inherited", "inherited", "trigger", "reaction"]);
    expect(await book.explain("child:4")).toMatchObject([{ turn_ref: "T0001" }]);
    const texts: string[] = [];
    for await (const record of book.records("child")) if (record.type === "user") texts.push(record.text);
    expect(texts).toEqual(["new"]);
  });

  it("section G: copies in a Claude fork are recognised by their record ids", async () => {
    const copied = [CU("first"), CA("answer", { stop: "end_turn" })];
    const child = [...copied, CU("new"), CA("b", { stop: "end_turn" })].map((line) => ({ ...line, sessionId: "two" }));
    const book = open({ claude: { "one.jsonl": [queued("one"), ...copied], "two.jsonl": [...child] } });
    expect(await promptsOf(book, "two")).toEqual(["new"]);
    expect(await classes(book, 4, "two")).toEqual(["inherited", "inherited", "trigger", "reaction"]);
  });

  it("section G: copied usage counts only for the parent", async () => {
    const spent = [R("first"), A("answer"), U(60, 60), TD()];
    const book = fork([M("parent"), ...spent], [M("child", FORKED), ...spent, R("new"), A("b"), U(100, 40), TD()]);
    const usage = await book.usage({ group: "session", by: "spent", breakdown: false, order: "asc" });
    expect(usage.rows.map((row) => [row.period, row.output_tokens])).toEqual([
      ["codex/child", 40],
      ["codex/parent", 60],
    ]);
    expect((await book.audit()).balanced).toBe(true);
  });
});
