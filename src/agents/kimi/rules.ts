/** What each record is, and who wrote it; the names of all rules. */
import { blocksOf, imagesIn, parsedInput, textOf, type Block } from "../kit/blocks.ts";
import {
  freshChat,
  quiet,
  type ChatState,
  type Judge,
  type Rule as ChatRule,
  type Scene as ChatScene,
  type ReasonOf,
} from "../kit/chat.ts";
import { iso, num, obj, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { Recent } from "../kit/state.ts";
import { agentSession, placeOf, SOURCE_ID, STATE_FILE } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "compaction.asked message.user prompt prompt.queued shell",
  echo: "message.echo",
  setup: "settings",
  session: "metadata state",
  reaction: [
    "answer approval call compaction injected prompt.delegated request result retry shell.output",
    "subagent turn.end undo usage",
  ],
  inherited: "id.inherited",
  duplicate: "event",
  unknown: "type.unknown",
} as const;

export type Reason = ReasonOf<"kimi", typeof CLASSES>;
type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

export interface ReaderState extends ChatState {
  /** The model of the last request: records of usage name it by the user's own alias. */
  model: string | null;
  /** A prompt was read whose message follows. */
  announced: boolean;
  /** Prompts that began a turn, by line: an undo counts them from the end. Not beyond a compaction. */
  turns: number[];
  /** Messages that were read before the record that announces them. */
  steered: Recent;
  /** Calls that the human refused, and calls that write a file that was not there. */
  refused: Recent;
  creates: Recent;
  /** The file that the next call is about to create. */
  absent: string | null;
  /** The `!` command that runs. */
  shell: string | null;
  /** Who asked for the compaction that runs. */
  compacting: "manual" | "auto" | "unknown";
}

export function freshState(path: string): ReaderState {
  const chat = freshChat(placeOf(path).agent === null ? "root" : "subagent");
  const none = { model: null, announced: false, absent: null, shell: null, compacting: "unknown" } as const;
  return { ...chat, ...none, turns: [], steered: new Recent(64), refused: new Recent(64), creates: new Recent(64) };
}

/** Name of the call that stands for a command typed with `!`. */
const TYPED = "user_shell";

export const TOOLS: ChatTools = {
  shell: ["Bash", TYPED],
  okIsZero: true,
  writes: { Write: { path: "path", does: "modified" }, Edit: { path: "path", does: "modified" } },
  words: {
    // A reference to the full output may follow.
    exit: /(?:^|\n)Command failed with exit code: (-?\d+)\.(?=\s*(?:$|\[Full output saved\]))/,
    interrupted: /^(?:Interrupted by user|Session closed|Aborted before|Tool "[^"]*" was not run because the approval)/,
    denied:
      /^Tool "[^"]*" was not run because the user rejected|^AskUserQuestion is disabled while auto permission mode is active/,
  },
};

const STATE =
  "runtime.set_binding plugin.session_start llm.tools_snapshot mcp.tools_discovered token_counting.measured token_counting.rebased token_counting.truncated token_counting.turn_recorded tools.update_store tools.register_user_tool tools.reset_active_tools tools.set_active_tools tools.unregister_user_tool file_history.checkpoint context.undone agent.switched cron.add cron.cursor cron.delete forked goal.clear goal.create goal.update interruptionReminder.recorded plan_mode.cancel plan_mode.enter plan_mode.exit plan.revision prompt.accepted staleGuard.cleared staleGuard.recorded swarm_mode.enter swarm_mode.exit task.started task.terminated task.waitDelivered tower_mode.enter tower_mode.exit context.update_token_count micro_compaction.apply goal.account_usage goal.continuation";

/** Versions of the protocol in which no record states how a turn ended. */
const NO_TURN_END = /^protocol 1\.[0-4]$/;

