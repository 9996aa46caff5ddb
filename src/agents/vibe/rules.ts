/** What each part of a session is, and who wrote it; the names of all rules. */
import { imagesIn, textOf } from "../kit/blocks.ts";
import {
  freshChat,
  type ChatState,
  type Judge,
  type Rule as ChatRule,
  type Scene as ChatScene,
  type ReasonOf,
} from "../kit/chat.ts";
import { iso, millis, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { tokensIn } from "../kit/tokens.ts";
import { SOURCE_ID } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "compaction.asked prompt prompt.queued",
  setup: "settings",
  session: "facts rewind tokens tokens.unwritten",
  reaction: "answer call call.rejected compaction injected notice prompt.delegated response tokens.turn turn",
  inherited: "id.inherited",
  unknown: "type.unknown",
} as const;

export type Reason = ReasonOf<"vibe", typeof CLASSES>;
type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

export interface ReaderState extends ChatState {
  /** The model named last: of the session, or of a change. */
  model: string | null;
  prompts: number;
  responses: number;
}

export function freshState(): ReaderState {
  return { ...freshChat(), model: null, prompts: 0, responses: 0 };
}

export const TOOLS: ChatTools = {
  shell: ["file_system.bash"],
  writes: {
    "file_system.write_file": { path: "path", does: "modified" },
    "file_system.search_replace": { path: "file_path", does: "modified" },
  },
};

export const RULES: Readonly<Record<string, Judge<ReaderState, Reason>>> = {
  facts: { rule: "vibe.facts", says: facts },
  "message/user": user,
  "message/assistant": {
    rule: "vibe.answer",
    says(say, scene) {
      const { id, content } = scene.record;
      const text = textOf(content);
      say.started({ id: str(id), model: scene.state.model });
      // What was cut off is no answer.
      if (isDiscarded(scene.record)) say.thinking(text);
      else say.text(text, { model: scene.state.model });
      close(say, scene);
    },
  },
  reasoning: {
    rule: "vibe.answer",
    says(say, scene) {
      say.thinking(str(scene.record["text"]) ?? "");
      close(say, scene);
    },
  },
  effect: { rule: "vibe.call", says: effect },
  rejected: {
    rule: "vibe.call.rejected",
    says(say, { record }) {
      const { id, name, arguments: input } = obj(record["call"]) ?? {};
      say.call(str(id) ?? "", str(name) ?? "", obj(input)?.["value"] ?? obj(input)?.["raw"]);
      say.result(str(id) ?? "", { text: str(record["text"]) ?? "", failed: true });
    },
  },
  "checkpoint/compaction": compaction,
  "checkpoint/model_change": {
    rule: "vibe.settings",
    says(say, { record, state }) {
      state.model = str(obj(record["details"])?.["model"]) ?? state.model;
      say.settings({ model: state.model });
    },
  },
  "checkpoint/agent_change": { rule: "vibe.settings" },
  "checkpoint/rewind": { rule: "vibe.rewind" },
  notice: { rule: "vibe.notice" },
  turn: {
    rule: "vibe.turn",
    says(say, { record }) {
      const { status, stopReason, error, reason } = obj(record["turn"]) ?? {};
      if (status === "completed") say.ends(str(stopReason) ?? undefined);
      else if (status === "interrupted") say.interrupted();
      else if (status === "failed") say.fails(str(obj(error)?.["message"]) ?? str(reason));
    },
  },
  response: { rule: "vibe.response", says: (_say, { state }) => void state.responses++ },
  session: total,
};

export function nativeType({ part, type, role, kind }: Native): string {
  if (typeof part === "string") return part;
  const more = type === "message" ? role : type === "checkpoint" ? kind : undefined;
  return [type, more].filter((one) => typeof one === "string").join("/") || "(untyped)";
}

function facts(say: Say, { record, state }: Scene): void {
  const meta = obj(record["meta"]) ?? {};
  const { kind, parent_session_id } = obj(record["identity"]) ?? {};
  const { cwd, agent_name, reasoning_effort } = obj(record["session_metadata"]) ?? {};
  const directory = str(obj(meta["environment"])?.["working_directory"]) ?? str(cwd);
  const parent = str(parent_session_id) ?? str(meta["parent_session_id"]);
  state.kind = kind === "subagent" ? "subagent" : "root";
  state.model = str(obj(meta["config"])?.["model_name"]);
  const isChild = state.kind === "subagent";
  say.header({
    kind: state.kind,
    cwd: directory,
    started_at: iso(millis(meta["start_time"])),
    model: state.model,
    git: { commit: str(meta["git_commit"]), branch: str(meta["git_branch"]) },
    parent: isChild && parent !== null ? { source: SOURCE_ID, session_id: parent } : null,
    forked_from: isChild ? null : parent,
  });
  say.settings({ model: state.model, cwd: directory, effort: str(reasoning_effort), approval_policy: str(agent_name) });
  const text = str(record["core_system_instructions"]);
  if (text !== null) say.instructions([{ kind: "base", path: null, text }]);
}

