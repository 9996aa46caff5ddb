/** Tokens: what records state, which lines need not be parsed to find that, sums of whole files, output per turn. */
import type { Tokens, UsageBody, UsageTotalBody } from "../../record/record.ts";
import { openPlain } from "../../base/io/bytes.ts";
import { zonedTime } from "../../base/io/instant.ts";
import { parseJson } from "../../base/io/json.ts";
import { readLines, type Skimmer } from "../../base/io/lines.ts";
import type { OutputMeter, Source } from "../contract.ts";
import { isTokenCount, obj, count, wholeCount, type Native } from "../kit/native.ts";
import { fieldsOf, isFields, sessionIdFromPath, timeOf, wordOf, type Fields, type NativeRecord } from "./native.ts";
import { initialState, type ReaderState } from "./state.ts";

/** Input, cached, cache write, output, reasoning, total, as Codex counts them (input includes both cache parts). */
type Counts = readonly number[];

const NAMES = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const;
const PARTS = 5;

function countsOf(usage: Fields): Counts {
  // A plain loop for speed: this runs for every token count.
  const counts: number[] = [];
  for (const name of NAMES) {
    const tokens = count(usage[name]);
    counts.push(tokens === (usage[name] ?? 0) ? tokens : 0);
  }
  return counts;
}

function isPossible(usage: Fields): boolean {
  return NAMES.every((name) => isTokenCount(usage[name]));
}

const at = (counts: Counts, index: number): number => counts[index] ?? 0;
const minus = (a: Counts, b: Counts): Counts => NAMES.map((_, i) => at(a, i) - at(b, i));
/** Compares the parts without `total_tokens`, which Codex also uses as a gauge of the context window. */
const sameParts = (a: Counts, b: Counts): boolean => {
  for (let i = 0; i < PARTS; i++) if (at(a, i) !== at(b, i)) return false;
  return true;
};
const equal = (a: Counts, b: Counts): boolean => sameParts(a, b) && at(a, PARTS) === at(b, PARTS);
/** Whether some part is smaller than before. */
const falls = (now: Counts, before: Counts): boolean => {
  for (let i = 0; i < PARTS; i++) if (at(now, i) < at(before, i)) return true;
  return false;
};
const spends = (counts: Counts): boolean => at(counts, 0) + at(counts, 3) > 0;

function toTokens(counts: Counts): Tokens {
  return {
    input_tokens: Math.max(0, at(counts, 0) - at(counts, 1) - at(counts, 2)),
    cached_input_tokens: at(counts, 1),
    cache_write_tokens: at(counts, 2),
    cache_write_1h_tokens: 0,
    output_tokens: at(counts, 3),
    reasoning_tokens: at(counts, 4),
  };
}

const EMPTY: Tokens = toTokens([]);

/** A usage statement that is not a copy from another session. */
export interface OwnUsage extends UsageBody {
  verdict: Exclude<UsageBody["verdict"], "inherited">;
}

/**
 * A `token_usage_record` (0.166 and later) states the usage of one response with its id: the best evidence. Once a file
 * has one, only these records count: the running totals of `token_count` miss what a killed process had not written
 * there.
 */
export function usageOfRecord(payload: Fields, state: ReaderState): OwnUsage {
  const counts = countsOf(fieldsOf(payload.usage));
  if (isFields(payload.thread_token_usage) && isPossible(payload.thread_token_usage)) {
    const total = countsOf(payload.thread_token_usage);
    const before = minus(total, counts);
    // Counts before the first such record, and a total that decreased, belong to another counter.
    if (!state.recorded || state.totals === null || falls(before, state.totals)) beginCounter(state, before);
    state.totals = total;
    state.totalsReset = false;
  }
  state.recorded = true;
  return statement(state, responseId(payload, state, counts), "counted", toTokens(counts), wordOf(payload.turn_id));
}

/** Shorter ids are not unique: local model servers draw one of a million numbers, or always return the same one. */
const UNIQUE = 24;

/** Equal in every copy of the record. An id that is not unique is combined with the turn and the running total. */
function responseId(payload: Fields, state: ReaderState, counts: Counts): string {
  const id = wordOf(payload.response_id);
  const total = state.totals ?? counts;
  if (id === null) return totalId(state, total);
  return id.length >= UNIQUE ? id : `${id}@${wordOf(payload.turn_id) ?? state.sessionId}:${total.join("/")}`;
}

/**
 * A `token_count` states the running total and the last response. It is written far more often than there are
 * responses: again with each rate limit, as an estimate after a compaction, and from zero after some resumes. Only a
 * change of the total counts as usage.
 */
