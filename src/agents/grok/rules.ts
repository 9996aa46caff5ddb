/** What each update is, and who wrote it; the names of all rules. */
import type { TriggerEntry } from "../../record/record.ts";
import {
  freshChat,
  quiet,
  type ChatState,
  type Judge,
  type Rule as ChatRule,
  type Scene as ChatScene,
  type ReasonOf,
} from "../kit/chat.ts";
import type { Lines } from "../kit/json-lines.ts";
import { iso, millis, nonEmpty, num, obj, str, type Native } from "../kit/native.ts";
import type { ChatTools, Say } from "../kit/say.ts";
import { RecentMap } from "../kit/state.ts";
import { settle, textIn } from "./calls.ts";
import { SOURCE_ID, SUMMARY } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "compaction.asked prompt prompt.queued shell",
  echo: "prompt.part",
  setup: "settings",
  session: "client rewind summary",
  reaction: ["answer call call.progress compaction injected prompt.delegated result retry state", "subagent turn.end"],
  inherited: "id.inherited",
  duplicate: "id.repeated",
  unknown: "type.unknown",
} as const;

export type Reason = ReasonOf<"grok", typeof CLASSES>;
export type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;
type Header = Parameters<Say["header"]>[0];

/** A sub-agent that was started, and when: what it spent until it ended is part of what its parent states. */
export interface Started {
  prompt: string;
  call: string | null;
  role: string | null;
  from: number | null;
  to: number | null;
}

export interface ReaderState extends ChatState {
  /** Prompts have had numbers: a text without one is none. */
  numbered: boolean;
  /** The last line of the prompt that was read. */
  until: number;
  /** Prompts by their number, with their line: a rewind names a number. */
  prompts: RecentMap<number>;
  /** The client handles a command by itself: what it says about a turn is no end of one. */
  client: boolean;
  compacting: "manual" | "auto";
  /** Calls that start sub-agents, by the description they give them; the sub-agents, by their session. */
  tasks: RecentMap<string>;
  children: RecentMap<Started>;
}

export function freshState(): ReaderState {
  return {
    ...freshChat(),
    numbered: false,
    until: 0,
    client: false,
    compacting: "auto",
    prompts: new RecentMap<number>(1024),
    tasks: new RecentMap<string>(64),
    children: new RecentMap<Started>(128),
  };
}

/** Name of the call that stands for a command typed with `!`. */
const TYPED = "user_shell";

export const TOOLS: ChatTools = {
  shell: ["run_terminal_command", TYPED],
  words: {
    denied: /^User rejected the execution/,
    interrupted: /^(?:Subagent was cancelled|Tool execution cancelled)/,
  },
};

const STATE =
  "available_commands_update current_mode_update config_option_update session_info_update plan diff_review memory_flush_started memory_flush_completed memory_dream_completed memory_session_saved auto_compact_failed auto_compact_cancelled auto_continue_completed feedback_request relay_sync_status auto_recovery_started hook_annotation hook_execution hooks_changed plugins_changed plugin_updates_installed session_status session_summary_generated session_recap session_recap_unavailable last_turn_summary compaction_checkpoint background_tasks task_backgrounded scheduled_task_created scheduled_task_fired scheduled_task_deleted monitor_event image_compressed image_dropped memory_files workflow_updated goal_updated pending_interaction interaction_resolved tool_call_delta_chunk response_started reasoning_completed response_completed";

export const RULES: Readonly<Record<string, Judge<ReaderState, Reason>>> = {
  ...quiet(STATE, "grok.state"),
  user_message_chunk: user,
  agent_message_chunk: ({ record }) =>
    isClients(record)
      ? { rule: "grok.client" }
      : { rule: "grok.answer", says: (say) => say.text(textIn(updateOf(record)["content"])) },
  agent_thought_chunk: {
    rule: "grok.answer",
    says: (say, { record }) => say.thinking(textIn(updateOf(record)["content"])),
  },
  tool_call: { rule: "grok.call", says: call },
  tool_call_update({ record }) {
    const { status } = updateOf(record);
    if (status !== "completed" && status !== "failed") return { rule: "grok.call.progress" };
    return { rule: "grok.result", says: (say) => settle(say, updateOf(record)) };
  },
  task_completed: { rule: "grok.result", says: taskEnded },
  turn_completed: { rule: "grok.turn.end", says: turnEnded },
  retry_state: { rule: "grok.retry", says: retried },
  auto_recovery_exhausted: {
    rule: "grok.retry",
    says: (say, { record }) => say.fails(str(updateOf(record)["error"]), false),
  },
  model_changed: { rule: "grok.settings", says: modelSet },
  model_auto_switched: { rule: "grok.settings", says: modelSet },
  auto_compact_started: {
    rule: "grok.compaction",
    says: (_say, { state }) => void (state.compacting = state.client ? "manual" : "auto"),
  },
  auto_compact_completed: {
    rule: "grok.compaction",
    says: (say, { record, state }) => say.compacted(state.compacting, str(updateOf(record)["summary_preview"])),
  },
  subagent_spawned: { rule: "grok.subagent", says: spawned },
  subagent_progress: { rule: "grok.subagent" },
  subagent_finished: { rule: "grok.subagent", says: finished },
  rewind_marker: { rule: "grok.rewind", says: rewound },
};

