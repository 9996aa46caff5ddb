/** What each record is, and who wrote it; the names of all rules. */
import { instant } from "../../base/io/instant.ts";
import { blocksOf, imagesIn, textOf } from "../kit/blocks.ts";
import type { Judge, Rule as ChatRule, Scene as ChatScene, ReasonOf } from "../kit/chat.ts";
import { iso, millis, num, obj, str, type Native } from "../kit/native.ts";
import type { ChatTools, Say } from "../kit/say.ts";
import { lookAhead } from "../kit/verdict.ts";
import { parentFromPath, sessionIdNamed } from "./discover.ts";
import { bodyOf, roleOf, type ReaderState } from "./native.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "message.bash_execution message.user message.user.queued",
  setup: [
    "active_tools_change branch_summary custom_message message.custom message.summary",
    "message.system model_change thinking_level_change",
  ],
  session: "custom label session title",
  reaction: [
    "compaction context_edit message.assistant.aborted message.assistant.answered",
    "message.assistant.failed message.assistant.retried message.tool_result",
    "message.user.delegated usage",
  ],
  inherited: "id.inherited",
  duplicate: "id.repeated",
  unknown: "message.unknown_role type.unknown",
} as const;

export type Reason = ReasonOf<"pi", typeof CLASSES>;
type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

/** How pi's own tools word the end of a call. There is no field for it: a result has only `isError`. */
export const TOOLS: ChatTools = {
  shell: ["bash"],
  okIsZero: true,
  // `write` creates or replaces and does not say which.
  writes: {
    write: { path: ["path", "file_path"], does: "modified" },
    edit: { path: ["path", "file_path"], does: "modified" },
  },
  words: {
    exit: /Command exited with code (\d+)\s*$/,
    // A call is skipped if the human typed something before it ran.
    interrupted: /(?:^|\n)(?:Command|Operation|Tool execution) aborted\s*$|^Skipped due to queued user message/,
    denied: /^Tool execution was blocked/,
  },
};

export const RULES: Readonly<Record<string, Judge<ReaderState, Reason>>> = {
  session: { rule: "pi.session", says: header },
  model_change: { rule: "pi.model_change", says: modelChange },
  thinking_level_change: {
    rule: "pi.thinking_level_change",
    says: (say, { record }) => say.settings({ effort: str(record["thinkingLevel"]) }),
  },
  // Nothing distinguishes `/compact` from an overflow, so it belongs to the turn it follows.
  compaction: { rule: "pi.compaction", says: (say, { record }) => say.compacted("unknown", str(record["summary"])) },
  session_info: { rule: "pi.title", says: (say, { record }) => say.title(str(record["name"]), "human") },
  title: { rule: "pi.title", says: (say, { record }) => say.title(str(record["title"]), "agent") },
  // Changes what the model sees from here on; what was said and spent stays.
  context_edit: { rule: "pi.context_edit" },
  usage: { rule: "pi.usage" },
  active_tools_change: { rule: "pi.active_tools_change" },
  custom: { rule: "pi.custom" },
  label: { rule: "pi.label" },
  branch_summary: { rule: "pi.branch_summary", says: injected },
  custom_message: { rule: "pi.custom_message", says: injected },
  "message/custom": { rule: "pi.message.custom", says: injected },
  "message/hookMessage": { rule: "pi.message.custom", says: injected },
  "message/branchSummary": { rule: "pi.message.summary", says: injected },
  "message/compactionSummary": { rule: "pi.message.summary", says: injected },
  "message/system": { rule: "pi.message.system", says: systemPrompt },
  "message/user": prompt,
  "message/bashExecution": { rule: "pi.message.bash_execution", says: shell },
  "message/assistant": reply,
  "message/toolResult": { rule: "pi.message.tool_result", says: result },
};

function header(say: Say, { record, path, state }: Scene): void {
  const origin = str(record["parentSession"]) ?? str(record["branchedFrom"]);
  state.provider = str(record["provider"]);
  say.header({
    cwd: str(record["cwd"]),
    started_at: iso(millis(record["timestamp"])),
    provider: state.provider,
    model: str(record["modelId"]),
    title: str(record["title"]),
    parent: parentFromPath(path),
    forked_from: origin === null ? null : sessionIdNamed(origin),
  });
}

function modelChange(say: Say, { record, state }: Scene): void {
  const provider = str(record["provider"]);
  if (provider !== null && provider !== state.provider) say.header({ provider: (state.provider = provider) });
  say.settings({ model: str(record["modelId"]) });
}

/** A text for the model that no human wrote: added to the conversation by an extension or a summary. */
function injected(say: Say, { record }: Scene): void {
  const { content, summary } = bodyOf(record);
  say.note("source", textOf(content ?? summary));
}

