/**
 * What a rule is given and what it returns: the state of the reader, a record in its context, the verdict, and the
 * names of all rules.
 */
import type {
  RecordBody,
  SessionKind,
  ToolStatus,
  TouchedFile,
  TriggerEntry,
  TriggerKind,
  UserBody,
} from "../../record/record.ts";
import type { EntryClass, SharedText } from "../contract.ts";
import { addInstructions, type Instructions } from "../kit/instructions.ts";
import type { CommandTemplates } from "../kit/prompts.ts";
import { nativeTurnId, type FragmentKind, type NativeRecord } from "./native.ts";

/**
 * Everything the reader remembers between two lines. Plain JSON, because it is the `state` of a cursor: reading may
 * stop after any line and resume in another process.
 */
export interface ReaderState {
  /** From the first usable header, else from the file name. */
  sessionId: string;
  /** A header named the session. */
  named: boolean;
  kind: SessionKind;
  entry: TriggerEntry;
  version: string | null;
  model: string | null;
  cwd: string | null;
  /** The session's header as last reported, to find what a repeated header changes. */
  header: Record<string, unknown> | null;
  /** Where copied history ends: see `children.ts`. */
  copy: { until: number | null; startedAfter: number } | null;
  historyStart: number | null;
  /** The parent's records are known, and the leading run of copies has not ended yet. */
  inheriting: boolean;
  /** Lines are bare items of the oldest formats, which never had echoes. */
  bare: boolean;
  /** Lifecycle events exist in this file (0.101 and later). */
  lifecycle: boolean;
  /** The running native turn. */
  turn: TaskState | null;
  /** The mode that tasks run in, as last stated. */
  mode: string | null;
  /** The last plan: the task it was shown in, its beginning, and whether it waits for the human's answer. */
  plan: { task: string | null; start: string; open: boolean } | null;
  /** The goal that Codex works on by itself, see `turns.ts`; null when there is none. */
  goal: GoalState | null;
  /** What the last message about the goal says that the human did. */
  goalSaid: "set" | "resumed" | null;
  /** The task in which the model made a goal that no task works on yet. */
  goalMadeIn: string | null;
  /** The owners of tasks that a goal caused. */
  owners: Record<string, string>;
  /** A review is running; its reviewer's records are forwarded into this file. */
  review: boolean;
  /** Line number of the echo of the last user message. */
  echoLine: number;
  /** A `!` command whose transcript message has not been read yet. */
  shell: string | null;
  /**
   * The last item: `m` message of the model, `r` the same and then another request, `w` other work of model or tool, `u`
   * user prompt, "" none.
   */
  last: "" | "m" | "r" | "w" | "u";
  /** A compaction was just reported, so markers that follow belong to it. `early` if a prompt waited for it. */
  compacted: "" | "stated" | "early";
  totals: readonly number[] | null;
  /** The running total before the session's own first response; null before a total was stated. */
  base: readonly number[] | null;
  /** The file has `token_usage_record`s: the `token_count` events only repeat them. */
  recorded: boolean;
  /** An empty count (`info: null`) was read after `totals`. */
  totalsReset: boolean;
  /** How often the running total restarted from zero. */
  epoch: number;
  rateLimits: string | null;
  /** Size of the model's context window in tokens, as last reported. */
  window: number | null;
  /** For instructions that are repeated with every turn: the hash of the text stated last, by kind and path. */
  instructions: Record<string, string>;
  /** The last message was the end of an import from another agent, whose usage is estimated. */
  imported: boolean;
  calls: Record<string, CallState>;
  /** Running processes and script cells: the call that started each, by native id. */
  processes: Record<string, string>;
  /** Phases already reported, by child thread id. */
  children: Record<string, ChildState>;
  /** Another agent wrote to this one, in messages of their own kind. */
  mailed: boolean;
  /** Thread ids by agent path. */
  paths: Record<string, string>;
  /** Fingerprints of user messages and snapshots, which compactions repeat. */
  retained: string[];
  /** Fingerprints of texts in response items whose event has not been read yet. */
  spoken: string[];
  /**
   * Fingerprints of texts in events whose response item has not been read yet; with `!` if the event reported the text.
   */
  echoed: string[];
}

