import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogRecord } from "../src/format/record.ts";
import { Daybook } from "../src/daybook.ts";
import type { TurnView } from "../src/answers/turn-view.ts";
import {
  A,
  at,
  CALL,
  codex,
  codexLine,
  DEV,
  E,
  ENV,
  event,
  ITEM,
  M,
  OUT,
  R,
  TC,
  TD,
  TS,
  U,
  type Line,
  write,
} from "./cases/build.ts";

// No genuine file of these shapes is at hand: the lines are minimal, in the order and with the fields of 0.130 and 0.166.

const compacted = (message = "summary"): Line => codexLine("compacted", { message, replacement_history: [] });
const marker = event("context_compacted");
const prompt = (text: string): Line[] => [R(text), E(text)];
const asked = (turn: string, text: string): Line[] => [TS(turn), TC({ turn_id: turn }), ...prompt(text)];

function used(id: string, turn: string, output: number): Line {
  return codexLine("token_usage_record", { response_id: id, turn_id: turn, usage: { output_tokens: output } });
}

const described = (turns: readonly TurnView[]): string[] =>
  turns.map((turn) => `${turn.trigger.text}: ${turn.outcome}, ${turn.usage.output_tokens}`);

describe("a compaction before a prompt", () => {
  it("belongs to the turn whose task it runs in (0.166)", async () => {
    const book = codex(
      M("s"),
      ...asked("t1", "first"),
      A("one"),
      used("r1", "t1", 5),
      TD("t1"),
      TS("t2"),
      used("r2", "t2", 7),
      compacted(),
      codexLine("world_state", {}),
      TC({ turn_id: "t2" }),
      ITEM("ContextCompaction"),
      ...prompt("second"),
      A("two"),
      used("r3", "t2", 9),
      TD("t2"),
    );
    expect(described(await book.turns())).toEqual(["first: completed, 5", "second: completed, 16"]);
    const [record] = await book.explain("s:10");
    expect(record).toMatchObject({ class: "early", turn_ref: "T0002" });
    const audit = await book.audit();
    expect(audit.balanced).toBe(true);
    expect(audit.sessions[0]?.owners).toEqual({ own_turns: 21, causing_turns: 0, unowned: 0 });
    // The header is the session's; two tasks, two contexts and the state of the world prepare the turns.
    expect(audit.sessions[0]?.records).toMatchObject({
      records_read: 19,
      session_level: 1,
      setup: 5,
      owned_by_turns: 13,
    });
  });

  it("belongs to it also where no record names the task (0.130)", async () => {
    const book = codex(
      M("s"),
      ...asked("t1", "first"),
      A("one"),
      U(5, 5),
      TD("t1"),
      TS("t2"),
      U(5, 5),
      U(12, 7),
      compacted(),
      U(12, null),
      marker,
      DEV(),
      R(ENV),
      TC({ turn_id: "t2" }),
      ...prompt("second"),
      A("two"),
      U(21, 9),
      TD("t2"),
    );
    expect(described(await book.turns())).toEqual(["first: completed, 5", "second: completed, 16"]);
  });

  it("belongs to the turn before where no prompt came of it", async () => {
    const book = codex(
      M("s"),
      ...asked("t1", "first"),
      A("one"),
      used("r1", "t1", 5),
      TD("t1"),
      TS("t2"),
      used("r2", "t2", 7),
      event("turn_aborted", { turn_id: "t2", reason: "interrupted" }),
      ...asked("t3", "second"),
      A("two"),
      used("r3", "t3", 9),
      TD("t3"),
    );
    expect(described(await book.turns())).toEqual(["first: completed, 12", "second: completed, 9"]);
  });

  it("belongs to nobody while the prompt is not written", async () => {
    const lines = [M("s"), TS("t1"), used("r1", "t1", 7), compacted()];
    expect((await codex(...lines).audit()).sessions[0]?.owners).toMatchObject({ unowned: 7 });
    expect((await codex(...lines).audit()).balanced).toBe(true);
  });

  it("is told once, whichever of its two records comes first", async () => {
    const compactions = async (...lines: Line[]): Promise<number> => {
      const book = codex(M("s"), ...asked("t", "go"), A("a"), ...lines, A("b"), TD("t"));
      let found = 0;
      for await (const record of book.records("s")) if (record.type === "compacted") found++;
      return found;
    };
    expect(await compactions(compacted(), U(5, 5), marker)).toBe(1);
    expect(await compactions(marker, U(5, 5), compacted())).toBe(1);
    expect(await compactions(marker)).toBe(1);
    expect(await compactions(compacted())).toBe(1);
    // 0.144: both forms of the marker.
    expect(await compactions(compacted(), marker, ITEM("ContextCompaction"))).toBe(1);
    expect(await compactions(marker, ITEM("ContextCompaction"))).toBe(1);
    // The first has no marker: that of the second is not its own.
    expect(await compactions(compacted(), A("x"), marker, A("y"), marker, compacted())).toBe(3);
  });
});

