import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Entry } from "../contract.ts";
import { sessionIdOf } from "./native.ts";
import { readRun } from "./read.ts";
import { commandOf } from "./rules.ts";
import {
  REPORT,
  announcements,
  bodies,
  header,
  message,
  prompt,
  prompts,
  read,
  refsOf,
  reply,
  writeHistory,
} from "./testing.ts";

const HEAD = header() + announcements();

function draft(text: string): FileDraft {
  const ref = refsOf(writeHistory(text)).at(-1);
  if (!ref) throw new Error("no run");
  return buildDraft(ref, sessionIdOf(ref), readRun(ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

const outcomes = (text: string): string[] => draft(text).turns.map((turn) => turn.outcome);
const withReason = (entries: readonly Entry[], reason: string): Entry[] =>
  entries.filter((entry) => entry.reason === reason);

describe("recognising prompts in `####` lines", () => {
  it("joins all lines of a prompt, without the spaces that Aider appends", () => {
    const entries = read(HEAD + prompt("one\n\n  three") + reply("ok"));
    expect(prompts(entries)).toEqual(["prompt: one\n\n  three"]);
    expect(withReason(entries, "aider.prompt.more").map((entry) => entry.class)).toEqual(["reaction", "reaction"]);
  });

  it("leaves `####` headings in replies to the replies, inside and outside code", () => {
    const text = "Plan\n\n#### Step one\n\n```md\n\n\n#### Step two\n```\n\nEnd.";
    const entries = read(HEAD + prompt("go") + reply(text) + REPORT + prompt("next"));
    expect(prompts(entries)).toEqual(["prompt: go", "prompt: next"]);
    expect(bodies(entries, "assistant_finished")[0]?.text).toBe(text);
  });

  it("finds the prompt after a reply that ends inside a code block", () => {
    const cut = reply("```py\nx = 1\n\n\n#### not yet");
    expect(prompts(read(HEAD + prompt("go") + cut + prompt("again")))).toEqual(["prompt: go", "prompt: again"]);
  });

  it("works if an editor removed the trailing spaces", () => {
    const text = "Plan\n\n#### Step one\n\n```md\n\n\n#### Step two\n> quoted\n```\n\nEnd.";
    const stripped = (HEAD + prompt("go\non") + reply(text) + REPORT + prompt("next")).replaceAll(/ +\n/g, "\n");
    expect(prompts(read(stripped))).toEqual(["prompt: go\non", "prompt: next"]);
  });

  it("does not count the repeated prompt of a command", () => {
    const entries = read(HEAD + prompt("/ask why?") + prompt("why?") + reply("Because.") + REPORT);
    expect(prompts(entries)).toEqual(["command: /ask why?"]);
    expect(withReason(entries, "aider.prompt.repeated")).toHaveLength(1);
    expect(draft(HEAD + prompt("/ask why?") + prompt("why?") + reply("x")).turns[0]?.trigger.echo_line).not.toBeNull();
    const help = read(
      HEAD + prompt("/help models") + prompt("# Question: models\n\n# Relevant docs:\n…") + reply("So."),
    );
    expect(prompts(help)).toEqual(["command: /help models"]);
  });

  it("counts the next prompt after an interrupted command", () => {
    const stopped = HEAD + prompt("/ask why?") + message("^C again to exit") + prompt("something else") + reply("ok");
    expect(prompts(read(stopped))).toEqual(["command: /ask why?", "prompt: something else"]);
  });

  it("does not count confirmations and empty input", () => {
    const question = "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: all";
    const entries = read(HEAD + prompt("go") + reply("ok") + prompt(question) + prompt("<blank>"));
    expect(prompts(entries)).toEqual(["prompt: go"]);
    expect(withReason(entries, "aider.prompt.confirmation").map((entry) => entry.class)).toEqual(["reaction"]);
    expect(withReason(entries, "aider.prompt.blank").map((entry) => entry.class)).toEqual(["session"]);
  });
});

function entryOf(command: string): unknown {
  return bodies(read(header() + announcements(command) + prompt("a")), "user")[0]?.entry;
}

describe("commands", () => {
  it("start no turn if Aider handles them itself, also when abbreviated", () => {
    const text = ["/add a.py", "/tok", "/ex", "/diff", "/model x", "/ask"].map((line) => prompt(line) + message("ok"));
    const entries = read(HEAD + text.join(""));
    expect(prompts(entries)).toEqual([]);
    expect(withReason(entries, "aider.command.local")).toHaveLength(6);
    expect(["/tok", "/ex"].map((line) => commandOf(line)?.name)).toEqual(["tokens", "exit"]);
  });

  it("start a turn if a model responded", () => {
    const entries = read(
      HEAD + prompt("/clip") + reply("I see text.") + REPORT + prompt("/clip") + message("No image"),
    );
    expect(prompts(entries)).toEqual(["command: /clip"]);
    expect(prompts(read(HEAD + prompt("/commit") + message("Commit 1234567 feat: x") + prompt("/ex")))).toHaveLength(1);
    expect(prompts(read(HEAD + prompt("/commit mine") + message("Commit 1234567 mine") + prompt("/ex")))).toEqual([]);
  });

  it("that run programs are tool calls with the output of the program", () => {
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

  it("have an entry derived from Aider's command line", () => {
    expect(entryOf("/usr/bin/aider --msg a")).toBe("headless");
    expect(entryOf("aider src/a.py")).toBe("interactive");
    expect(bodies(read(header() + prompt("a")), "user")[0]?.entry).toBe("unknown");
  });
});

describe("the end of a turn", () => {
  it("is completed by the token report, and includes edits and commits", () => {
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

  it("is aborted by Ctrl-C while the model works, but not at the prompt", () => {
    const stop = message("") + message("") + message("^C again to exit");
    expect(outcomes(HEAD + prompt("a") + stop + reply("half") + prompt("b") + reply("c") + REPORT + stop)).toEqual([
      "aborted",
      "completed",
    ]);
  });

  it("is failed after an error that was not retried", () => {
    const error = message("litellm.APIError: overloaded");
    expect(outcomes(HEAD + prompt("a") + error + message("Retrying in 0.2 seconds...") + reply("b") + REPORT)).toEqual([
      "completed",
    ]);
    expect(outcomes(HEAD + prompt("a") + error + prompt("/ex"))).toEqual(["failed"]);
  });

  it("is open while the model is asked to correct its edits", () => {
    const rejectedEdit = message("The LLM did not conform to the edit format.");
    expect(outcomes(HEAD + prompt("a") + reply("b") + REPORT + rejectedEdit)).toEqual(["open"]);
    const found = draft(HEAD + prompt("a") + reply("b") + REPORT + rejectedEdit + reply("c") + REPORT);
    expect(found.turns.map((turn) => [turn.outcome, turn.final_text])).toEqual([["completed", "c"]]);
    expect(found.tools.map((call) => call.status)).toEqual(["failed"]);
  });

  it("states created files and refused edits", () => {
    const text =
      message("new.py") + message("Create new file? (Y)es/(N)o [Yes]: y") + message("Applied edit to new.py");
    const found = draft(HEAD + prompt("a") + reply("b") + REPORT + text + message("Skipping edits to old.py"));
    expect(found.turns[0]?.files.map((file) => file.operation)).toEqual(["created"]);
    expect(found.tools.map((call) => call.status)).toEqual(["ok", "denied"]);
  });
});
