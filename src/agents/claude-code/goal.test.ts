import { fileURLToPath } from "node:url";
import { buildDraft } from "../../turns/builder.ts";
import type { Entry } from "../contract.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";
import { assistant, fixtures, record, SESSION, text, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read, refOf } = fixtures;

/** The turns of a genuine session: prompt, kind, outcome, number of calls, output tokens. */
function turnsOf(session: string): unknown[] {
  const path = fileURLToPath(new URL(`../../../test/fixtures/claude/${session}.jsonl`, import.meta.url));
  const ref = refOf(path);
  const draft = buildDraft(ref, SESSION, readSession(ref, null, { detail: "full" }), {
    ledger: false,
    toolDetail: false,
  });
  const sum = (turn: number): number =>
    draft.usage.filter((one) => one.turn === turn).reduce((all, { output_tokens }) => all + output_tokens, 0);
  return draft.turns.map(({ index, trigger, outcome }) => [
    trigger.text.replace(/ \[lab:\w+\]$/, ""),
    trigger.kind,
    outcome,
    draft.tools.filter((call) => call.turn === index).length,
    sum(index),
  ]);
}

const status = (fields: Native): Native => record("attachment", { attachment: { type: "goal_status", ...fields } });
const set = (condition: string): Native => status({ met: false, sentinel: true, condition });
const command = (args: string): Native =>
  user(
    `<command-name>/goal</command-name><command-message>goal</command-message><command-args>${args}</command-args>`,
    { promptId: "p" },
  );
const printed = (words: string, fields: Native = {}): Native =>
  user(`<local-command-stdout>${words}</local-command-stdout>`, { promptId: "p", ...fields });
const directive = (fields: Native = {}): Native =>
  user("A Stop hook is now active", { isMeta: true, promptId: "p", ...fields });
const reply = (): Native => assistant([text("Done.")], { stop: "end_turn" });
const verdicts = (entries: readonly Entry[]): string[] =>
  entries.map(({ class: cls, reason }) => `${cls} ${reason.slice("claude.".length)}`);

describe("a goal", () => {
  it("is a prompt that owns its work and that of its checks (genuine file, 2.1.327)", () => {
    expect(turnsOf("54f4a5a8-f4c2-43aa-b1ed-11710060b659")).toEqual([
      ["Plain first.", "prompt", "completed", 0, 258],
      ["/goal list the files of this directory", "command", "completed", 2, 259 + 260 + 262 + 263],
      ["What did you find?", "prompt", "completed", 0, 265],
      ["/goal tell me the weather until I stop you", "command", "completed", 0, 266],
      ["And after the goal.", "prompt", "completed", 0, 268],
      ["A slow one.", "prompt", "completed", 0, 269],
      // Typed while the agent answered the prompt before: there is no record of the command.
      ["/goal queued goal please", "queued", "completed", 0, 271],
    ]);
  });

  it("is a prompt in releases that do not say who opened a turn (genuine file, 2.1.142)", () => {
    expect(turnsOf("13d16cf8-d988-4522-9e77-99aac638eec6").map((turn) => (turn as unknown[]).slice(0, 4))).toEqual([
      ["Plain first.", "prompt", "completed", 0],
      ["/goal list the files of this directory", "command", "completed", 2],
      ["What did you find?", "prompt", "completed", 0],
    ]);
  });

  it("is a prompt within the running turn if it was typed while a command ran (genuine file, 2.1.327)", () => {
    expect(turnsOf("a38cfc9d-e40f-43f0-8054-f5a384c5c820")).toEqual([
      ["Sleep eight.", "prompt", "completed", 1, 302],
      ["/goal list the files of this directory", "queued", "completed", 2, 303 + 304 + 306 + 307],
      ["What did you find?", "prompt", "completed", 0, 309],
    ]);
  });

  it("is not set again by the note that follows a compaction, and is none once it was met or cleared", () => {
    const before = [user("go"), reply(), set("x"), command("x"), printed("Goal set: x"), directive(), reply()];
    expect(verdicts(read(before)).slice(2, 5)).toEqual([
      "setup goal.before_command",
      "trigger command.model",
      "reaction user.command_output",
    ]);
    const told = (text: string): Native =>
      user(text, { origin: { kind: "auto-continuation" }, promptSource: "system" });
    const last = (...records: Native[]): string | undefined => verdicts(read([...before, ...records])).at(-1);
    expect(last(set("y"), told("Goal set: y"))).toBe("trigger goal.delivered");
    // The note of a compaction, and texts of the client that quote nothing or quote it once more.
    expect(last(set("x"), told("Goal set: x"))).toBe("reaction user.origin_other");
    expect(last(set("y"), told("Goal set: z"))).toBe("reaction user.origin_other");
    expect(last(set("y"), told("Goal set: y"), told("Goal set: y"))).toBe("reaction user.origin_other");
    expect(last(set("y"), user("y", { origin: { kind: "human" } }))).toBe("trigger user.origin_human");
    // The same goal may be set again once it is no longer active.
    for (const end of [
      status({ met: true, condition: "x", reason: "it is" }),
      status({ met: false, failed: true, condition: "x" }),
      status({ met: true, sentinel: true, condition: "x" }),
    ])
      expect(last(end, set("x"), told("Goal set: x"))).toBe("trigger goal.delivered");
    expect(last(status({ met: true, sentinel: true, condition: "x" }))).toBe("session goal.cleared");
  });
});

describe("a command that prints something and then instructs the model", () => {
  const effect = (...rest: Native[]): string | undefined => verdicts(read([command("x"), ...rest]))[0];

  it.each([
    ["a text for the model, and its response", "trigger command.model", [directive(), reply()]],
    [
      "a text for the model, and an interrupt",
      "trigger command.model",
      [directive(), user("[Request interrupted by user]")],
    ],
    ["a text for the model, and the end of the file", "trigger command.model", [directive()]],
    ["a text for the model, and another prompt", "session command.local", [directive(), user("next")]],
    ["a text of another prompt, and a response", "session command.local", [directive({ promptId: "q" }), reply()]],
    [
      "a reminder, and a response",
      "session command.local",
      [user("<system-reminder>r</system-reminder>", { isMeta: true, promptId: "p" }), reply()],
    ],
    ["a response", "session command.local", [reply()]],
  ])("is judged by what follows its output: %s", (_, expected, rest) => {
    expect(effect(printed("done"), ...rest)).toBe(expected);
  });

  it("opens a turn if its output says so", () => {
    expect(effect(printed("done", { turnOrigin: "human" }))).toBe("trigger command.model");
  });
});