describe("a turn that was cut off", () => {
  it("is aborted in a dialect that writes how turns end, whatever was said last", async () => {
    const book = codex(
      M("s"),
      ...asked("t1", "first"),
      A("I will begin."),
      ...asked("t2", "second"),
      A("done"),
      TD("t2"),
    );
    expect(described(await book.turns())).toEqual(["first: aborted, 0", "second: completed, 0"]);
  });

  it("may still be running when it is the last", async () => {
    expect(described(await codex(M("s"), ...asked("t1", "first"), A("I will begin.")).turns())).toEqual([
      "first: open, 0",
    ]);
  });

  it("was answered in a dialect that never says so", async () => {
    const book = codex(M("s"), ...prompt("first"), A("done"), ...prompt("second"), A("done"));
    expect(described(await book.turns())).toEqual(["first: completed, 0", "second: completed, 0"]);
  });

  it("shares the end of the one that steered it", async () => {
    const book = codex(M("s"), ...asked("t1", "first"), A("a"), ...prompt("and this"), A("b"), TD("t1"));
    expect(described(await book.turns())).toEqual(["first: completed, 0", "and this: completed, 0"]);
  });
});

describe("an empty answer", () => {
  it("is completed where it was paid for, and a failed request is not", async () => {
    const [empty, failed] = [
      [...asked("t", "go"), U(3, 3), TD("t")],
      [...asked("t", "go"), TD("t")],
    ];
    expect(described(await codex(M("s"), ...empty).turns())).toEqual(["go: completed, 3"]);
    expect(described(await codex(M("s"), ...failed).turns())).toEqual(["go: failed, 0"]);
    expect(described(await codex(M("s"), ...asked("t", "go"), used("r", "t", 4), TD("t")).turns())).toEqual([
      "go: completed, 4",
    ]);
    // What an earlier response cost says nothing about this one.
    const late = [...asked("t1", "one"), A("x"), TD("t1"), ...asked("t2", "two"), used("r", "t1", 4), TD("t2")];
    expect(described(await codex(M("s"), ...late).turns())).toEqual(["one: completed, 4", "two: failed, 0"]);
  });

  it("after work is completed as well", async () => {
    const lines = [
      ...asked("t", "go"),
      CALL("c", "shell", {}),
      OUT("c", "Exit code: 0\nWall time: 0 seconds\nOutput:\n"),
    ];
    expect(described(await codex(M("s"), ...lines, at("2026-05-12T08:00:09.000Z", TD("t"))).turns())).toEqual([
      "go: completed, 0",
    ]);
  });
});

