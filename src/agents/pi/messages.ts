import type { RecordBody, TriggerKind, UserBody } from "../../record/record.ts";
import { blocksOf, roleOf, textOf } from "./native.ts";
import { expandedBody, expansionText } from "../kit/prompts.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { fileOf, resultBody, shellBody } from "./results.ts";
import { ANSWER, type Reason } from "./reasons.ts";
import { verdict } from "../kit/verdict.ts";
import type { Scene, Verdict } from "./verdict.ts";
import { instant } from "../../base/io/instant.ts";

/** `/skill:name` is stored as the body of the skill, followed by what was typed after it. */
const SKILL = /^<skill name="/;

/** A `message` record, by the role of its message. */
export function messageVerdict(message: Native, scene: Scene): Verdict {
  const { state } = scene;
  switch (str(message["role"])) {
    case "user":
      return state.kind === "root" ? prompt(message, scene) : delegatedPrompt(message, scene);
    case "assistant":
      return reply(message, scene);
    case "toolResult":
      return verdict("reaction", "pi.message.tool_result", () => {
        state.workTime = scene.time ?? state.workTime;
        return [resultBody(message, scene)];
      });
    case "bashExecution":
      return shell(message, scene);
    case "system":
      return verdict("setup", "pi.message.system");
    case "custom":
    case "hookMessage":
      return injected(message["content"], scene, "pi.message.custom");
    case "branchSummary":
    case "compactionSummary":
      return injected(message["summary"], scene, "pi.message.summary");
    default:
      return verdict("unknown", "pi.message.unknown_role", () => [
        { type: "unknown", native_type: `message/${str(message["role"]) ?? "(no role)"}` },
      ]);
  }
}

/** A text for the model that no human wrote: added to the conversation by an extension or a summary. */
export function injected(content: unknown, scene: Scene, reason: Reason): Verdict {
  return verdict("setup", reason, () => [{ type: "user", author: "source", text: scene.full ? textOf(content) : "" }]);
}

function prompt(message: Native, scene: Scene): Verdict {
  const { state, full } = scene;
  const text = textOf(message["content"]);
  const typed = instant(num(message["timestamp"]) ?? Number.NaN);
  // A queued text keeps the time it was typed at and is written when the agent reads it, after its current work.
  const runs = state.turns > 0 && state.at === state.window;
  const queued = runs && typed !== null && state.workTime !== null && typed < state.workTime;
  const expansion = scene.templates.expansion(text);
  const isCommand = expansion !== null || SKILL.test(text);
  const kind: TriggerKind = queued ? "queued" : isCommand ? "command" : "prompt";
  return verdict("trigger", queued ? "pi.message.user.queued" : "pi.message.user", () => {
    beginTurn(scene);
    const typed = expansion ? expansionText(expansion) : text;
    const body: UserBody = { type: "user", author: "human", text: typed, kind, entry: "unknown" };
    const attachments = blocksOf(message["content"]).filter((block) => block.type === "image").length;
    if (attachments > 0) body.attachments = attachments;
    return expansion ? [body, expandedBody(text, full)] : [body];
  });
}

/** In a subagent's file the prompt is the parent's. */
function delegatedPrompt(message: Native, scene: Scene): Verdict {
  return verdict("reaction", "pi.message.user.delegated", () => {
    beginTurn(scene);
    return [{ type: "user", author: "agent", text: scene.full ? textOf(message["content"]) : "" }];
  });
}

function beginTurn({ state }: Scene): void {
  state.turns++;
}

/**
 * `!command`: run by the human, visible to the model only with the next prompt (`!!`: never). The model does not
 * respond to it.
 */
function shell(message: Native, scene: Scene): Verdict {
  const { full, identity, state } = scene;
  const command = str(message["command"]) ?? "";
  const mark = message["excludeFromContext"] === true ? "!!" : "!";
  return verdict("trigger", "pi.message.bash_execution", () => {
    state.turns++;
    return [
      { type: "user", author: "human", text: `${mark}${command}`, kind: "shell", entry: "interactive" },
      { type: "tool_started", call_id: identity, name: "bash", input: full ? { command } : null },
      shellBody(message, identity, full),
      { type: "assistant_finished", text: "", turn_ended: true },
    ];
  });
}

/** One model response. `stopReason` tells what comes next. */
function reply(message: Native, scene: Scene): Verdict {
  const stop = stopOf(message);
  const retried = stop === "error" ? retriedAfter(scene) : { value: false, open: false };
  const end = stop === "error" ? (retried.value ? "retried" : "failed") : stop === "aborted" ? "aborted" : "answered";
  return verdict(
    "reaction",
    ANSWER[end],
    () => {
      const { state } = scene;
      state.workTime = scene.time ?? state.workTime;
      return [...said(message, scene), ...ending(message, stop, retried.value)];
    },
    retried.open,
  );
}

/**
 * Escape during a tool call makes the next request fail at once: pi (0.87.1) records an error, but the human caused it.
 */
function stopOf(message: Native): string | null {
  const stop = str(message["stopReason"]);
  const replyRecords = str(message["errorMessage"]) ?? "";
  return stop === "error" && /^(?:This operation|Request|The operation) was aborted\.?$/.test(replyRecords)
    ? "aborted"
    : stop;
}

function said(message: Native, scene: Scene): RecordBody[] {
  const { full, state } = scene;
  const model = str(message["model"]);
  const stop = str(message["stopReason"]);
  const out: RecordBody[] = [{ type: "assistant_started", message_id: str(message["responseId"]), model }];
  for (const block of blocksOf(message["content"])) {
    if (block.type === "thinking") {
      out.push({ type: "reasoning_finished", text: full ? (str(block["thinking"]) ?? "") : "" });
    } else if (block.type === "toolCall") {
      const id = str(block["id"]) ?? "";
      const name = str(block["name"]) ?? "";
      state.calls.set(id, { name, path: fileOf(name, block["arguments"]) });
      out.push({ type: "tool_started", call_id: id, name, input: full ? (block["arguments"] ?? null) : null });
    }
  }
  const text = textOf(message["content"]);
  if (text !== "") {
    out.push({ type: "assistant_finished", text: full ? text : "", model, finish_reason: stop, turn_ended: false });
  }
  return out;
}

function ending(message: Native, stop: string | null, retried: boolean): RecordBody[] {
  const what = str(message["errorMessage"]);
  switch (stop) {
    case "stop":
    case "length":
      return [{ type: "assistant_finished", text: "", finish_reason: stop, turn_ended: true }];
    case "aborted":
      return [{ type: "cancelled", reason: "interrupted" }];
    case "error":
      return [{ type: "failed", message: what ?? "the model request failed", turn_ended: !retried }];
    default:
      return [];
  }
}

/** Records pi writes between a failed request and its retry. */
const BETWEEN_TRIES: ReadonlySet<string> = new Set(["context_edit", "usage", "custom", "compaction", "label"]);

/** A failed request was retried if another response follows without new input. */
function retriedAfter(scene: Scene): { value: boolean; open: boolean } {
  for (let k = 0; ; k++) {
    const line = scene.lines.peek(k);
    if (!line || (line.value === null && !line.terminated)) return { value: false, open: true };
    const record = obj(line.value);
    if (!record) continue;
    const role = roleOf(record);
    if (role === "assistant") return { value: true, open: false };
    if (role === "system" || BETWEEN_TRIES.has(str(record["type"]) ?? "")) continue;
    return { value: false, open: false };
  }
}