/** pi writes its prompt as one text, or (0.87) in sections, one of which only names the directory. */
function systemPrompt(say: Say, { record }: Scene): void {
  const { content, sections } = bodyOf(record);
  const parts = Object.entries(obj(sections) ?? {}).flatMap(([name, part]) => (name === "cwd" ? [] : [part]));
  const texts = [content, ...parts].flatMap((text) => str(text) || []);
  say.instructions([{ kind: "base", path: null, text: texts.join("\n\n") }]);
}

/** `/skill:name` is stored as the body of the skill, followed by what was typed after it. */
const SKILL = /^<skill name="/;

function prompt({ record, state, templates }: Scene): Rule {
  const { content, timestamp } = bodyOf(record);
  const text = textOf(content);
  // In a subagent's file the prompt is the parent's.
  const isTask = state.kind !== "root";
  const typed = instant(num(timestamp) ?? Number.NaN);
  // A queued text keeps the time it was typed at and is written when the agent reads it, after its current work.
  const runs = state.turns > 0 && state.at === state.window;
  const queued = runs && typed !== null && state.workTime !== null && typed < state.workTime;
  return {
    rule: isTask ? "pi.message.user.delegated" : queued ? "pi.message.user.queued" : "pi.message.user",
    says(say) {
      state.turns++;
      if (isTask) return say.note("agent", text);
      const kind = queued ? "queued" : SKILL.test(text) ? "command" : null;
      say.prompt(text, { kind, attachments: imagesIn(content), templates });
    },
  };
}

/**
 * `!command`: run by the human, visible to the model only with the next prompt (`!!`: never). The model does not
 * respond to it.
 */
function shell(say: Say, { record, state, identity }: Scene): void {
  const { command: typed, excludeFromContext, output, exitCode, cancelled, truncated } = bodyOf(record);
  const command = str(typed) ?? "";
  const exit = num(exitCode);
  state.turns++;
  say.prompt(`${excludeFromContext === true ? "!!" : "!"}${command}`, { kind: "shell", entry: "interactive" });
  say.call(identity, "bash", { command });
  say.result(identity, {
    text: str(output) ?? "",
    status: cancelled === true ? "interrupted" : null,
    failed: exit === null ? null : exit !== 0,
    exit,
    truncated: truncated === true,
  });
  say.ends();
}

function result(say: Say, { record, state, time }: Scene): void {
  const { toolCallId, toolName, content, isError, details } = bodyOf(record);
  state.workTime = time ?? state.workTime;
  say.result(str(toolCallId) ?? "", {
    text: textOf(content),
    failed: isError === true,
    name: str(toolName),
    truncated: obj(obj(details)?.["truncation"])?.["truncated"] === true,
  });
}

/** One model response. `stopReason` tells what comes next. */
function reply({ record, lines }: Scene): Rule {
  const message = bodyOf(record);
  const stop = stopOf(message);
  const retried = stop === "error" ? lookAhead(lines, isRetry) : { value: false, open: false };
  const end = stop === "error" ? (retried.value ? "retried" : "failed") : stop === "aborted" ? "aborted" : "answered";
  return {
    rule: `pi.message.assistant.${end}`,
    open: retried.open,
    says(say, { state, time }) {
      state.workTime = time ?? state.workTime;
      const blocks = blocksOf(message["content"]);
      const texts = blocks.filter(({ type }) => type === "text");
      const { responseId, model, stopReason } = message;
      const stated = { id: str(responseId), model: str(model), finish: str(stopReason) };
      say.reply([...blocks.filter(({ type }) => type !== "text"), ...texts], stated);
      if (stop === "stop" || stop === "length") say.ends(stop);
      else if (stop === "aborted") say.interrupted();
      else if (stop === "error") say.fails(str(message["errorMessage"]), !retried.value);
    },
  };
}

/**
 * Escape during a tool call makes the next request fail at once: pi (0.87.1) records an error, but the human caused it.
 */
function stopOf({ stopReason, errorMessage }: Native): string | null {
  const byHuman = /^(?:This operation|Request|The operation) was aborted\.?$/.test(str(errorMessage) ?? "");
  return stopReason === "error" && byHuman ? "aborted" : str(stopReason);
}

/** Records pi writes between a failed request and its retry. */
const BETWEEN_TRIES: ReadonlySet<unknown> = new Set(["context_edit", "usage", "custom", "compaction", "label"]);

/** A failed request was retried if another response follows without new input. */
function isRetry(record: Native): boolean | null {
  const role = roleOf(record);
  return role === "assistant" ? true : role === "system" || BETWEEN_TRIES.has(record["type"]) ? null : false;
}