describe("what a compaction keeps", () => {
  const compactedTo = (...history: object[]): Line =>
    codexLine("compacted", { message: "", replacement_history: history });
  const user = (text: string): object => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  const snapshot = (id: string, files: string[] = []): object => ({
    type: "ghost_snapshot",
    ghost_commit: { id, parent: "p0", preexisting_untracked_files: files, preexisting_untracked_dirs: ["tmp"] },
  });
  const records = async (...lines: Line[]): Promise<LogRecord[]> => {
    const found: LogRecord[] = [];
    for await (const record of codex(...lines).records("s")) found.push(record);
    return found;
  };

  it("of the user's words is told where they stand nowhere else, and once", async () => {
    const lost = user("Written in a part that is lost");
    const found = await records(
      M("s"),
      ...asked("t", "Plant the hedge"),
      A("a"),
      compactedTo(user(ENV), lost, user("Plant the hedge")),
      A("b"),
      compactedTo(lost, user("Plant the hedge")),
      TD("t"),
    );
    const compactions = found.filter((record) => record.type === "compacted");
    expect(compactions.map((record) => record.retained)).toEqual([["Written in a part that is lost"], undefined]);
    expect(compactions.map((record) => record.turn_id)).toEqual(["T0001", "T0001"]);
  });

  it("in a shorter form is known by its beginning", async () => {
    const long = `Plant the hedge along the whole northern side of the garden, ${"and so on ".repeat(9)}`;
    const short = user(`${long.slice(0, 60)}…310 tokens truncated…and so on`);
    const found = await records(M("s"), ...asked("t", long), A("a"), compactedTo(short), TD("t"));
    expect(found.find((record) => record.type === "compacted")).not.toHaveProperty("retained");
  });

  it("is no prompt, and can be found", async () => {
    const lines = [M("s"), ...asked("t", "go"), A("a"), compactedTo(user("an unheard of quincunx")), TD("t")];
    const dir = mkdtempSync(join(tmpdir(), "daybook-kept-"));
    try {
      write(join(dir, "files", "rollout-s.jsonl"), lines);
      const book = new Daybook({
        roots: { codex: [join(dir, "files")] },
        env: {},
        home: "/nowhere",
        book: join(dir, "book"),
      });
      expect(await book.turns()).toHaveLength(1);
      const hits = await book.search("quincunx", {});
      expect(hits).toMatchObject([{ line: 7, turn_ref: "T0001" }]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it("of snapshots is told when it is another than the last", async () => {
    const found = await records(
      M("s"),
      ...asked("t", "go"),
      codexLine("response_item", snapshot("g1", ["notes.md"])),
      A("a"),
      compactedTo(snapshot("g1"), snapshot("g0")),
      TD("t"),
    );
    const states = found.flatMap((record) => (record.type === "context" && record.git ? [record.git] : []));
    expect(states).toEqual([
      { ghost_commit: "g1", ghost_parent: "p0", untracked_files: ["notes.md"], untracked_dirs: ["tmp"] },
      { ghost_commit: "g0", ghost_parent: "p0", untracked_files: [], untracked_dirs: ["tmp"] },
    ]);
  });
});

describe("settings of a turn", () => {
  it("hold the context window, the summaries and what the sandbox keeps closed", async () => {
    const policy = { type: "workspace-write", exclude_slash_tmp: true, exclude_tmpdir_env_var: false };
    const open = { type: "danger-full-access" };
    const book = codex(
      M("s"),
      event("task_started", { turn_id: "a", model_context_window: 258400 }),
      TC({ sandbox_policy: policy, summary: "auto" }),
      ...prompt("one"),
      A("1"),
      TD("a"),
      TS("b"),
      TC({ sandbox_policy: open }),
      ...prompt("two"),
      event("token_count", { info: { model_context_window: 400000 } }),
      A("2"),
      TD("b"),
    );
    expect((await book.turns()).map(({ context }) => context)).toMatchObject([
      { context_window: 258400, reasoning_summary: "auto", sandbox_excludes: ["slash_tmp"] },
      { context_window: 400000, reasoning_summary: "auto", sandbox_excludes: null },
    ]);
  });
});

describe("a review", () => {
  it("keeps severity and confidence", async () => {
    const output = {
      findings: [{ file: "a.ts", line: 3, severity: "warning", message: "hm" }],
      overall_correctness: "patch is correct",
      overall_explanation: "fine",
      overall_confidence_score: 0.9,
    };
    const lines = [TS("t"), event("entered_review_mode", { user_facing_hint: "it" })];
    for await (const record of codex(
      M("s"),
      ...lines,
      event("exited_review_mode", { review_output: output }),
      TD("t"),
    ).records("s"))
      if (record.type === "assistant_finished" && record.review)
        expect(record.review).toMatchObject({
          findings: [{ severity: "warning", path: "a.ts", start_line: 3 }],
          overall_confidence: 0.9,
        });
    expect.assertions(1);
  });
});

describe("a file without header", () => {
  it("is named", async () => {
    const problems = async (...lines: Line[]): Promise<object[]> => {
      const book = codex(...lines);
      await book.sessions();
      return await book.problems();
    };
    expect(await problems(...prompt("go"), A("done"))).toMatchObject([{ code: "header_missing", line: 1 }]);
    expect(await problems(M("s"), ...prompt("go"))).toEqual([]);
    // One that stands further down is a header all the same.
    expect(await problems(TC(), M("s"), ...prompt("go"))).toEqual([]);
  });
});
