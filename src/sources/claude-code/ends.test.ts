import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";
import { SESSION, assistant, fixtures, record, result, text, tool, user } from "./testing.ts";

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

const filler = (): Native =>
  assistant([text("No response requested.")], { model: "<synthetic>", stop: "stop_sequence" }, {});
const asks = (): Native => assistant([text("I look."), tool("t", "Bash")], { stop: "tool_use" });
const answers = (stop: string | null = "end_turn"): Native => assistant([text("Done.")], { stop });
const summary = (): Native => record("system", { subtype: "stop_hook_summary", hookCount: 1, hookErrors: [] });

describe("how a turn ended", () => {
  it("a run that was killed between a result and its answer was aborted, as genuine files have it", () => {
    expect(genuine("claude-2.1.325-n2", "5219b422")).toEqual(["aborted", "completed"]);
    expect(genuine("claude-2.1.325-n2", "e209c091")).toEqual(["aborted", "completed"]);
    expect(genuine("claude-2.1.325-tui3", "275337d1").slice(-2)).toEqual(["aborted", "completed"]);
  });

  it("what stands in for an answer nobody gave ends the turn, whether or not anything follows", () => {
    expect(outcomes(user("a"), asks(), user([result("t", "x")]), filler())).toEqual(["aborted"]);
    expect(outcomes(user("a"), filler(), user("b"), answers())).toEqual(["aborted", "completed"]);
    expect(outcomes(user("a"), answers(), filler(), user("b"), answers())).toEqual(["completed", "completed"]);
    // Releases that state no stop reasons.
    expect(outcomes(user("a"), answers(null), filler(), user("b"), answers(null))).toEqual(["completed", "completed"]);
  });

  it("without any stop reason, a turn that stopped at a result was cut off", () => {
    expect(outcomes(user("a"), assistant([tool("t", "Bash")]), user([result("t", "x")]), user("b"))).toEqual([
      "aborted",
      "open",
    ]);
  });

  it("stop hooks run after the answer, also where no stop reason was written", () => {
    const before = [user("a"), answers(), user("b")];
    expect(outcomes(...before, answers(null))).toEqual(["completed", "open"]);
    expect(outcomes(...before, answers(null), summary())).toEqual(["completed", "completed"]);
    const attached = (type: string): Native =>
      record("attachment", { attachment: { type, hookEvent: "Stop", hookName: "Stop" } });
    expect(outcomes(...before, answers(null), attached("hook_success"))).toEqual(["completed", "completed"]);
    expect(outcomes(...before, answers(null), attached("hook_blocking_error"))).toEqual(["completed", "open"]);
    const progress = record("progress", { data: { type: "hook_progress", hookEvent: "Stop" } });
    expect(outcomes(...before, answers(null), progress)).toEqual(["completed", "completed"]);
    // An interrupt is not undone, and work that goes on is not over.
    const marker = user([text("[Request interrupted by user]")]);
    expect(outcomes(...before, answers(null), marker, summary())).toEqual(["completed", "aborted"]);
    expect(outcomes(...before, answers(null), summary(), asks())).toEqual(["completed", "open"]);
  });

  it("an answer without words is one where the agent says that it is done", () => {
    expect(outcomes(user("a"), assistant([], { stop: "end_turn" }))).toEqual(["completed"]);
    expect(outcomes(user("a"), assistant([text("")], { stop: "end_turn" }), user("b"))).toEqual(["completed", "open"]);
  });
});