export function usageOfCount(info: unknown, state: ReaderState): OwnUsage | null {
  if (!isFields(info)) {
    state.totalsReset = state.totals !== null;
    return null;
  }
  const hasTotal = isFields(info.total_token_usage);
  // An impossible `last` is ignored if there is a total, which is enough.
  const hasLast = isFields(info.last_token_usage) && (!hasTotal || isPossible(info.last_token_usage));
  if (!hasTotal && !hasLast) return null;
  const last = countsOf(fieldsOf(info.last_token_usage));
  const before = state.totals;
  // Without a stated total, each statement is added to the total so far.
  const total = hasTotal
    ? countsOf(fieldsOf(info.total_token_usage))
    : NAMES.map((_, i) => at(before ?? [], i) + at(last, i));
  // An impossible total is skipped: the next one includes what was spent in the meantime.
  if (!isPossible(fieldsOf(info.total_token_usage))) return null;
  const gauge = hasLast && !spends(last) && at(last, 5) > 0;
  const restarted = state.totalsReset && equal(total, last);
  state.totalsReset = false;
  const repeats = before !== null && equal(total, before) && !restarted;

  if (state.recorded || repeats) {
    const id = totalId(state, total);
    return gauge ? estimate(state, id, last) : statement(state, id, "duplicate", toTokens(hasLast ? last : []));
  }
  state.totals = total;
  let spent: Counts;
  if (before === null) {
    spent = hasLast ? last : total;
    beginCounter(state, minus(total, spent));
  } else {
    const grown = minus(total, before);
    if (falls(total, before) || restarted || (hasLast && equal(total, last))) {
      spent = hasLast ? last : total;
      beginCounter(state, minus(total, spent));
    } else spent = hasLast && sameParts(grown, last) ? last : grown;
  }
  const id = totalId(state, total);
  if (spends(spent)) return statement(state, id, "counted", toTokens(spent));
  return gauge || at(spent, 5) > 0
    ? estimate(state, id, gauge ? last : spent)
    : statement(state, id, "duplicate", EMPTY);
}

/** Starts a new running total; `base` is what it already contains. */
function beginCounter(state: ReaderState, base: Counts): void {
  if (state.base !== null) state.epoch++;
  state.base = base.map((count) => Math.max(0, count));
}

/** Marks everything stated so far as another session's: the own usage begins at the current total. */
export function markTotalsInherited(state: ReaderState): void {
  state.base = state.totals;
}

/** The running total as the agent states it. */
export function totalOf(state: ReaderState): UsageTotalBody | null {
  if (state.totals === null) return null;
  const body: UsageTotalBody = {
    type: "usage_total",
    counter: String(state.epoch),
    includes_children: false,
    exact: state.recorded,
    models: [{ model: null, ...toTokens(state.totals) }],
  };
  if (state.base !== null && spends(state.base)) body.inherited = toTokens(state.base);
  return body;
}

/** A number that the agent estimated: the size of the context, reported as input tokens. */
function estimate(state: ReaderState, id: string, counts: Counts): OwnUsage {
  return statement(state, id, "estimate", { ...EMPTY, input_tokens: at(counts, 5) });
}

/** Responses have no id before 0.166; the running total after a response identifies it in every copy of the file. */
function totalId(state: ReaderState, total: Counts): string {
  const epoch = state.epoch > 0 ? `#${state.epoch}` : "";
  return `${state.sessionId}${epoch}:${total.join("/")}`;
}

function statement(
  state: ReaderState,
  id: string,
  verdict: OwnUsage["verdict"],
  counts: Tokens,
  turnId: string | null = null,
): OwnUsage {
  const body: OwnUsage = { type: "usage", response_id: id, model: state.model, verdict, ...counts };
  if (turnId !== null) body.native_turn_id = turnId;
  return body;
}

