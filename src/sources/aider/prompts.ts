import type { Reason } from "./reasons.ts";
import type { RecordBody, TriggerEntry, TriggerKind, UserBody } from "../../format/record.ts";
import { commandOf, LOGS_SECOND_PROMPT, type Command } from "./commands.ts";
import type { RunLine } from "./lines.ts";
import { fingerprint } from "./replies.ts";
import type { Pair } from "./state.ts";
import { isReport } from "./usage.ts";
import { findAhead, verdict, type Scene, type Verdict } from "./verdict.ts";

/** The answer to a question asked once for a group of files is logged like a prompt. */
const CONFIRMATION = /\(Y\)es\/\(N\)o.*\[[^\]]*\]: \w+$/;
const LINT_FIX = /^Fix lint errors in .*\? .*\b[ya]\w*$/i;
const QUESTION = /^# Question: /;

interface Block {
  text: string;
  /** Number of lines after the first. */
  rest: number;
  open: boolean;
}

/** The first line of a prompt carries its whole text; the other lines are read ahead. */
export function promptVerdict(scene: Scene): Verdict {
  const block = blockOf(scene);
  const found = judge(block, scene);
  found.open ||= block.open;
  // Further lines of a prompt do not repeat it, so they are not classed as echoes.
  scene.state.more = [found.class === "trigger" ? "reaction" : found.class, "aider.prompt.more"];
  return found;
}

/** A further line of the prompt above it. */
export function moreVerdict({ state }: Scene): Verdict {
  const [cls, reason] = state.more;
  return { class: cls, reason, native: "prompt", records: [], open: false, time: null };
}

function blockOf({ line, lines }: Scene): Block {
  const text = [line.body];
  for (let k = 0; ; k++) {
    const next = lines.peek(k);
    if (typeof next === "string" || next.kind !== "prompt_more")
      return { text: text.join("\n"), rest: k, open: next === "open" };
    text.push(next.body);
  }
}

function judge(block: Block, scene: Scene): Verdict {
  const { state, full } = scene;
  const { text } = block;
  if (CONFIRMATION.test(text)) return verdict("reaction", "aider.prompt.confirmation", "prompt");
  const pair = state.pair;
  state.pair = null;
  if (pair && repeats(pair, text)) {
    if (pair.how === "same") return verdict("echo", "aider.prompt.repeated", "prompt");
    return verdict("reaction", "aider.prompt.generated", "prompt", [bystander("source", text, full)]);
  }
  if (state.owner === "turn" && state.replied && state.lastReply === fingerprint(text)) {
    state.turn = "running";
    state.replied = false;
    state.editing = state.editor !== null;
    return verdict("reaction", "aider.prompt.architect", "prompt", [bystander("agent", text, full)]);
  }
  const typed = scene.times.find(text, state.typed);
  if (typed) state.typed = typed.next;
  const found = typedVerdict(block, scene, typed !== null);
  found.time = typed?.time ?? null;
  return found;
}

function repeats(pair: Pair, text: string): boolean {
  if (pair.how === "same") return fingerprint(pair.text) === fingerprint(text);
  return pair.how === "any" || QUESTION.test(text);
}

function bystander(author: UserBody["author"], text: string, full: boolean): UserBody {
  return { type: "user", author, text: full ? text : "" };
}

/** Input typed by a person, or sent by a script on a person's behalf. */
function typedVerdict(block: Block, scene: Scene, typed: boolean): Verdict {
  const { state, full } = scene;
  const { text } = block;
  if (text.trim() === "" || text === "<blank>") return client(scene, "aider.prompt.blank");
  const command = commandOf(text);
  if (!command) return trigger("prompt", "aider.prompt", text, scene, typed);
  switch (command.effect) {
    case "client":
      return client(scene, "aider.command.local");
    case "shell":
      return shell(command, block, scene, typed);
    case "asks":
      return commandTrigger(command, text, scene, typed);
    case "perhaps": {
      const { found, open } = findAhead(scene.lines, block.rest, (line) => isWork(line, command));
      const done = found || command.name === "ok";
      if (!done) return { ...client(scene, "aider.command.local"), open };
      return command.name === "ok"
        ? commandTrigger(command, text, scene, typed)
        : trigger("command", "aider.command.model", text, scene, typed);
    }
  }

  function client(at: Scene, reason: Reason): Verdict {
    state.owner = "client";
    state.turn = "idle";
    const body = bystander("human", text, full);
    return verdict("session", reason, "prompt", at.line.body === "<blank>" ? [] : [body]);
  }
}

/** True for lines that show that a model worked after a command. */
function isWork(line: RunLine, command: Command): boolean {
  if (line.kind === "reply") return true;
  if (line.kind !== "tool") return false;
  if (isReport(line.body)) return true;
  if (command.name === "lint") return LINT_FIX.test(line.body);
  // A commit without a message of its own gets one from the weak model.
  return command.name === "commit" && command.argument === "" && /^Commit [0-9a-f]{7,} /.test(line.body);
}

export function isLintFix(body: string): boolean {
  return LINT_FIX.test(body);
}

function trigger(kind: TriggerKind, reason: Reason, text: string, scene: Scene, typed: boolean): Verdict {
  const { state } = scene;
  state.owner = "turn";
  state.turn = "running";
  state.replied = false;
  state.editing = false;
  state.created = null;
  const entry: TriggerEntry =
    typed || state.headless === false ? "interactive" : state.headless ? "headless" : "unknown";
  const body: UserBody = { type: "user", author: "human", text, kind, entry };
  return verdict("trigger", reason, "prompt", [body]);
}

function commandTrigger(command: Command, text: string, scene: Scene, typed: boolean): Verdict {
  const found = trigger("command", "aider.command.model", text, scene, typed);
  if (LOGS_SECOND_PROMPT.has(command.name)) {
    const how = command.name === "help" ? "question" : command.argument === "" ? "any" : "same";
    scene.state.pair = { how, text: command.argument };
  }
  return found;
}

/** A program the human ran. The history has its output but not its exit code. */
function shell(command: Command, block: Block, scene: Scene, typed: boolean): Verdict {
  const { id, full, lines, state } = scene;
  const printed: string[] = [];
  const { open } = findAhead(lines, block.rest, (line) => {
    if (line.kind === "reply") return true;
    printed.push(line.body);
    return false;
  });
  const found = trigger("shell", "aider.command.shell", block.text, scene, typed);
  state.turn = "ended";
  const output = full ? { output: printed.join("\n").trim() } : {};
  const records: RecordBody[] = [
    ...found.records,
    { type: "tool_started", call_id: id, name: "shell", input: full ? { command: command.argument } : null },
    { type: "tool_finished", call_id: id, status: "ok", exit_code: null, duration_ms: null, ...output },
    { type: "assistant_finished", text: "", turn_ended: true },
  ];
  return { ...found, records, open };
}