export function updateOf(record: Native): Native {
  return obj(obj(record["params"])?.["update"]) ?? {};
}

/** The number of the prompt that a text in the user's role is a part of. */
function numberOf(record: Native): number | null {
  const update = updateOf(record);
  return update["sessionUpdate"] === "user_message_chunk" ? num(obj(update["_meta"])?.["promptIndex"]) : null;
}

/** A command that the client handled alone, and its answer. */
function isClients(record: Native): boolean {
  return obj(updateOf(record)["_meta"])?.["hostTurn"] === true;
}

/** A text typed while the agent worked, in the frame that tells the model so. */
const STEERED = /^The user sent a message while you were working:\n<user_query>\n([\s\S]*)\n<\/user_query>/;

/** Prompts that the agent gives itself, by their own name. */
const OWN =
  /^(?:task-completed|subagent-completed|workflow-completed|notifications|goal-summary|goal-classifier-nudge|scheduler-fired|plan-resume)-/;

function user(scene: Scene): Rule {
  const { record, state, beside } = scene;
  const { content, _meta: about } = updateOf(record);
  const [block, meta] = [obj(content) ?? {}, obj(about) ?? {}];
  const text = textIn(content);
  if (scene.line <= state.until) return { rule: "grok.prompt.part" };
  if (isClients(record)) return command(text);
  const kind = str(beside.json(SUMMARY)?.["session_kind"]) ?? "";
  const shell = str(obj(block["_meta"])?.["bash_command"]);
  if (shell !== null) return typedInShell(scene, shell);
  const index = numberOf(record);
  const rest = restOf(scene.lines, index);
  const rule = (name: Reason, says: (say: Say) => void): Rule => ({
    rule: name,
    open: rest.open,
    says(say) {
      // Turns have the place of their session from the first one on; the summary is read behind the last line.
      if (state.until === 0) say.header(headerIn(beside.json(SUMMARY) ?? {}));
      state.client = false;
      state.until = scene.line + rest.texts.length;
      if (index !== null) state.prompts.set(String(index), scene.line);
      state.numbered ||= index !== null;
      if (str(meta["modelId"]) !== null) say.settings({ model: str(meta["modelId"]) });
      says(say);
    },
  });
  const steered = STEERED.exec(text)?.[1];
  if (kind.startsWith("subagent")) return rule("grok.prompt.delegated", (say) => say.note("agent", text));
  if (index === null && steered !== undefined)
    return rule("grok.prompt.queued", (say) => say.prompt(steered, { kind: "queued", entry: entryOf(kind) }));
  const isOwn = meta["hideFromScrollback"] === true || OWN.test(rest.name) || (index === null && state.numbered);
  if (isOwn) return rule("grok.injected", (say) => say.note("source", text));
  return rule("grok.prompt", (say) => {
    const whole = [text, ...rest.texts].filter((one) => one !== "").join("\n");
    const attachments = rest.images + (block["type"] === "image" ? 1 : 0);
    // A skill is sent as what it says; what was typed stands beside it.
    const typed = nonEmpty(obj(block["_meta"])?.["displayText"]) ?? whole;
    const how = typed === whole ? { kind: "prompt" as const } : { kind: "command" as const, sent: whole };
    say.prompt(typed, { ...how, entry: entryOf(kind), attachments });
  });
}

export function headerIn({ info, created_at, session_kind, parent_session_id, current_model_id }: Native): Header {
  const parent = str(parent_session_id);
  const isChild = (str(session_kind) ?? "").startsWith("subagent");
  return {
    kind: isChild ? "subagent" : "root",
    cwd: str(obj(info)?.["cwd"]),
    started_at: iso(millis(created_at)),
    model: str(current_model_id),
    parent: isChild && parent !== null ? { source: SOURCE_ID, session_id: parent } : null,
    forked_from: isChild ? null : parent,
  };
}

interface Rest {
  texts: string[];
  images: number;
  /** The name of the prompt, which only later updates have. */
  name: string;
  open: boolean;
}