interface TaskState {
  id: string | null;
  prompts: number;
  /** Model or tool output was seen. */
  output: boolean;
  /** Text of an assistant message was seen. */
  text: boolean;
  /** A user shell command, a compaction or a review: no answer is expected. */
  silent: boolean;
  compact: boolean;
  error: string | null;
  /** Who started it, where that is stated: an agent, or a client of the human. */
  startedBy: "agent" | "client" | null;
  /** A goal caused it, so there is no prompt to come. */
  goal: boolean;
  /** The turn that owns it may not be the one that began last, so that records without a turn id have to name it. */
  named: boolean;
}

export interface GoalState {
  /** Null when it is not stated. */
  objective: string | null;
  /** When it was created, as stated by Codex. */
  created: number | null;
  status: string;
  /** The native id of the turn that owns the tasks for this goal; null when it is unknown. */
  owner: string | null;
}

export interface CallState {
  name: string;
  turn: string | null;
  /** When it was called. */
  at: number | null;
  open: boolean;
  status?: ToolStatus;
  exit?: number | null;
  ms?: number | null;
  files?: TouchedFile[];
  role?: string | null;
  /** For calls of the script tool. */
  script?: ScriptState;
  /** For calls that act on a running process: which one. */
  process?: string;
}

/** A script and what ran inside it: see `calls.ts`. Times are those of the records, 0 if they have none. */
export interface ScriptState {
  /** The beginning of the script without what already ran, as long as it may be needed. */
  text?: string;
  /** It mentions its tools once: to run a command, or another tool. */
  single?: "command" | "tool";
  /** It may run the same text more than once. */
  repeats?: true;
  /** When the response that called it was complete. */
  sampledAt?: number;
  /** The first output, possibly only that it is still running. */
  firstAt?: number;
  endedAt?: number;
  /** A step whose script is not known may have run inside. */
  unsure?: true;
  /** The number of commands and MCP tools that ran inside, and how the last of them ended. */
  steps?: number;
  lastStep?: { status: ToolStatus; exit: number | null; error: string | null };
}

interface ChildState {
  spawned: boolean;
  returned: boolean;
}

export function initialState(sessionId: string, inheriting: boolean): ReaderState {
  return {
    sessionId,
    named: false,
    kind: "root",
    entry: "unknown",
    version: null,
    model: null,
    cwd: null,
    header: null,
    copy: null,
    historyStart: null,
    inheriting,
    bare: false,
    lifecycle: false,
    turn: null,
    mode: null,
    plan: null,
    goal: null,
    goalSaid: null,
    goalMadeIn: null,
    owners: {},
    review: false,
    echoLine: 0,
    shell: null,
    last: "",
    compacted: "",
    totals: null,
    base: null,
    recorded: false,
    totalsReset: false,
    epoch: 0,
    rateLimits: null,
    window: null,
    instructions: {},
    imported: false,
    calls: {},
    processes: {},
    children: {},
    mailed: false,
    paths: {},
    retained: [],
    spoken: [],
    echoed: [],
  };
}

const MOST_KEYS = 96;

/** Sets a key and drops the oldest one above a limit, so that the state of a long session stays small. */
export function remember<T>(map: Record<string, T>, key: string, value: T, droppable?: (value: T) => boolean): void {
  map[key] = value;
  const keys = Object.keys(map);
  if (keys.length <= MOST_KEYS) return;
  for (const old of keys) {
    const held = map[old];
    if (old !== key && (droppable === undefined || (held !== undefined && droppable(held)))) {
      delete map[old];
      return;
    }
  }
  const first = keys.find((old) => old !== key);
  if (first !== undefined) delete map[first];
}

/** Appends to a short list of fingerprints. */
export function pushRecent(list: string[], value: string, most = 16): void {
  list.push(value);
  if (list.length > most) list.shift();
}

/** Removes one occurrence; true when it was there. */
export function removeOne(list: string[], value: string): boolean {
  const at = list.indexOf(value);
  if (at === -1) return false;
  list.splice(at, 1);
  return true;
}