/** What the agent gives itself, at the end of something in the background, leaves no message. */
function user({ record, state }: Scene): Rule {
  const { content, source, userDisplayContent } = record;
  const isTask = state.kind === "subagent";
  // A prompt that a schedule sends again is marked by how it is shown.
  if (objects(obj(userDisplayContent)?.["content"]).some(({ type }) => type === "vibe.scheduled_loop"))
    return { rule: "vibe.injected", says: (say) => say.note("source", textOf(content)) };
  const queued = source === "turn_steer";
  return {
    rule: isTask ? "vibe.prompt.delegated" : queued ? "vibe.prompt.queued" : "vibe.prompt",
    says(say, scene) {
      state.prompts++;
      if (isTask) say.note("agent", textOf(content));
      else say.prompt(textOf(content), { kind: queued ? "queued" : "prompt", attachments: imagesIn(content) });
      close(say, scene);
    },
  };
}

function isDiscarded({ outcome }: Native): boolean {
  return obj(outcome)?.["type"] === "discarded";
}

/** Of turns before the last no record says how they ended: only their last entry does. */
function close(say: Say, { record, lines }: Scene): void {
  const next = lines.peek()?.value;
  if (next?.["source"] !== "turn_start") return;
  const cause = obj(record["outcome"])?.["cause"];
  if (cause === "interrupt" || obj(record["state"])?.["status"] === "cancelled") say.interrupted();
  else if (cause === "failure") say.fails(null);
  else if (record["role"] === "assistant") say.ends();
}

function effect(say: Say, scene: Scene): void {
  const { id: stated, detail, state: ended } = scene.record;
  const { toolName, input, childSessionId, agentName } = obj(detail) ?? {};
  const [id, name] = [str(stated) ?? "", str(toolName) ?? ""];
  const { status, output, error, reason, outputText } = obj(ended) ?? {};
  say.call(id, name, input ?? null);
  const child = str(childSessionId);
  if (child !== null) say.child(child, "spawned", { role: str(agentName), call: id });
  const result = resultOf(status, obj(output)?.["structured_content"]);
  if (result === null) return;
  const said = str(obj(error)?.["message"]) ?? str(reason) ?? "";
  const text = [str(outputText), textOf(obj(output)?.["content"]), result.text, said].find((one) => one) ?? "";
  // Of a large result only an excerpt of its JSON is kept, which has no such line but its own.
  const shown = /^<system>[\s\S]*?^ {2}"returncode": (-?\d+),?$/m.exec(text)?.[1];
  say.result(id, { ...result, text, exit: result.exit ?? (shown === undefined ? null : Number(shown)) });
  close(say, scene);
}

/** `completed` says that a command was run: its exit code stands in what it returned. Null: the call has not ended. */
function resultOf(status: unknown, returned: unknown): Result | null {
  if (status === "cancelled") return { failed: true, status: "interrupted" };
  if (status === "skipped") return { failed: true, status: "denied" };
  if (status === "failed") return { failed: true };
  if (status !== "completed") return null;
  const { returncode, timed_out, was_truncated, file_existed, path } = obj(returned) ?? {};
  const result: Result = { failed: timed_out === true, exit: num(returncode), structured: returned };
  if (was_truncated === true) result.truncated = true;
  if (file_existed === false && typeof path === "string") result.files = [{ path, operation: "created" }];
  return { ...result, text: returned === undefined ? "" : JSON.stringify(returned) };
}

/** `/compact` makes the model work; otherwise the turn that runs needs room. */
function compaction({ record, state }: Scene): Rule {
  const { details, generationStatus } = record;
  const { trigger, error } = obj(details) ?? {};
  const asked = trigger === "manual";
  return {
    rule: asked ? "vibe.compaction.asked" : "vibe.compaction",
    says(say) {
      if (asked) state.prompts++;
      if (asked) say.prompt("/compact", { kind: "command", entry: "interactive" });
      if (error !== undefined) say.fails(str(obj(error)?.["code"]), asked);
      else if (generationStatus === "completed") {
        say.compacted(asked ? "manual" : "auto", null);
        if (asked) say.ends();
      }
    },
  };
}

/** What the journal no longer has belongs to no turn, unless there was only one. */
function total({ record, state }: Scene): Rule {
  const { id, tokenUsage, title, titleSource } = obj(record["session"]) ?? {};
  const tokens = tokensIn(obj(tokenUsage), {
    input: "inputTokens",
    output: "outputTokens",
    cached: "cachedInputTokens",
    inputHoldsCache: true,
  });
  const isOne = state.prompts === 1 && state.responses === 0;
  return {
    rule: isOne ? "vibe.tokens.turn" : "vibe.tokens",
    says(say) {
      const { model } = state;
      say.title(str(title), titleSource === "manual" ? "human" : "agent");
      if (isOne && tokens)
        say.record({ type: "usage", response_id: `vibe/${str(id) ?? ""}`, model, verdict: "counted", ...tokens });
      else say.total(tokens, { model, unwritten: "vibe.tokens.unwritten" satisfies Reason });
    },
  };
}