/** A prompt has an update for every block; those behind the first belong to it. */
function restOf(lines: Lines, index: number | null): Rest {
  const rest: Rest = { texts: [], images: 0, name: "", open: false };
  for (let k = 0; ; k++) {
    const line = lines.peek(k);
    if (!line || (line.value === null && !line.terminated)) return { ...rest, open: true };
    if (line.value === null) return rest;
    const update = updateOf(line.value);
    const block = obj(update["content"]) ?? {};
    if (index !== null && numberOf(line.value) === index) {
      rest.texts.push(textIn(block));
      if (block["type"] === "image") rest.images++;
      continue;
    }
    rest.name = str(update["prompt_id"]) ?? str(obj(obj(line.value["params"])?.["_meta"])?.["promptId"]) ?? "";
    return rest;
  }
}

/** How a session was started is stated only if it was without a terminal. */
function entryOf(kind: string): TriggerEntry {
  return kind === "headless" ? "headless" : "unknown";
}

/** Of the commands that the client handles by itself only `/compact` makes a model work. */
function command(text: string): Rule {
  const asked = /^\/compact\b/.test(text);
  return {
    rule: asked ? "grok.compaction.asked" : "grok.client",
    says(say, { state }) {
      state.client = true;
      if (asked) say.prompt(text, { kind: "command", entry: "interactive" });
    },
  };
}

function typedInShell({ identity }: Scene, typed: string): Rule {
  return {
    rule: "grok.shell",
    says(say, { state }) {
      state.client = false;
      say.prompt(`!${typed}`, { kind: "shell", entry: "interactive" });
      say.started({ id: identity });
    },
  };
}

function call(say: Say, { record, state }: Scene): void {
  const { toolCallId, title, rawInput, _meta: about } = updateOf(record);
  const tool = obj(obj(about)?.["x.ai/tool"]) ?? {};
  const id = str(toolCallId) ?? "";
  const name = id.startsWith("bash-mode-") ? TYPED : (str(tool["name"]) ?? str(title) ?? "");
  const task = str(obj(rawInput)?.["description"]);
  if (tool["kind"] === "task" && task !== null) state.tasks.set(task, id);
  say.call(id, name, rawInput ?? null);
}

/** The end of a command that went on in the background. */
function taskEnded(say: Say, { record }: Scene): void {
  const { task_id, tool_call_id, exit_code, signal, output } = obj(updateOf(record)["task_snapshot"]) ?? {};
  const exit = num(exit_code);
  const failed = str(signal) !== null || (exit === null ? null : exit !== 0);
  say.result(str(tool_call_id) ?? str(task_id) ?? "", { text: str(output) ?? "", failed, exit });
}

/** Of a command of the client nothing is said: it is no end of the turn before it. */
function turnEnded(say: Say, { record, state }: Scene): void {
  const { stop_reason, agent_result } = updateOf(record);
  const reason = str(stop_reason) ?? "";
  if (state.client && state.compacting !== "manual") return;
  if (reason === "cancelled") say.interrupted();
  else if (reason === "error" || reason === "refusal") say.fails(str(agent_result) ?? reason);
  else say.ends(reason);
}

/** `failed` is the last attempt, which `turn_completed` repeats as the end of the turn. */
function retried(say: Say, { record }: Scene): void {
  const { type, message, reason } = updateOf(record);
  if (type !== "failed" && type !== "exhausted") say.fails(str(message) ?? str(reason), false);
}

function modelSet(say: Say, { record }: Scene): void {
  const { model_id, new_model_id, reasoning_effort } = updateOf(record);
  const effort = str(reasoning_effort);
  say.settings({ model: str(model_id) ?? str(new_model_id), ...(effort === null ? {} : { effort }) });
}

function spawned(say: Say, { record, state, time }: Scene): void {
  const { child_session_id, parent_prompt_id, subagent_type, description } = updateOf(record);
  const child = str(child_session_id) ?? "";
  const call = state.tasks.get(str(description) ?? "") ?? null;
  const started = { prompt: str(parent_prompt_id) ?? "", call, role: str(subagent_type), from: time, to: null };
  state.children.set(child, started);
  say.child(child, "spawned", started);
}

function finished(say: Say, { record, state, time }: Scene): void {
  const child = str(updateOf(record)["child_session_id"]) ?? "";
  const started = state.children.get(child);
  if (!started) return;
  state.children.set(child, { ...started, to: time });
  say.child(child, "returned", started);
}

/** Everything from the prompt with this number on is taken back; the numbers are then given again. */
function rewound(say: Say, { record, state }: Scene): void {
  const target = num(updateOf(record)["target_prompt_index"]) ?? Infinity;
  const gone = [...state.prompts.toJSON()].filter(([index]) => Number(index) >= target);
  const from_line = Math.min(...gone.map(([, line]) => line));
  for (const [index] of gone) state.prompts.delete(index);
  if (gone.length > 0) say.record({ type: "cancelled", reason: "rewound", from_line });
}