/** Looks at own keys only: ids come from files, and a call may be named `constructor`. */
export function recall<T>(map: Readonly<Record<string, T>>, key: string | null): T | undefined {
  return key !== null && Object.hasOwn(map, key) ? map[key] : undefined;
}

/**
 * Every rule of this reader, by the name that `explain` and `audit` print. FORMAT.md explains them; a test keeps this
 * list, FORMAT.md and the rules that files produce in sync.
 */
export const REASONS = [
  "codex.agent.delegation",
  "codex.agent_mail",
  "codex.agent_mail.metadata",
  "codex.agent_message.echo",
  "codex.agent_message.empty",
  "codex.agent_message.only_event",
  "codex.assistant",
  "codex.assistant.empty",
  "codex.assistant.told_by_event",
  "codex.automation.heartbeat",
  "codex.automation.probe",
  "codex.automation.scheduled",
  "codex.collab",
  "codex.compacted",
  "codex.compacted.auto",
  "codex.compacted.before_prompt",
  "codex.compacted.marker",
  "codex.compacted.marker_first",
  "codex.compacted.notice",
  "codex.compacted.only_event",
  "codex.compaction.manual",
  "codex.compaction.opaque",
  "codex.compaction.output",
  "codex.compaction.typed_between_turns",
  "codex.delegation.response_item.bare",
  "codex.delegation.response_item.echoed",
  "codex.delegation.response_item.provenance_user",
  "codex.delegation.response_item.unechoed",
  "codex.delegation.response_item.unwrapped",
  "codex.delegation.user_message.only_event",
  "codex.developer",
  "codex.developer.aborted",
  "codex.developer.notification",
  "codex.echo.generated.aborted",
  "codex.echo.generated.environment",
  "codex.echo.generated.external",
  "codex.echo.generated.hook",
  "codex.echo.generated.instructions",
  "codex.echo.generated.notification",
  "codex.echo.generated.plugins",
  "codex.echo.generated.review_exit",
  "codex.echo.generated.skill",
  "codex.echo.generated.steering",
  "codex.echo.generated.summary",
  "codex.echo.generated.warning",
  "codex.event.agent_reasoning_section_break",
  "codex.event.background_event",
  "codex.event.deprecation_notice",
  "codex.event.dynamic_tool_call_request",
  "codex.event.exec_command_begin",
  "codex.event.guardian_assessment",
  "codex.event.guardian_warning",
  "codex.event.hook_completed",
  "codex.event.hook_started",
  "codex.event.image_generation_begin",
  "codex.event.item_started",
  "codex.event.mcp_tool_call_begin",
  "codex.event.model_reroute",
  "codex.event.patch_apply_begin",
  "codex.event.plan_update",
  "codex.event.request_user_input",
  "codex.event.turn_diff",
  "codex.event.undo_completed",
  "codex.event.undo_started",
  "codex.event.view_image_tool_call",
  "codex.event.warning",
  "codex.event.web_search_begin",
  "codex.ghost_snapshot",
  "codex.goal",
  "codex.goal.set",
  "codex.goal.task",
  "codex.header",
  "codex.header.changed",
  "codex.header.empty",
  "codex.header.foreign",
  "codex.header.repeated",
  "codex.housekeeping.assessment",
  "codex.housekeeping.suggestions",
  "codex.housekeeping.title",
  "codex.inherited.before_own_history",
  "codex.inherited.copied_at_start",
  "codex.inherited.parent_record",
  "codex.item.collab",
  "codex.item.command",
  "codex.item.echo",
  "codex.item.hook_prompt",
  "codex.item.image_view",
  "codex.item.patch",
  "codex.item.plan",
  "codex.item.self_settled",
  "codex.item.sub_agent",
  "codex.item.tool",
  "codex.line.blank",
  "codex.line.not_json",
  "codex.line.not_object",
  "codex.line.nul_bytes",
  "codex.line.too_deep",
  "codex.line.too_large",
  "codex.line.torn",
  "codex.marker.aborted",
  "codex.marker.environment",
  "codex.marker.external",
  "codex.marker.hook",
  "codex.marker.instructions",
  "codex.marker.notification",
  "codex.marker.plugins",
  "codex.marker.review_exit",
  "codex.marker.skill",
  "codex.marker.steering",
  "codex.marker.summary",
  "codex.marker.warning",
  "codex.provenance.aborted",
  "codex.provenance.environment",
  "codex.provenance.external",
  "codex.provenance.generated",
  "codex.provenance.hook",
  "codex.provenance.instructions",
  "codex.provenance.notification",
  "codex.provenance.plugins",
  "codex.provenance.review_exit",
  "codex.provenance.skill",
  "codex.provenance.steering",
  "codex.provenance.summary",
  "codex.provenance.warning",
  "codex.reasoning",
  "codex.reasoning.echo",
  "codex.reasoning.empty",
  "codex.reasoning.only_event",
  "codex.reasoning.told_by_event",
  "codex.renamed",
  "codex.response_item.bare",
  "codex.response_item.echoed",
  "codex.response_item.provenance_user",
  "codex.response_item.unechoed",
  "codex.response_item.unwrapped",
  "codex.retained_context",
  "codex.review.entered",
  "codex.review.exited",
  "codex.review.forwarded",
  "codex.review.prompt",
  "codex.risk_score",
  "codex.settings",
  "codex.shutdown",
  "codex.skimmed",
  "codex.state_marker",
  "codex.sub_agent",
  "codex.system",
  "codex.tool.call",
  "codex.tool.notice",
  "codex.tool.output",
  "codex.tool.output_without_call",
  "codex.tool.self_settled",
  "codex.tools",
  "codex.turn.aborted",
  "codex.turn.completed",
  "codex.turn.error",
  "codex.turn.failed",
  "codex.turn.rolled_back",
  "codex.turn.started",
  "codex.turn.stream_error",
  "codex.turn.unanswered",
  "codex.turn_context",
  "codex.type.unknown",
  "codex.usage.counted",
  "codex.usage.duplicate",
  "codex.usage.estimate",
  "codex.usage.none",
  "codex.user_message.echo",
  "codex.user_message.only_event",
  "codex.user_shell.command",
  "codex.user_shell.transcript",
  "codex.user_shell.transcript_only",
  "codex.user_shell.unreadable",
  "codex.world_state",
] as const;

