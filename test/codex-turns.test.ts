import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogRecord } from "../src/record/record.ts";
import { Daybook } from "../src/answers/daybook.ts";
import type { TurnView } from "../src/views/turn-view.ts";
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

// No genuine files of these shapes are available: the lines are minimal, with the order and fields of 0.130 and 0.166.

const compacted = (message = "summary"): Line => codexLine("compacted", { message, replacement_history: [] });
const marker = event("context_compacted");
const prompt = (text: string): Line[] => [R(text), E(text)];
const turnStart = (turn: string, text: string): Line[] => [TS(turn), TC({ turn_id: turn }), ...prompt(text)];

function usageRecord(id: string, turn: string, output: number): Line {
  return codexLine("token_usage_record", { response_id: id, turn_id: turn, usage: { output_tokens: output } });
}

const summaries = (turns: readonly TurnView[]): string[] =>
  turns.map((turn) => `${turn.trigger.text}: ${turn.outcome}, ${turn.usage.output_tokens}`);

describe("a compaction", () => {
  it("before a prompt belongs to the turn whose task it runs in (0.166)", async () => {
    const book = codex(
      M("s"),
      ...turnStart("t1", "first"),
      A("one"),
      usageRecord("r1", "t1", 5),
      TD("t1"),
      TS("t2"),
      usageRecord("r2", "t2", 7),
      compacted(),
      codexLine("world_state", {}),
      TC({ turn_id: "t2" }),
      ITEM("ContextCompaction"),
      ...prompt("second"),
      A("two"),
      usageRecord("r3", "t2", 9),
      TD("t2"),
    );
    expect(summaries(await book.turns())).toEqual(["first: completed, 5", "second: completed, 16"]);
    const [record] = await book.explain("s:10");
    expect(record).toMatchObject({ class: "early", turn_ref: "T0002" });
    const audit = await book.audit();
    expect(audit.balanced).toBe(true);
    expect(audit.sessions[0]?.owners).toEqual({ own_turns: 21, causing_turns: 0, unowned: 0 });
    // The header belongs to the session; two task_started, two turn_context and one world_state records are setup.
    expect(audit.sessions[0]?.records).toMatchObject({
      records_read: 19,
      session_level: 1,
      setup: 5,
      owned_by_turns: 13,
    });
  });

  it("before a prompt belongs to the turn of its task even if usage records have no turn id (0.130)", async () => {
    const book = codex(
      M("s"),
      ...turnStart("t1", "first"),
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
    expect(summaries(await book.turns())).toEqual(["first: completed, 5", "second: completed, 16"]);
  });

  it("aborted before the prompt of its task belongs to the previous turn", async () => {
    const book = codex(
      M("s"),
      ...turnStart("t1", "first"),
      A("one"),
      usageRecord("r1", "t1", 5),
      TD("t1"),
      TS("t2"),
      usageRecord("r2", "t2", 7),
      event("turn_aborted", { turn_id: "t2", reason: "interrupted" }),
      ...turnStart("t3", "second"),
      A("two"),
      usageRecord("r3", "t3", 9),
      TD("t3"),
    );
    expect(summaries(await book.turns())).toEqual(["first: completed, 12", "second: completed, 9"]);
  });

  it("belongs to no turn until the prompt of its task is written", async () => {
    const lines = [M("s"), TS("t1"), usageRecord("r1", "t1", 7), compacted()];
    expect((await codex(...lines).audit()).sessions[0]?.owners).toMatchObject({ unowned: 7 });
    expect((await codex(...lines).audit()).balanced).toBe(true);
  });

  it("is one record, whichever of its two native records is first", async () => {
    const compactions = async (...lines: Line[]): Promise<number> => {
      const book = codex(M("s"), ...turnStart("t", "go"), A("a"), ...lines, A("b"), TD("t"));
      let found = 0;
      for await (const record of book.records("s")) if (record.type === "compacted") found++;
      return found;
    };
    expect(await compactions(compacted(), U(5, 5), marker)).toBe(1);
    expect(await compactions(marker, U(5, 5), compacted())).toBe(1);
    expect(await compactions(marker)).toBe(1);
    expect(await compactions(compacted())).toBe(1);
    // 0.144 writes both forms of the marker.
    expect(await compactions(compacted(), marker, ITEM("ContextCompaction"))).toBe(1);
    expect(await compactions(marker, ITEM("ContextCompaction"))).toBe(1);
    // Records separated by an answer are different compactions.
    expect(await compactions(compacted(), A("x"), marker, A("y"), marker, compacted())).toBe(3);
  });
});

describe("a turn without an end record", () => {
  it("is aborted if the file records the end of other turns, even after an answer", async () => {
    const book = codex(
      M("s"),
      ...turnStart("t1", "first"),
      A("I will begin."),
      ...turnStart("t2", "second"),
      A("done"),
      TD("t2"),
    );
    expect(summaries(await book.turns())).toEqual(["first: aborted, 0", "second: completed, 0"]);
  });

  it("is open if it is the last turn", async () => {
    expect(summaries(await codex(M("s"), ...turnStart("t1", "first"), A("I will begin.")).turns())).toEqual([
      "first: open, 0",
    ]);
  });

  it("is completed after an answer if the file records the end of no turn", async () => {
    const book = codex(M("s"), ...prompt("first"), A("done"), ...prompt("second"), A("done"));
    expect(summaries(await book.turns())).toEqual(["first: completed, 0", "second: completed, 0"]);
  });

  it("has the outcome of its task if another prompt steered it", async () => {
    const book = codex(M("s"), ...turnStart("t1", "first"), A("a"), ...prompt("and this"), A("b"), TD("t1"));
    expect(summaries(await book.turns())).toEqual(["first: completed, 0", "and this: completed, 0"]);
  });
});

describe("a turn without answer text", () => {
  it("is completed if usage was recorded in its task, and failed otherwise", async () => {
    const [empty, failed] = [
      [...turnStart("t", "go"), U(3, 3), TD("t")],
      [...turnStart("t", "go"), TD("t")],
    ];
    expect(summaries(await codex(M("s"), ...empty).turns())).toEqual(["go: completed, 3"]);
    expect(summaries(await codex(M("s"), ...failed).turns())).toEqual(["go: failed, 0"]);
    expect(summaries(await codex(M("s"), ...turnStart("t", "go"), usageRecord("r", "t", 4), TD("t")).turns())).toEqual([
      "go: completed, 4",
    ]);
    // Usage of an earlier turn does not count for this one.
    const late = [
      ...turnStart("t1", "one"),
      A("x"),
      TD("t1"),
      ...turnStart("t2", "two"),
      usageRecord("r", "t1", 4),
      TD("t2"),
    ];
    expect(summaries(await codex(M("s"), ...late).turns())).toEqual(["one: completed, 4", "two: failed, 0"]);
  });

  it("is completed if a tool call ran", async () => {
    const lines = [
      ...turnStart("t", "go"),
      CALL("c", "shell", {}),
      OUT("c", "Exit code: 0\nWall time: 0 seconds\nOutput:\n"),
    ];
    expect(summaries(await codex(M("s"), ...lines, at("2026-05-12T08:00:09.000Z", TD("t"))).turns())).toEqual([
      "go: completed, 0",
    ]);
  });
});

describe("the history retained by a compaction", () => {
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

  it("yields a user message once, and only if no other record has it", async () => {
    const lost = user("Written in a part that is lost");
    const found = await records(
      M("s"),
      ...turnStart("t", "Plant the hedge"),
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

  it("does not yield a truncated copy of a message, recognised by its beginning", async () => {
    const long = `Plant the hedge along the whole northern side of the garden, ${"and so on ".repeat(9)}`;
    const short = user(`${long.slice(0, 60)}…310 tokens truncated…and so on`);
    const found = await records(M("s"), ...turnStart("t", long), A("a"), compactedTo(short), TD("t"));
    expect(found.find((record) => record.type === "compacted")).not.toHaveProperty("retained");
  });

  it("creates no turn and can be searched", async () => {
    const lines = [M("s"), ...turnStart("t", "go"), A("a"), compactedTo(user("an unheard of quincunx")), TD("t")];
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

  it("yields a ghost snapshot that differs from the last one", async () => {
    const found = await records(
      M("s"),
      ...turnStart("t", "go"),
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
  it("include the context window, reasoning summaries and sandbox exclusions", async () => {
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
  it("is reported as a problem", async () => {
    const problems = async (...lines: Line[]): Promise<object[]> => {
      const book = codex(...lines);
      await book.sessions();
      return await book.problems();
    };
    expect(await problems(...prompt("go"), A("done"))).toMatchObject([{ code: "header_missing", line: 1 }]);
    expect(await problems(M("s"), ...prompt("go"))).toEqual([]);
    // A header need not be on the first line.
    expect(await problems(TC(), M("s"), ...prompt("go"))).toEqual([]);
  });
});
