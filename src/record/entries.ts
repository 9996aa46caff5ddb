import type {
  LogRecord,
  RecordBody,
  SessionKind,
  CancelledBody,
  RecordEnvelope,
  UserBody,
  AssistantFinishedBody,
  UsageBody,
} from "./record.ts";

/** A record in the form that the turn builder takes. */
export interface RecordEntry {
  class: Verdict["class"];
  reason: Verdict["reason"];
  /** Epoch ms. */
  time: number | null;
  /** Equal in every copy of the record. */
  identity: string;
  turnId?: string;
  records: RecordBody[];
}

/**
 * Converts a canonical record to an entry, both for the log source and for replaying a live session. Records must come
 * in the order of `seq`; `line` is any number that increases with it.
 */
export function entryOf(record: LogRecord, line: number, state: LogState): RecordEntry {
  const { type, turn_id } = record;
  state.session_id ??= record.session_id;
  const verdict = classify(record, state);
  if (type === "session_meta") {
    state.source = record.source;
    state.kind = record.kind;
  }
  if ((type === "session_meta" || type === "context") && record.model) state.model = record.model;
  const begins = verdict.class === "trigger" || verdict.reason === "log.delegated";
  if (turn_id !== undefined && begins && !state.turns.has(turn_id)) state.turns.set(turn_id, requestOf(record, line));
  // Hot path: runs for every record, so the object is built without spreads.
  const entry: RecordEntry = {
    class: verdict.class,
    reason: verdict.reason,
    time: record.time === null ? null : Date.parse(record.time),
    identity: type === "session_meta" ? record.session_id : `${record.session_id}:${record.seq}`,
    records: bodiesOf(record, line, state),
  };
  if (turn_id !== undefined) entry.turnId = turn_id;
  return entry;
}

/** The request that began a turn. */
interface LoggedRequest {
  seq: number;
  /** Its line in the log. */
  line: number;
  /** Its position in the native file, for logs exported from one. */
  origin: { line: number | null; path: string | null };
  /** The agent's own id of the turn. */
  native: string | null;
}

/** State of the preceding records that is needed to classify the next one. */
export interface LogState {
  session_id: string | null;
  /** The agent that wrote the log, or whose session was exported to it. */
  source: string | null;
  kind: SessionKind;
  next_seq: number;
  model: string | null;
  turns: Map<string, LoggedRequest>;
}

/** `LogState` as plain JSON. */
export interface SavedLogState extends Omit<LogState, "turns"> {
  turns: [string, LoggedRequest][];
}

export function emptyLogState(): LogState {
  return { session_id: null, source: null, kind: "root", next_seq: 0, model: null, turns: new Map() };
}

export function loadLogState({ turns, ...rest }: SavedLogState): LogState {
  return { ...rest, turns: new Map(turns) };
}

export function saveLogState({ turns, ...rest }: LogState): SavedLogState {
  return { ...rest, turns: [...turns] };
}

function requestOf(record: LogRecord, line: number): LoggedRequest {
  const { seq, origin } = record;
  const native = "native_turn_id" in record ? (record.native_turn_id ?? null) : null;
  return { seq, line, origin: { line: origin.line ?? origin.row ?? null, path: origin.path ?? null }, native };
}

/** The class of a record for the turn builder, and the name of the rule that assigned it. */
type Verdict =
  | { class: "trigger"; reason: "log.request" }
  | { class: "echo"; reason: "log.request.restated" }
  | { class: "reaction"; reason: "log.of_the_turn" | "log.delegated" }
  | { class: "early"; reason: "log.before_the_request" }
  | { class: "setup"; reason: "log.preparation" }
  | { class: "session"; reason: "log.of_the_session" | "log.turn.unasked" }
  | { class: "unknown"; reason: "log.type.unknown" }
  | { class: "corrupt"; reason: "log.record.unreadable" };

/** Record types that may precede the request that caused them. */
const MAY_COME_FIRST: ReadonlySet<string> = new Set(["context", "compacted", "usage", "usage_total", "user"]);

const OF_THE_SESSION: Verdict = { class: "session", reason: "log.of_the_session" };

/** A log states which turn owns each record; only the record that begins a turn has to be determined. */
function classify(record: LogRecord, state: LogState): Verdict {
  switch (record.type) {
    case "session_meta":
    case "session_renamed":
    case "session_archived":
      return OF_THE_SESSION;
    case "unknown":
      return { class: "unknown", reason: "log.type.unknown" };
    case "unreadable":
      return { class: "corrupt", reason: "log.record.unreadable" };
    default:
      return record.turn_id === undefined ? ofNoTurn(record, state) : ofTurn(record, record.turn_id, state);
  }
}

function ofNoTurn(record: LogRecord, state: LogState): Verdict {
  // Work requested by another agent has no human request and may have no turn id.
  if (state.kind !== "root" && record.type !== "usage_total") return { class: "reaction", reason: "log.delegated" };
  if (record.type === "context" || record.type === "user") return { class: "setup", reason: "log.preparation" };
  return OF_THE_SESSION;
}

