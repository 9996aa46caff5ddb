import { describe, expect, it } from "vitest";
import { commandOf } from "./commands.ts";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Entry } from "../contract.ts";
import { sessionIdOf } from "./identity.ts";
import { readRun } from "./read.ts";
import {
  announcements,
  bodies,
  header,
  message,
  prompt,
  prompts,
  read,
  refsOf,
  reply,
  REPORT,
  writeHistory,
} from "./testing.ts";

const HEAD = header() + announcements();

function draft(text: string): FileDraft {
  const ref = refsOf(writeHistory(text)).at(-1);
  if (!ref) throw new Error("no run");
  return buildDraft(ref, sessionIdOf(ref), readRun(ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

const outcomes = (text: string): string[] => draft(text).turns.map((turn) => turn.outcome);
const of = (entries: readonly Entry[], reason: string): Entry[] => entries.filter((entry) => entry.reason === reason);

describe("who wrote a `####` line", () => {
  it("takes all lines of a prompt together, without Aider's line breaks", () => {
    const entries = read(HEAD + prompt("one\n\n  three") + reply("ok"));
    expect(prompts(entries)).toEqual(["prompt: one\n\n  three"]);
    expect(of(entries, "aider.prompt.more").map((entry) => entry.class)).toEqual(["reaction", "reaction"]);
  });

  it("leaves headings of replies to the replies, in and outside code", () => {
    const text = "Plan\n\n#### Step one\n\n```md\n\n\n#### Step two\n```\n\nEnd.";
    const entries = read(HEAD + prompt("go") + reply(text) + REPORT + prompt("next"));
    expect(prompts(entries)).toEqual(["prompt: go", "prompt: next"]);
    expect(bodies(entries, "assistant_finished")[0]?.text).toBe(text);
  });

  it("finds the prompt after a reply that was cut inside its code", () => {
    const cut = reply("```py\nx = 1\n\n\n#### not yet");
    expect(prompts(read(HEAD + prompt("go") + cut + prompt("again")))).toEqual(["prompt: go", "prompt: again"]);
  });

  it("does the same by structure alone when an editor stripped the line ends", () => {
    const text = "Plan\n\n#### Step one\n\n```md\n\n\n#### Step two\n> quoted\n```\n\nEnd.";
    const stripped = (HEAD + prompt("go\non") + reply(text) + REPORT + prompt("next")).replaceAll(/ +\n/g, "\n");
    expect(prompts(read(stripped))).toEqual(["prompt: go\non", "prompt: next"]);
  });

  it("knows the second prompt of a command", () => {
    const entries = read(HEAD + prompt("/ask why?") + prompt("why?") + reply("Because.") + REPORT);
    expect(prompts(entries)).toEqual(["command: /ask why?"]);
    expect(of(entries, "aider.prompt.repeated")).toHaveLength(1);
    expect(draft(HEAD + prompt("/ask why?") + prompt("why?") + reply("x")).turns[0]?.trigger.echo_line).not.toBeNull();
    const help = read(
      HEAD + prompt("/help models") + prompt("# Question: models\n\n# Relevant docs:\n…") + reply("So."),
    );
    expect(prompts(help)).toEqual(["command: /help models"]);
  });

  it("does not take the next prompt for the second one of a command that was stopped", () => {
    const stopped = HEAD + prompt("/ask why?") + message("^C again to exit") + prompt("something else") + reply("ok");
    expect(prompts(read(stopped))).toEqual(["command: /ask why?", "prompt: something else"]);
  });

  it("knows answers to group questions and empty input", () => {
    const question = "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: all";
    const entries = read(HEAD + prompt("go") + reply("ok") + prompt(question) + prompt("<blank>"));
    expect(prompts(entries)).toEqual(["prompt: go"]);
    expect(of(entries, "aider.prompt.confirmation").map((entry) => entry.class)).toEqual(["reaction"]);
    expect(of(entries, "aider.prompt.blank").map((entry) => entry.class)).toEqual(["session"]);
  });
});

function entryOf(command: string): unknown {
  return bodies(read(header() + announcements(command) + prompt("a")), "user")[0]?.entry;
}

describe("commands", () => {
  it("start no turn when Aider handles them alone, under any short name", () => {
    const text = ["/add a.py", "/tok", "/ex", "/diff", "/model x", "/ask"].map((line) => prompt(line) + message("ok"));
    const entries = read(HEAD + text.join(""));
    expect(prompts(entries)).toEqual([]);
    expect(of(entries, "aider.command.local")).toHaveLength(6);
    expect(["/tok", "/ex"].map((line) => commandOf(line)?.name)).toEqual(["tokens", "exit"]);
  });

  it("start a turn when a model answered", () => {
    const entries = read(
      HEAD + prompt("/clip") + reply("I see text.") + REPORT + prompt("/clip") + message("No image"),
    );
    expect(prompts(entries)).toEqual(["command: /clip"]);
    expect(prompts(read(HEAD + prompt("/commit") + message("Commit 1234567 feat: x") + prompt("/ex")))).toHaveLength(1);
    expect(prompts(read(HEAD + prompt("/commit mine") + message("Commit 1234567 mine") + prompt("/ex")))).toEqual([]);
  });

  it("run programs for the human, with what they printed", () => {
    const run =
      prompt("/run make") + message("a\n\n# b") + message("Add the output to the chat?\n(y/n/instructions) n");
    const found = draft(HEAD + run + prompt("!ls") + message("x") + prompt("/ex"));
    expect(found.turns.map((turn) => [turn.trigger.kind, turn.trigger.text, turn.outcome])).toEqual([
      ["shell", "/run make", "completed"],
      ["shell", "!ls", "completed"],
    ]);
    expect(found.tools.map((call) => [call.input, call.status, call.exit_code])).toEqual([
      [{ command: "make" }, "ok", null],
      [{ command: "ls" }, "ok", null],
    ]);
    expect(
      bodies(read(HEAD + run), "tool_finished")[0]
        ?.output?.split("\n")
        .slice(0, 3),
    ).toEqual(["a", "", "# b"]);
  });

  it("say who typed as far as the command line tells", () => {
    expect(entryOf("/usr/bin/aider --msg a")).toBe("headless");
    expect(entryOf("aider src/a.py")).toBe("interactive");
    expect(bodies(read(header() + prompt("a")), "user")[0]?.entry).toBe("unknown");
  });
});

describe("how turns end", () => {
  it("with the report, edits and commits included", () => {
    const text =
      HEAD + prompt("a") + reply("b") + REPORT + message("Applied edit to x.py") + message("Commit abcdef1 feat: x");
    const found = draft(text);
    expect(found.turns[0]?.outcome).toBe("completed");
    expect(found.turns[0]?.files).toEqual([{ path: "x.py", operation: "modified", line: 14 }]);
    expect(found.tools.map((call) => [call.name, call.status])).toEqual([
      ["edit", "ok"],
      ["commit", "ok"],
    ]);
  });

  it("with Ctrl-C while the model works, not with Ctrl-C at the prompt", () => {
    const stop = message("") + message("") + message("^C again to exit");
    expect(outcomes(HEAD + prompt("a") + stop + reply("half") + prompt("b") + reply("c") + REPORT + stop)).toEqual([
      "aborted",
      "completed",
    ]);
  });

  it("with an error that was not tried again", () => {
    const error = message("litellm.APIError: overloaded");
    expect(outcomes(HEAD + prompt("a") + error + message("Retrying in 0.2 seconds...") + reply("b") + REPORT)).toEqual([
      "completed",
    ]);
    expect(outcomes(HEAD + prompt("a") + error + prompt("/ex"))).toEqual(["failed"]);
  });

  it("not at all while the model is asked again", () => {
    const again = message("The LLM did not conform to the edit format.");
    expect(outcomes(HEAD + prompt("a") + reply("b") + REPORT + again)).toEqual(["open"]);
    const found = draft(HEAD + prompt("a") + reply("b") + REPORT + again + reply("c") + REPORT);
    expect(found.turns.map((turn) => [turn.outcome, turn.final_text])).toEqual([["completed", "c"]]);
    expect(found.tools.map((call) => call.status)).toEqual(["failed"]);
  });

  it("knows new files and refused edits", () => {
    const text =
      message("new.py") + message("Create new file? (Y)es/(N)o [Yes]: y") + message("Applied edit to new.py");
    const found = draft(HEAD + prompt("a") + reply("b") + REPORT + text + message("Skipping edits to old.py"));
    expect(found.turns[0]?.files.map((file) => file.operation)).toEqual(["created"]);
    expect(found.tools.map((call) => call.status)).toEqual(["ok", "denied"]);
  });
});
