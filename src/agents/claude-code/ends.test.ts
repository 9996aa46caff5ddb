import { fileURLToPath } from "node:url";
import { buildDraft } from "../../turns/builder.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";
import { assistant, fixtures, record, result, SESSION, text, tool, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { corpusFiles, refOf, writeSession } = fixtures;

function outcomesAt(path: string, detail: "full" | "lean" = "full"): string[] {
  const ref = refOf(path);
  const draft = buildDraft(ref, SESSION, readSession(ref, null, { detail }), { ledger: false, toolDetail: false });
  return draft.turns.map((turn) => turn.outcome);
}

function outcomes(...records: Native[]): string[] {
  const path = writeSession(records);
  expect(outcomesAt(path, "lean")).toEqual(outcomesAt(path));
  return outcomesAt(path);
}

const genuine = (label: string, session: string): string[] => {
  const corpus = fileURLToPath(new URL(`../../../test/fixtures/corpus-2/${label}/`, import.meta.url));
  return outcomesAt(corpusFiles(corpus).find((path) => path.includes(session)) ?? "");
};

const single = (session: string): string[] =>
  outcomesAt(
    corpusFiles(fileURLToPath(new URL("../../../test/fixtures/claude/", import.meta.url))).find((path) =>
      path.includes(session),
    ) ?? "",
  );

const placeholder = (): Native =>
  assistant([text("No response requested.")], { model: "<synthetic>", stop: "stop_sequence" }, {});
const callsTool = (): Native => assistant([text("I look."), tool("t", "Bash")], { stop: "tool_use" });
const answers = (stop: string | null = "end_turn"): Native => assistant([text("Done.")], { stop });
const hookSummary = (): Native => record("system", { subtype: "stop_hook_summary", hookCount: 1, hookErrors: [] });

describe("the outcome of a turn", () => {
  it("is aborted if the run was killed between a tool result and the response (genuine files)", () => {
    expect(genuine("claude-2.1.325-n2", "5219b422")).toEqual(["aborted", "completed"]);
    expect(genuine("claude-2.1.325-n2", "e209c091")).toEqual(["aborted", "completed"]);
    expect(genuine("claude-2.1.325-tui3", "275337d1").slice(-2)).toEqual(["aborted", "completed"]);
  });

  it("is aborted by a placeholder response, unless a real response came before it", () => {
    expect(outcomes(user("a"), callsTool(), user([result("t", "x")]), placeholder())).toEqual(["aborted"]);
    expect(outcomes(user("a"), placeholder(), user("b"), answers())).toEqual(["aborted", "completed"]);
    expect(outcomes(user("a"), answers(), placeholder(), user("b"), answers())).toEqual(["completed", "completed"]);
    // Releases that state no stop reasons.
    expect(outcomes(user("a"), answers(null), placeholder(), user("b"), answers(null))).toEqual([
      "completed",
      "completed",
    ]);
  });

  it("is aborted if the turn stops at a tool result and no stop reasons are written", () => {
    expect(outcomes(user("a"), assistant([tool("t", "Bash")]), user([result("t", "x")]), user("b"))).toEqual([
      "aborted",
      "open",
    ]);
  });

  it("is completed once a Stop hook has run, even without a stop reason", () => {
    const before = [user("a"), answers(), user("b")];
    expect(outcomes(...before, answers(null))).toEqual(["completed", "open"]);
    expect(outcomes(...before, answers(null), hookSummary())).toEqual(["completed", "completed"]);
    const attached = (type: string): Native =>
      record("attachment", { attachment: { type, hookEvent: "Stop", hookName: "Stop" } });
    expect(outcomes(...before, answers(null), attached("hook_success"))).toEqual(["completed", "completed"]);
    expect(outcomes(...before, answers(null), attached("hook_blocking_error"))).toEqual(["completed", "open"]);
    const progress = record("progress", { data: { type: "hook_progress", hookEvent: "Stop" } });
    expect(outcomes(...before, answers(null), progress)).toEqual(["completed", "completed"]);
    // A hook does not undo an interrupt, and a tool call after the hook reopens the turn.
    const marker = user([text("[Request interrupted by user]")]);
    expect(outcomes(...before, answers(null), marker, hookSummary())).toEqual(["completed", "aborted"]);
    expect(outcomes(...before, answers(null), hookSummary(), callsTool())).toEqual(["completed", "open"]);
  });

  it("is completed at the end of a file by a response that states no reason, if its release does not (2.0.76)", () => {
    expect(single("a711d51a")).toEqual(["completed", "completed", "completed", "completed"]);
  });

  it("is open if the run was killed between two blocks of a response (2.1.88)", () => {
    expect(single("c7dfc26b")).toEqual(["completed", "completed", "open"]);
  });

  it("depends, at the end of a file, on whether its release states reasons", () => {
    const turn = (version: string, stop: string | null, text = "go"): Native[] => [
      user(text, { version }),
      assistant([{ type: "text", text: "Done." }], { stop }, { version }),
    ];
    expect(outcomes(...turn("2.1.19", "end_turn"), ...turn("2.1.19", null))).toEqual(["completed", "completed"]);
    expect(outcomes(...turn("2.1.62", null))).toEqual(["open"]);
    expect(outcomes(...turn("2.1.62", "end_turn"), ...turn("2.1.62", null))).toEqual(["completed", "open"]);
    // This file shows that responses can end without a reason.
    expect(outcomes(...turn("2.1.62", null), ...turn("2.1.62", null))).toEqual(["completed", "completed"]);
    expect(outcomes(...turn("2.1.62", null), ...turn("2.1.327", null))).toEqual(["completed", "open"]);
    // A response that was interrupted shows nothing of the kind, nor does a stream that broke and was requested again.
    const marker = user([text("[Request interrupted by user]")], { version: "2.1.62" });
    expect(outcomes(...turn("2.1.62", null), marker, ...turn("2.1.62", null))).toEqual(["aborted", "open"]);
    const again = assistant([text("Done.")], { id: "second", stop: null }, { version: "2.1.62" });
    expect(outcomes(...turn("2.1.62", null), again)).toEqual(["open"]);
    // A stated reason other than the end, and a stream that was cut.
    expect(outcomes(user("a"), assistant([text("I look.")], { stop: "tool_use" }))).toEqual(["open"]);
    const cut = { isAbortedMidStream: true, version: "2.1.19" };
    expect(outcomes(user("a"), assistant([text("I am")], {}, cut))).toEqual(["open"]);
  });

  it("is completed by an empty response with stop reason end_turn", () => {
    expect(outcomes(user("a"), assistant([], { stop: "end_turn" }))).toEqual(["completed"]);
    expect(outcomes(user("a"), assistant([text("")], { stop: "end_turn" }), user("b"))).toEqual(["completed", "open"]);
  });
});