export type Reason = (typeof REASONS)[number];

/** Rules that recognise a prompt. */
export type PromptReason =
  | "codex.response_item.bare"
  | "codex.response_item.echoed"
  | "codex.response_item.provenance_user"
  | "codex.response_item.unechoed"
  | "codex.response_item.unwrapped"
  | "codex.user_message.only_event";

/** The corresponding rules in a session that no human drives. */
export const DELEGATED_REASONS: Readonly<Record<PromptReason, Reason>> = {
  "codex.response_item.bare": "codex.delegation.response_item.bare",
  "codex.response_item.echoed": "codex.delegation.response_item.echoed",
  "codex.response_item.provenance_user": "codex.delegation.response_item.provenance_user",
  "codex.response_item.unechoed": "codex.delegation.response_item.unechoed",
  "codex.response_item.unwrapped": "codex.delegation.response_item.unwrapped",
  "codex.user_message.only_event": "codex.delegation.user_message.only_event",
};

/** Evidence that Codex generated a message: its provenance, its echo, or the markers around it. */
export type Evidence = "provenance" | "echo" | "marker";
type Generated = Exclude<FragmentKind, "shell">;

export const GENERATED_REASONS: Readonly<Record<Evidence, Readonly<Record<Generated, Reason>>>> = {
  provenance: {
    instructions: "codex.provenance.instructions",
    environment: "codex.provenance.environment",
    skill: "codex.provenance.skill",
    plugins: "codex.provenance.plugins",
    steering: "codex.provenance.steering",
    external: "codex.provenance.external",
    aborted: "codex.provenance.aborted",
    notification: "codex.provenance.notification",
    review_exit: "codex.provenance.review_exit",
    hook: "codex.provenance.hook",
    warning: "codex.provenance.warning",
    summary: "codex.provenance.summary",
  },
  echo: {
    instructions: "codex.echo.generated.instructions",
    environment: "codex.echo.generated.environment",
    skill: "codex.echo.generated.skill",
    plugins: "codex.echo.generated.plugins",
    steering: "codex.echo.generated.steering",
    external: "codex.echo.generated.external",
    aborted: "codex.echo.generated.aborted",
    notification: "codex.echo.generated.notification",
    review_exit: "codex.echo.generated.review_exit",
    hook: "codex.echo.generated.hook",
    warning: "codex.echo.generated.warning",
    summary: "codex.echo.generated.summary",
  },
  marker: {
    instructions: "codex.marker.instructions",
    environment: "codex.marker.environment",
    skill: "codex.marker.skill",
    plugins: "codex.marker.plugins",
    steering: "codex.marker.steering",
    external: "codex.marker.external",
    aborted: "codex.marker.aborted",
    notification: "codex.marker.notification",
    review_exit: "codex.marker.review_exit",
    hook: "codex.marker.hook",
    warning: "codex.marker.warning",
    summary: "codex.marker.summary",
  },
};