export const RULES: Readonly<Record<string, Judge<ReaderState, Reason>>> = {
  ...quiet(STATE, "kimi.state"),
  // The same messages a second time, for clients that watch.
  ...quiet("agent.message.appended agent.turn.started agent.turn.ended prompt.steered", "kimi.event"),
  ...quiet("turn.step.interrupted prompt.completed prompt.aborted", "kimi.turn.end"),
  ...quiet("interaction.request interaction.resolved", "kimi.approval"),
  ...quiet("usage.record", "kimi.usage"),
  ...quiet("subagent.started", "kimi.subagent"),
  metadata: { rule: "kimi.metadata", says: header },
  "profile.bind": { rule: "kimi.settings", says: profile },
  "config.update": { rule: "kimi.settings", says: profile },
  "permission.set_mode": {
    rule: "kimi.settings",
    says: (say, { record }) => say.settings({ approval_policy: str(record["mode"]) }),
  },
  "turn.prompt": (scene) => prompt(scene, "kimi.prompt"),
  // Behind its message in protocol 1.5, before it in earlier ones.
  "turn.steer": (scene) =>
    scene.state.steered.has(str(scene.record["messageId"]) ?? "")
      ? { rule: "kimi.message.echo" }
      : prompt(scene, "kimi.prompt.queued"),
  "turn.step.retrying": {
    rule: "kimi.retry",
    says: (say, { record }) => say.fails(str(record["errorMessage"]) ?? str(record["errorName"]), false),
  },
  "context.undo": { rule: "kimi.undo", says: undone },
  "context.clear": { rule: "kimi.state", says: (_say, { state }) => void (state.turns = []) },
  "context.append_message": message,
  "step.begin": { rule: "kimi.answer", says: (say, { state }) => say.started({ model: state.model }) },
  "content.part": { rule: "kimi.answer", says: part },
  "step.end": {
    rule: "kimi.answer",
    says(say, { record, state }) {
      if (NO_TURN_END.test(state.version) && eventOf(record)["finishReason"] === "end_turn") say.ends();
    },
  },
  "turn.cancel": {
    rule: "kimi.turn.end",
    says: (say, { state }) => (NO_TURN_END.test(state.version) ? say.interrupted() : undefined),
  },
  "tool.call": { rule: "kimi.call", says: call },
  "tool.result": {
    rule: "kimi.result",
    says(say, { record, state }) {
      const { toolCallId, result } = eventOf(record);
      settle(say, state, str(toolCallId) ?? "", obj(result) ?? {});
    },
  },
  "llm.request": {
    rule: "kimi.request",
    says(say, { record, state }) {
      const model = str(record["model"]);
      if (model !== state.model) say.settings({ model, effort: str(record["thinkingEffort"]) });
      state.model = model;
    },
  },
  "permission.record_approval_result": {
    rule: "kimi.approval",
    says(_say, { record, state }) {
      if (obj(record["result"])?.["decision"] === "rejected") state.refused.add(str(record["toolCallId"]) ?? "");
    },
  },
  "turn.ended": {
    rule: "kimi.turn.end",
    says(say, { record: { reason, error } }) {
      if (reason === "completed") say.ends();
      else if (reason === "cancelled") say.interrupted();
      else say.fails(str(obj(error)?.["message"]) ?? str(reason));
    },
  },
  "full_compaction.begin": compaction,
  "context.apply_compaction": {
    rule: "kimi.compaction",
    says(say, { record: { summary, contextSummary }, state }) {
      const text = str(summary) ?? textOf(obj(summary)?.["content"]);
      state.turns = [];
      say.compacted(state.compacting, text === "" ? str(contextSummary) : text);
    },
  },
  "full_compaction.complete": {
    rule: "kimi.compaction",
    says: (say, { state }) => (state.compacting === "manual" ? say.ends() : undefined),
  },
  "full_compaction.cancel": {
    rule: "kimi.compaction",
    says: (say, { state }) => (state.compacting === "manual" ? say.interrupted() : undefined),
  },
  "subagent.spawned": { rule: "kimi.subagent", says: (say, scene) => child(say, scene, "spawned") },
  "subagent.completed": { rule: "kimi.subagent", says: (say, scene) => child(say, scene, "returned") },
  "subagent.failed": { rule: "kimi.subagent", says: (say, scene) => child(say, scene, "returned") },
  "file_history.tracked": {
    rule: "kimi.state",
    says(_say, { record, state }) {
      state.absent = obj(record["entry"])?.["key"] === null ? str(record["path"]) : null;
    },
  },
};

export function eventOf(record: Native): Native {
  return obj(record["event"]) ?? {};
}