/** Relies on Codex's key order; a line with another order is parsed. */
const LINE_START = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"([a-z_]+)","payload":\{"type":"([a-z_]+)"/;
const WORLD = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"world_state"/;
const SKIPPED_ROLE = /"role":"(assistant|developer)"/;
const SKIPPED_ITEM = /"item":\{"type":"(Reasoning|AgentMessage|FileChange|CommandExecution)"/;
/** A command typed by the human is a trigger, so only commands that state another source may be skipped. */
const AGENTS_COMMAND = /"source":"(?:agent|unified_exec_startup|unified_exec_interaction)"/;
/** Calls that cannot start another session; all others are parsed. */
const PLAIN_CALL =
  /"name":"(?:shell|shell_command|exec_command|write_stdin|apply_patch|update_plan|view_image|exec|local_shell|container\.exec)"/;
/** Goals are requests; scripts may make one. */
const GOAL = /\b(?:create_goal|goal_objective)\b/;
/** Short texts may be the fixed messages that end a compaction or an import, short outputs may name a child session. */
const SHORT_BYTES = 600;

/**
 * Names lines that are neither requests nor state usage, and that no rule about prompts examines: work, messages and
 * setup. They are most of a session's bytes. User messages, task events, compactions and all rare types are always
 * parsed.
 */
function nameForUsage(head: string, bytes: number): string | null {
  const match = LINE_START.exec(head);
  if (match === null) return WORLD.test(head) ? "world_state" : null;
  const kind = match[2] ?? "";
  if (match[1] === "event_msg") return nameOfEvent(kind, head, bytes);
  if (match[1] !== "response_item") return null;
  switch (kind) {
    case "function_call_output":
    case "custom_tool_call_output":
      return bytes < SHORT_BYTES || GOAL.test(head) ? null : `response_item/${kind}`;
    case "additional_tools":
    case "reasoning":
      return `response_item/${kind}`;
    case "function_call":
    case "custom_tool_call":
      return PLAIN_CALL.test(head) && !GOAL.test(head) ? `response_item/${kind}` : null;
    case "message": {
      const role = SKIPPED_ROLE.exec(head)?.[1];
      if (role === undefined || (role === "assistant" && bytes < SHORT_BYTES)) return null;
      return `response_item/message/${role}`;
    }
    default:
      return null;
  }
}

const STATES_TOKENS: ReadonlySet<string> = new Set([
  "token_count",
  "task_started",
  "turn_started",
  "thread_settings_applied",
]);

/** For token sums: names everything except usage, settings, and short messages that may end an import. */
function nameForTokens(head: string, bytes: number): string | null {
  const match = LINE_START.exec(head);
  if (match === null) return WORLD.test(head) ? "world_state" : null;
  const [, type, kind = ""] = match;
  if (type === "event_msg") {
    return STATES_TOKENS.has(kind) || (kind === "agent_message" && bytes < SHORT_BYTES) ? null : kind;
  }
  if (type !== "response_item") return null;
  return kind === "message" && bytes < SHORT_BYTES ? null : kind;
}

export const skimForUsage: Skimmer = { head: 1024, name: nameForUsage };
const skimForTokens: Skimmer = { head: 160, name: nameForTokens, drop: true };

function nameOfEvent(kind: string, head: string, bytes: number): string | null {
  if (kind === "agent_message") return bytes < SHORT_BYTES ? null : "event_msg/agent_message";
  if (kind === "agent_reasoning" || kind === "exec_command_end" || kind === "patch_apply_end")
    return `event_msg/${kind}`;
  if (kind !== "item_completed") return null;
  const item = SKIPPED_ITEM.exec(head)?.[1];
  if (item === undefined || (item === "CommandExecution" && !AGENTS_COMMAND.test(head))) return null;
  return `event_msg/item_completed/${item}`;
}

/** The record of a skipped line for look-ahead: its types without any content. */
export function skippedRecord(native: string, line: number): NativeRecord {
  const [type = "", kind = "", rest = ""] = native.split("/");
  return {
    line,
    type,
    kind,
    payload: type === "response_item" && kind === "message" ? { role: rest } : {},
    item: {},
    itemType: kind === "item_completed" ? rest : "",
    metadata: {},
    time: null,
    ordinal: null,
    terminated: true,
    bare: false,
  };
}

/** Applies the few effects that a skipped line has on the state. */
export function applySkipped(native: string, state: ReaderState): void {
  if (native === "response_item/message/assistant") state.last = "m";
  else if (/^response_item\/(?:reasoning|\w+_call)$/.test(native)) state.last = "w";
}

/** Closing message of an imported session, whose usage is not its own. */
const IMPORTED = "<EXTERNAL SESSION IMPORTED>";

/** Messages, which are only searched for that closing message. */
const MESSAGE_LINE =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":(?:"response_item"|"event_msg","payload":\{"type":"agent_message")/;

/**
 * Usage of a rollout without copied history. Forks and imports are left to the full reader, which recognises copies.
 */
export const quickUsage: NonNullable<Source["quickUsage"]> = (ref, ctx, count) => {
  if (ref.container !== "jsonl") return null;
  const state = initialState(sessionIdFromPath(ref.path), false);
  const stream = openPlain(ref.path, 0, ctx.meter);
  try {
    for (const { text, terminated } of readLines(stream, { line: 0, offset: 0 }, skimForTokens)) {
      if (text === null || text.includes(IMPORTED)) return null;
      if (MESSAGE_LINE.test(text)) continue;
      const value = (terminated ? withoutLimits(text) : null) ?? parseOrNull(text);
      if (value === null) continue;
      // Lines without a payload are of the oldest format, which has no usage.
      const payload = isFields(value.payload) ? value.payload : null;
      if (payload !== null && !countRecord(value, payload, state, count)) return null;
    }
  } finally {
    stream.close();
  }
  return state.sessionId;
};

function countRecord(
  value: Fields,
  payload: Fields,
  state: ReaderState,
  count: Parameters<typeof quickUsage>[2],
): boolean {
  switch (value.type) {
    case "session_meta": {
      const id = wordOf(payload.id);
      if (state.header !== null) return id === null || id === state.sessionId;
      if (id !== null) state.sessionId = id;
      state.header = {};
      const copied = wordOf(payload.forked_from_id) !== null || payload.subagent_history_start_ordinal !== undefined;
      return !copied;
    }
    case "turn_context":
      state.model = wordOf(payload.model) ?? state.model;
      return true;
    case "token_usage_record":
      count(usageOfRecord(payload, state), timeOf(value.timestamp));
      return true;
    case "event_msg": {
      if (payload.type === "thread_settings_applied" && isFields(payload.thread_settings)) {
        state.model = wordOf(payload.thread_settings.model) ?? state.model;
      }
      if (payload.type !== "token_count") return true;
      const usage = usageOfCount(payload.info, state);
      if (usage?.verdict === "counted") count(usage, timeOf(value.timestamp));
      return true;
    }
    default:
      return true;
  }
}

const COUNT_START = '"payload":{"type":"token_count","info":{';
const RATE_LIMITS = ',"rate_limits":';

/**
 * Every token count repeats the rate limits, which are most of its line. They are the last part of the payload, so they
 * can be cut off before parsing. A torn line that continues with the next record is left to the parser, which rejects
 * it.
 */
function withoutLimits(text: string): Fields | null {
  const at = text.includes(COUNT_START) ? text.indexOf(RATE_LIMITS) : -1;
  if (at === -1 || !text.endsWith("}}") || text.includes('"timestamp"', at)) return null;
  return parseOrNull(`${text.slice(0, at)}}}`);
}

function parseOrNull(text: string): Fields | null {
  try {
    const value: unknown = parseJson(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

interface TaskCount {
  /** The running total when the turn began; null when unknown. */
  base: number | null;
  last: number | null;
  generated: boolean;
  /** A total was invalid or smaller than the one before: the difference proves nothing. */
  unsure: boolean;
  /** The model generated something after the newest total. */
  pending: boolean;
  ended: boolean;
}

const GENERATED_KINDS = new Set(["reasoning", "function_call", "custom_tool_call", "local_shell_call"]);
const TURN_ENDS = new Set(["task_complete", "turn_complete", "turn_aborted", "task_failed"]);

/** Codex states running totals of the session. The output of a turn is the difference between two of them. */
export class CodexOutputMeter implements OutputMeter {
  readonly #counts = new Map<number, TaskCount>();
  /** `undefined` before the first total; null after an invalid one. */
  #total: number | null | undefined = undefined;

  isTimed(record: Native): boolean {
    return zonedTime(record["timestamp"]) !== null;
  }

  add(record: Native, turn: number | null): void {
    const payload = obj(record["payload"]);
    const type = payload?.["type"];
    const count = turn === null ? null : this.#countOf(turn);
    if (record["type"] === "response_item") {
      const spoke = type === "message" && payload?.["role"] === "assistant";
      if (count && (spoke || (typeof type === "string" && GENERATED_KINDS.has(type)))) {
        count.generated = true;
        count.pending = true;
      }
      return;
    }
    if (record["type"] !== "event_msg") return;
    if (count && typeof type === "string" && TURN_ENDS.has(type)) count.ended = true;
    // A null `info` carries only rate limits.
    if (type === "token_count" && payload?.["info"] !== null) this.#snapshot(obj(payload?.["info"]), count);
  }

  known(turn: number, isLast: boolean): number | null {
    const count = this.#counts.get(turn);
    if (!count || count.unsure || count.pending || count.base === null || count.last === null) return null;
    if (isLast && !count.ended) return null;
    const tokens = count.last - count.base;
    return tokens === 0 && count.generated ? null : tokens;
  }

  #snapshot(info: Native | null, count: TaskCount | null): void {
    const total = wholeCount(obj(info?.["total_token_usage"])?.["output_tokens"]);
    const before = this.#total;
    this.#total = total;
    if (!count) return;
    count.pending = false;
    if (total === null || (typeof before === "number" && total < before)) count.unsure = true;
    if (count.last === null && before === undefined) {
      // The very first total belongs to this turn only if it equals the last response.
      const response = wholeCount(obj(info?.["last_token_usage"])?.["output_tokens"]);
      count.base = response !== null && response === total ? 0 : null;
    }
    count.last = total;
  }

  #countOf(turn: number): TaskCount {
    const known = this.#counts.get(turn);
    if (known) return known;
    const base = this.#total ?? null;
    const count: TaskCount = { base, last: null, generated: false, unsure: false, pending: false, ended: false };
    this.#counts.set(turn, count);
    return count;
  }
}