/** How far ahead a rule may look. Fixed, so that the reader knows when the end of the file may affect a verdict. */
export const LOOKAHEAD = 16;

/** One record with everything that the rules may use to classify it. */
export interface ClassifyContext {
  record: NativeRecord;
  state: ReaderState;
  /** Build texts, inputs and outputs. */
  full: boolean;
  /** False with detail `usage`: settings and totals are not reported then. */
  detailed: boolean;
  /** Recognises the expanded text of commands. */
  templates: CommandTemplates;
  /** The k-th record after this one; null when the file ends before it (it may still grow). */
  ahead(k: number): NativeRecord | null;
}

/** Notes that the model or a tool produced output in the current turn, unless the record belongs to an earlier turn. */
export function noteOutput({ record, state }: ClassifyContext): void {
  state.last = "w";
  state.compacted = "";
  const turnId = nativeTurnId(record);
  if (state.turn && (turnId === null || state.turn.id === null || turnId === state.turn.id)) state.turn.output = true;
}

/** Notes that the turn has an answer: usage was stated for it, even if the answer was empty. */
export function noteAnswer({ record, state }: ClassifyContext): void {
  const turnId = nativeTurnId(record);
  if (state.turn && state.turn.prompts > 0 && (turnId === null || turnId === state.turn.id)) state.turn.output = true;
}

export interface Verdict {
  class: EntryClass;
  reason: Reason;
  records: readonly RecordBody[];
  texts?: readonly SharedText[];
  /** The file ended before the verdict was certain. */
  tentative?: boolean;
}

export function verdict(
  cls: EntryClass,
  reason: Reason,
  records: RecordBody[] = [],
  tentative: boolean = false,
): Verdict {
  return { class: cls, reason, records, tentative };
}

export function reaction(reason: Reason, ...records: RecordBody[]): Verdict {
  return verdict("reaction", reason, records);
}

export function setup(reason: Reason, ...records: RecordBody[]): Verdict {
  return verdict("setup", reason, records);
}

/** Adds the instructions in the record to its verdict, after all other records. */
export function withInstructions(
  { detailed, full }: ClassifyContext,
  found: Verdict,
  given: () => Instructions,
): Verdict {
  if (detailed) addInstructions(found, given(), full);
  return found;
}

/** A type this reader does not know: kept, named and counted, never dropped. */
export function unknownType(native: string): Verdict {
  return verdict("unknown", "codex.type.unknown", [{ type: "unknown", native_type: native }]);
}

/** A human action without a prompt: `/review`, `/compact`, `/goal`. */
export function humanAction(
  ctx: ClassifyContext,
  text: string,
  kind: TriggerKind,
  reason: Reason,
  turnId: string | null = nativeTurnId(ctx.record),
): Verdict {
  const { state } = ctx;
  const root = state.kind === "root";
  const body: UserBody = { type: "user", author: root ? "human" : "agent", text };
  if (turnId !== null) body.native_turn_id = turnId;
  if (state.lifecycle) body.ends_stated = true;
  if (root) {
    body.kind = kind;
    body.entry = state.entry;
  }
  return verdict(root ? "trigger" : "reaction", reason, [body]);
}