function header(say: Say, { record, path, beside }: Scene): void {
  const { session, agent } = placeOf(path);
  const state = beside.json(STATE_FILE);
  const parent = str(obj(obj(state?.["agents"])?.[agent ?? ""])?.["parentAgentId"]) ?? "main";
  say.header({
    cwd: str(state?.["cwd"]),
    started_at: iso(num(record["created_at"])),
    parent: agent === null ? null : { source: SOURCE_ID, session_id: agentSession(session, parent) },
    forked_from: agent === null ? str(state?.["forkedFrom"]) : null,
  });
}

function profile(say: Say, { record: { systemPrompt, environmentDisclosure, thinkingEffort } }: Scene): void {
  const [text, cwd] = [str(systemPrompt), str(obj(environmentDisclosure)?.["cwd"])];
  if (text !== null) say.instructions([{ kind: "base", path: null, text }]);
  say.settings({ effort: str(thinkingEffort), ...(cwd === null ? {} : { cwd }) });
}

/** The slash command a human typed, if the message is what it was expanded to. */
function commandOf(origin: Native): string | null {
  if (origin["trigger"] !== "user-slash") return null;
  const name = str(origin["skillName"]) ?? str(origin["commandName"]) ?? "";
  return `/${name} ${str(origin["skillArgs"]) ?? str(origin["commandArgs"]) ?? ""}`.trimEnd();
}

/** `turn.prompt` and `turn.steer` come before the message itself. Kimi Code says of each who is its author. */
function prompt({ record, state, line }: Scene, rule: Reason): Rule {
  const origin = obj(record["origin"]) ?? {};
  const isHuman = origin["kind"] === "user" || commandOf(origin) !== null;
  const isTask = state.kind !== "root";
  return {
    rule: isTask ? "kimi.prompt.delegated" : isHuman ? rule : "kimi.injected",
    says(say) {
      state.announced = true;
      if (isTask || !isHuman) say.note(isTask ? "agent" : "source", textOf(record["input"]));
      else ask(say, origin, record["input"], rule === "kimi.prompt.queued");
      if (isHuman && rule === "kimi.prompt") state.turns = [...state.turns, line].slice(-MOST_TURNS);
    },
  };
}

/** More are hardly undone at once. */
const MOST_TURNS = 64;

/** The last turns are taken back, with what was typed while they ran. */
function undone(say: Say, { record, state }: Scene): void {
  const [from_line] = state.turns.splice(-(num(record["count"]) ?? 0) || state.turns.length);
  if (from_line !== undefined) say.record({ type: "cancelled", reason: "rewound", from_line });
}

function ask(say: Say, origin: Native, content: unknown, queued: boolean): void {
  const command = commandOf(origin);
  const kind = queued ? "queued" : command === null ? "prompt" : "command";
  const sent = command === null ? null : textOf(content);
  say.prompt(command ?? textOf(content), { kind, attachments: imagesIn(content), sent });
}

/** Origins of messages that follow their own `turn.prompt`. */
const ANNOUNCED = /^(?:user|skill_activation|plugin_command|system_trigger|task|cron_job|cron_missed|retry)$/;
/** Kimi CLI marked in the text what its client wrote in the user's role. */
const INJECTED = /^\s*<(system|system-reminder|notification)\b[^>]*>[\s\S]*<\/\1>\s*$/;

/** A text in the user's role, of any author; in sessions taken over from Kimi CLI all messages, without an origin. */
function message({ record, state, identity }: Scene): Rule {
  const { role, content, toolCalls, toolCallId, isError, id, origin: stated } = obj(record["message"]) ?? {};
  const origin = obj(stated) ?? {};
  const text = textOf(content);
  if (role === "assistant")
    return {
      rule: "kimi.answer",
      says: (say) => say.reply([...blocksOf(content).map(spoken), ...blocksOf(toolCalls)]),
    };
  if (role === "tool")
    return {
      rule: "kimi.result",
      says: (say) => settle(say, state, str(toolCallId) ?? "", { output: content, isError }),
    };
  if (origin["kind"] === "shell_command") return shell(origin, text, identity);
  if (state.announced && ANNOUNCED.test(str(origin["kind"]) ?? "user"))
    return { rule: "kimi.message.echo", says: () => void (state.announced = false) };
  const isHuman = stated === undefined ? !INJECTED.test(text) : origin["kind"] === "user" || commandOf(origin) !== null;
  if (role !== "user" || !isHuman || state.kind !== "root")
    return { rule: "kimi.injected", says: (say) => say.note("source", text) };
  if (origin["inTurn"] === true)
    return {
      rule: "kimi.prompt.queued",
      says(say) {
        state.steered.add(str(id) ?? "");
        ask(say, origin, content, true);
      },
    };
  return { rule: "kimi.message.user", says: (say) => ask(say, origin, content, false) };
}

