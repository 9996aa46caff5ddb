import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { A, at, CU, folder, M, only, open, R, type Book, type Line, type Lines } from "./build.ts";
import { all, filesBelow, ids, prepared, run, spansIn } from "./workspace.ts";

const FORKED = { forked_from_id: "parent" };
const one: Lines = [R("first"), A("answer")];

function fork(
  parent: Lines,
  child: Lines,
  names: readonly [string, string] = ["rollout-1.jsonl", "rollout-2.jsonl"],
): Book {
  return open({ codex: { [names[0]]: parent, [names[1]]: child } });
}

const before = (line: Line): Line => at("2026-05-11T08:00:00.000Z", line);
const later = (line: Line): Line => at("2026-05-12T09:00:00.000Z", line);

function flags(book: Book): string[] {
  return ["prepare", "--timezone", "UTC", "--root", `codex=${book.root.codex}`, "--force"];
}

/** Positions in the thread, as versions write them that split a session into segments. */
function ordered(from: number, ...lines: Lines): Lines {
  return lines.map((line, i) => ({ ...(line as Line), ordinal: from + i }));
}

/** Section G: a copied turn is in the workspace once. */
describe("G. copies in the workspace", () => {
  it("case 78: the same bytes under two paths are one session with the first path", async () => {
    const lines = [M("same"), ...one];
    const book = open({ codex: { "b/rollout-same.jsonl": lines, "a/rollout-same.jsonl": lines } });
    const result = await prepared(book);
    expect(ids(result)).toEqual(["same"]);
    expect(only(result.notes.sessions).source_path).toBe(join(book.root.codex, "a/rollout-same.jsonl"));
  });

  it.each<[string, Lines]>([
    ["another answer", [M("same"), R("first"), A("different")]],
    ["another prompt", [M("same"), R("other"), A("answer")]],
    ["a longer file", [M("same"), ...one, A("more")]],
    ["another directory", [M("same", { cwd: "/nowhere/else" }), ...one]],
  ])(
    "section G: a second file with the same id and %s is an error that changes nothing, even with --force",
    async (_, rival) => {
      const env = { DAYBOOK_HOME: join(folder(), "home") };
      const good = open({ codex: { "rollout-1.jsonl": [M("same"), ...one] } });
      expect((await run(flags(good), env)).code).toBe(0);
      const files = filesBelow(env.DAYBOOK_HOME);
      const bad = open({ codex: { "rollout-1.jsonl": [M("same"), ...one], "rollout-2.jsonl": rival } });
      const refused = await run(flags(bad), env);
      expect(refused).toMatchObject({ code: 2, out: "" });
      for (const name of ["rollout-1.jsonl", "rollout-2.jsonl"])
        expect(refused.err).toContain(join(bad.root.codex, name));
      expect(filesBelow(env.DAYBOOK_HOME)).toEqual(files);
    },
  );

  it("section G: a second file with the same id is no error if it has no turn on the day", async () => {
    const old = [M("same"), R("then"), A("x")].map(before);
    const book = open({ codex: { "rollout-1.jsonl": old, "rollout-2.jsonl": [M("same"), ...one] } });
    expect(only((await prepared(book)).notes.sessions).source_path).toBe(join(book.root.codex, "rollout-2.jsonl"));
  });

  it("section G: segments of one session have one row each and are no error", async () => {
    const base = { history_base: { thread_id: "same", end_ordinal_exclusive: 3 } };
    const book = open({
      codex: {
        "rollout-1.jsonl": ordered(0, M("same"), ...one, R("second"), A("b")),
        "rollout-2.jsonl": ordered(3, later(M("same", base)), later(R("instead")), later(A("c"))),
      },
    });
    const rows = all(await prepared(book));
    expect(rows.map((row) => [row.session_ref, row.source_session_id, row.session_path, row.turns.length])).toEqual([
      ["S0001", "same", "sessions/codex/rollout-1.jsonl", 2],
      ["S0002", "same", "sessions/codex/rollout-2.jsonl", 1],
    ]);
  });

  it("case 80: equal turns of unrelated sessions are two rows; equal ids of two sources are two sessions", async () => {
    const equal = open({ codex: { "rollout-1.jsonl": [M("one"), ...one], "rollout-2.jsonl": [M("two"), ...one] } });
    expect(ids(await prepared(equal))).toEqual(["one", "two"]);
    const both = open({ codex: { "rollout-1.jsonl": [M("same"), ...one] }, claude: { "same.jsonl": [CU("first")] } });
    expect(all(await prepared(both)).map((row) => row.source)).toEqual(["claude-code", "codex"]);
  });

  it.each([
    ["rollout-1.jsonl", "rollout-2.jsonl"],
    ["rollout-2.jsonl", "rollout-1.jsonl"],
  ] as const)("case 81: a fork that only repeats its parent has no row (parent in %s)", async (...names) => {
    expect(ids(await prepared(fork([M("parent"), ...one], [M("child", FORKED), ...one], names)))).toEqual(["parent"]);
  });

  it("case 82: only the copied history is inherited; the copy has the original lines and bytes", async () => {
    const child = [M("child", FORKED), ...one, R("new"), A("of its own"), ...one];
    const book = fork([M("parent"), ...one], child);
    const result = await prepared(book);
    const row = only(all(result).filter((r) => r.source_session_id === "child"));
    expect(row.turns.map((turn) => [turn.turn_ref, turn.turn_start_line, turn.turn_end_line])).toEqual([
      ["T0001", 4, 5],
      ["T0002", 6, 7],
    ]);
    const { workspace_project_key: key } = only(result.notes.sessions.filter((s) => s.source_session_id === "child"));
    const copy = readFileSync(join(result.workspace, "projects", key, row.session_path));
    expect(copy.equals(readFileSync(join(book.root.codex, "rollout-2.jsonl")))).toBe(true);
  });

  // By the rule of the cases any difference inside the turn keeps the whole copy. Daybook decides record by record (see
  // g-copies.test.ts): a copied prompt counts once, whatever its answer; a prompt that differs or is later is new.
  it("case 83: a prompt that differs or is later is kept; a copied prompt is not, whatever its reaction", async () => {
    const spansOfChild = async (child: Lines): Promise<unknown> => {
      const rows = all(await prepared(fork([M("parent"), ...one], [M("child", FORKED), ...child])));
      return spansIn(rows.find((row) => row.source_session_id === "child"));
    };
    expect(await spansOfChild([R("First"), A("answer")])).toEqual([[2, 3]]);
    expect(await spansOfChild([later(R("first")), later(A("answer"))])).toEqual([[2, 3]]);
    expect(await spansOfChild([R({ type: "input_text", text: "first", extra: true }), A("answer")])).toEqual([[2, 3]]);
    expect(await spansOfChild([R("first"), A("another answer")])).toEqual([]);
    const reformatted = one.map((line) => JSON.stringify(line).replaceAll(":{", ": {"));
    expect(await spansOfChild(reformatted)).toEqual([]);
  });

  it("case 85: copies are recognised across days", async () => {
    const parent = [before(M("parent")), before(R("yesterday")), before(A("a")), ...one];
    const copied = fork(parent, [M("child", FORKED), before(R("yesterday")), before(A("a")), ...one]);
    expect(ids(await prepared(copied))).toEqual(["parent"]);
    const different = fork(parent, [M("child", FORKED), before(R("another day")), before(A("a")), ...one]);
    expect(ids(await prepared(different))).toEqual(["child", "parent"]);
  });

  it("case 86: without a valid link to the parent both sessions are kept", async () => {
    const numbered = fork([M("parent"), ...one], [M("child", { forked_from_id: 7 }), ...one]);
    expect(ids(await prepared(numbered))).toEqual(["child", "parent"]);
    const nameless = fork([M(null), ...one], [M("child", FORKED), ...one.map((line) => later(line as Line))]);
    expect(ids(await prepared(nameless))).toEqual(["child", "rollout-1"]);
  });

  // By the rule of the cases each of these makes the copy count again. Decided record by record, the rest is certain.
  it.each<[string, Lines, Lines]>([
    ["a malformed line", [M("parent"), "{ broken", ...one], [M("child", FORKED), ...one]],
    ["a second header", [M("parent"), ...one], [M("child", FORKED), M("parent"), ...one]],
    ["an untimed copy", [M("parent"), ...one], [M("child", FORKED), at(null, R("first")), A("answer")]],
  ])("case 86, finer: %s does not make the copied turn count twice", async (_, parent, child) => {
    expect(ids(await prepared(fork(parent, child)))).toEqual(["parent"]);
  });

  it("case 87: a fork in another directory belongs to another project and has only its new turn", async () => {
    const child = [M("child", { ...FORKED, cwd: "/nowhere/elsewhere" }), ...one, R("new"), A("b")];
    const { rows } = await prepared(fork([M("parent"), ...one], child));
    expect(spansIn(only(rows["app"] ?? []))).toEqual([[2, 3]]);
    expect(spansIn(only(rows["elsewhere"] ?? []))).toEqual([[4, 5]]);
  });

  it("preparing a workspace does not change the session files", async () => {
    const book = fork([M("parent"), ...one], [M("child", FORKED), ...one, R("new")]);
    const state = (): unknown => [
      filesBelow(book.root.codex),
      statSync(join(book.root.codex, "rollout-1.jsonl")).mtimeMs,
    ];
    const before = state();
    await prepared(book);
    expect(state()).toEqual(before);
  });

  it("preparing a workspace twice gives the same bytes", async () => {
    const book = fork([M("parent"), ...one], [M("child", FORKED), ...one, R("new")]);
    expect(filesBelow((await prepared(book)).workspace)).toEqual(filesBelow((await prepared(book)).workspace));
  });
});