function ofTurn(record: LogRecord, turn: string, state: LogState): Verdict {
  const known = state.turns.get(turn);
  if (record.type === "user" && record.author === "human") {
    if (!known) return { class: "trigger", reason: "log.request" };
    if (record.kind !== undefined) return { class: "echo", reason: "log.request.restated" };
  }
  if (known) return { class: "reaction", reason: "log.of_the_turn" };
  // In a session with a human, a user message written by an agent is not a request.
  if (record.type === "user" && record.author === "agent" && state.kind !== "root")
    return { class: "reaction", reason: "log.delegated" };
  if (MAY_COME_FIRST.has(record.type)) return { class: "early", reason: "log.before_the_request" };
  return { class: "session", reason: "log.turn.unasked" };
}

/**
 * The bodies that the turn builder gets for a record of a log, with turn ids and line numbers of the log in place of
 * the native ones. A body may still carry the fields of the envelope: copying every record to remove them would be
 * slow.
 */
function bodiesOf(record: LogRecord, line: number, state: LogState): RecordBody[] {
  const { turn_id, origin } = record;
  switch (record.type) {
    case "user":
      return [turn_id === undefined ? record : { ...record, native_turn_id: turn_id, ...followedLine(record, state) }];
    case "cancelled":
      return [withLogTurnId({ ...record, ...rewindStart(record, record, line, state) }, turn_id, state)];
    case "assistant_finished": {
      if (record.usage === undefined) return [withLogTurnId(record, turn_id, state)];
      const { usage: _u, ...said } = record;
      const usage = shortUsage({ ...record, model: record.model ?? state.model }, record);
      return [withLogTurnId(said, turn_id, state), ...(usage ? [usage] : [])];
    }
    case "usage_total":
      // Each native file of a session has its own counters.
      return [origin.path === undefined ? record : { ...record, counter: `${record.counter} ${origin.path}` }];
    default:
      return [withLogTurnId(record, turn_id, state)];
  }
}

/** The line of the request that this one continues. */
function followedLine({ follows }: UserBody, state: LogState): Pick<UserBody, "follows_line"> {
  if (follows === undefined) return {};
  const line = follows === null ? null : state.turns.get(follows)?.line;
  // A turn of the log that this one was forked from is not in this file.
  return line === undefined ? {} : { follows_line: line };
}

/** Removes the fields of the envelope. */
export function withoutEnvelope<B extends RecordBody>(body: B & Partial<RecordEnvelope>): B {
  const { schema_version: _v, seq: _s, time: _t, session_id: _i, origin: _o, turn_id: _n, ...rest } = body;
  return rest as unknown as B;
}

/** Replaces the native id of the record's own turn by the log's turn id; ids of other turns stay. */
function withLogTurnId<B extends RecordBody>(body: B, turn: string | undefined, state: LogState): B {
  if (turn === undefined || !("native_turn_id" in body)) return body;
  const native = state.turns.get(turn)?.native;
  return native !== undefined && body.native_turn_id === native ? { ...body, native_turn_id: turn } : body;
}

/** For a rewind: the line of the log from which on requests were taken back. */
function rewindStart(
  { origin }: LogRecord,
  { reason, from_turn, from_seq, from_line }: CancelledBody,
  line: number,
  state: LogState,
): Pick<CancelledBody, "from_line"> {
  if (reason !== "rewound") return {};
  // A turn of the log that this one was forked from is not in this file.
  if (from_turn !== undefined) return { from_line: state.turns.get(from_turn)?.line ?? line };
  const path = origin.path ?? null;
  const until = origin.line ?? origin.row ?? Infinity;
  const first = [...state.turns.values()].find((request) => {
    if (from_seq !== undefined) return request.seq >= from_seq;
    const at = request.origin.line;
    return from_line !== undefined && at !== null && request.origin.path === path && at >= from_line && at < until;
  });
  return { from_line: first?.line ?? line };
}

/** Expands the short usage of an answer to a `usage` record; null when the answer has none. */
function shortUsage(
  { usage, message_id, model, request_id }: AssistantFinishedBody,
  { session_id, seq }: Pick<RecordEnvelope, "session_id" | "seq">,
): UsageBody | null {
  if (!usage) return null;
  return {
    type: "usage",
    // Message ids are unique only within their session.
    response_id: `${session_id}:${message_id ?? seq}`,
    model: model ?? null,
    verdict: "counted",
    ...(request_id === undefined ? {} : { request_id }),
    input_tokens: usage.input ?? 0,
    cached_input_tokens: usage.cached_input ?? 0,
    cache_write_tokens: usage.cache_write ?? 0,
    cache_write_1h_tokens: 0,
    output_tokens: usage.output ?? 0,
    reasoning_tokens: usage.reasoning ?? 0,
  };
}