function shell(origin: Native, text: string, identity: string): Rule {
  if (origin["phase"] === "input")
    return {
      rule: "kimi.shell",
      says(say, { state }) {
        const command = plain(text.replaceAll(/^<bash-input>\n?|\n?<\/bash-input>$/g, ""));
        say.prompt(`!${command}`, { kind: "shell", entry: "interactive" });
        say.call((state.shell = identity), TYPED, { command });
      },
    };
  return {
    rule: "kimi.shell.output",
    says(say, { state }) {
      const output = plain(text.replaceAll(/<\/?bash-std(?:out|err)>/g, ""));
      say.result(state.shell ?? identity, { text: output, failed: origin["isError"] === true, name: TYPED });
      say.ends();
    },
  };
}

const ESCAPED: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function plain(escaped: string): string {
  return escaped.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ESCAPED[name] ?? "");
}

function part(say: Say, { record, state }: Scene): void {
  const { type, thinking, text } = spoken(obj(eventOf(record)["part"]) ?? {});
  if (type === "thinking") say.thinking(str(thinking) ?? "");
  else say.text(str(text) ?? "", { model: state.model });
}

/** A block of reasoning has a name of its own. */
function spoken(block: Native): Block {
  const { type, think } = block;
  return type === "think" ? { type: "thinking", thinking: think } : { ...block, type: str(type) ?? "" };
}

function call(say: Say, { record, state }: Scene): void {
  const { toolCallId, name, args } = eventOf(record);
  const id = str(toolCallId) ?? "";
  say.call(id, str(name) ?? "", parsedInput(args));
  // Files are tracked by their path in the directory that is worked in; calls may name them in full.
  const path = state.calls.get(id)?.path ?? null;
  if (path !== null && state.absent !== null && `/${path}`.endsWith(`/${state.absent}`)) state.creates.add(id);
  state.absent = null;
}

/** The result of a command that goes on in the background: how it ends is not in it. */
const GOES_ON = /^task_id: \S+\n(?:.*\n)*?status: running\n/;

function settle(say: Say, state: ReaderState, id: string, { output, isError, durationMs }: Native): void {
  const { name, path } = state.calls.get(id) ?? { name: "", path: null };
  const text = str(output) ?? textOf(output);
  const result: Result = { text, failed: isError === true, ms: num(durationMs) };
  if (state.refused.delete(id)) result.status = "denied";
  else if (name === "Bash" && isError !== true && GOES_ON.test(text)) result.status = "pending";
  if (state.creates.delete(id) && path !== null) result.files = [{ path, operation: "created" }];
  say.result(id, result);
}

/** `/compact` makes the model work; otherwise the turn that runs needs room. */
function compaction({ record: { source, instruction }, state }: Scene): Rule {
  const asked = source === "manual" && state.kind === "root";
  return {
    rule: asked ? "kimi.compaction.asked" : "kimi.compaction",
    says(say) {
      state.compacting = asked ? "manual" : source === "auto" ? "auto" : "unknown";
      const typed = `/compact ${str(instruction) ?? ""}`.trimEnd();
      if (asked) say.prompt(typed, { kind: "command", entry: "interactive" });
    },
  };
}

function child(say: Say, { record, path }: Scene, phase: "spawned" | "returned"): void {
  const { subagentId, subagentName, parentToolCallId } = record;
  const id = agentSession(placeOf(path).session, str(subagentId) ?? "");
  say.child(id, phase, { role: str(subagentName), call: str(parentToolCallId) });
}
