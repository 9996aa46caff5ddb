import type { CancelledBody, LogRecord, RecordBody, UsageBody, UserBody } from "../../record/record.ts";
import { SCHEMA_VERSION } from "../../record/record.ts";
import { tokensIn } from "../../record/tokens.ts";
import { iso } from "../../base/time/zone.ts";
import { lineOwners, withTyped } from "../../views/recorded.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Session, Turn } from "../../turns/session.ts";
import { fileEntries } from "./file-entries.ts";

/** The session as canonical log records. */
export function* logRecords(session: Session): Generator<LogRecord, void, undefined> {
  const forms = new RecordExporter(session);
  let seq = 0;
  for (const [i, part] of session.parts.entries()) {
    let isBegun = false;
    const ownerOf = ownersIn(session, part);
    for (const entry of fileEntries(part)) {
      const { line, time } = entry;
      const place: RecordPlace = { path: part.path, line, time, turn: ownerOf(line) };
      if (i > 0 && !isBegun) yield forms.record(CONTEXT_RESET, { ...place, turn: null }, seq++);
      isBegun = true;
      for (const body of forms.bodies(entry.records, place)) {
        if (seq === 0 && body.type !== "session_meta")
          yield forms.record(headerOf(session), { ...place, turn: null }, seq++);
        yield forms.record(body, place, seq++);
      }
    }
  }
}

/** Where a record is, and the turn it belongs to. */
export interface RecordPlace {
  path: string;
  line: number;
  time: number | null;
  turn: RecordOwner | null;
}

/** The properties of a turn that affect how its records are exported. */
export interface RecordOwner extends Pick<Turn, "ref" | "automated" | "typed"> {
  /** Position of its request, if going back to an earlier request took it back. */
  rewound: number | null;
  /** The turn it continues, if that is not the one before it; null: none. */
  follows?: string | null;
}

/** Finds the turn that owns a line of a file; lines must be asked for in ascending order. */
export function ownersIn(session: Session, part: FileDraft): (line: number) => RecordOwner | null {
  const own = session.turns.filter((turn) => turn.part === part);
  const refs = new Map(own.map(({ ref, draft }) => [draft.index, ref]));
  const owners = own.map(({ ref, automated, typed, draft }) => ({
    lines: draft.lines,
    owner: {
      ref,
      rewound: draft.taken_back === "rewound" ? draft.position : null,
      ...(automated === undefined ? {} : { automated }),
      ...(typed === undefined ? {} : { typed }),
      ...(draft.follows === undefined ? {} : { follows: refs.get(draft.follows ?? -1) ?? null }),
    },
  }));
  const ownerOf = lineOwners(owners);
  return (line) => ownerOf(line)?.owner ?? null;
}

/** Written between two files of a session: the next file states the settings in force anew. */
export const CONTEXT_RESET: RecordBody = {
  type: "context",
  model: null,
  effort: null,
  approval_policy: null,
  sandbox: null,
  network: null,
  cwd: null,
  sandbox_excludes: null,
  reasoning_summary: null,
  context_window: null,
  git: null,
  agent_version: null,
};

/** The header of a session whose own file begins with another session's records: every log must begin with a header. */
export function headerOf({ source, meta, started_at }: Session): RecordBody {
  const { kind, cwd, agent_version, originator, parent, role, forked_from } = meta;
  return {
    type: "session_meta",
    source,
    kind,
    cwd,
    started_at: iso(started_at),
    agent_version,
    originator,
    parent,
    role,
    forked_from,
    stated: false,
  };
}

/**
 * Converts the records of one session for export. Requests that were taken back must be passed in before the records
 * that took them back.
 */
export class RecordExporter {
  readonly #sessionId: string;
  readonly #first: string | undefined;
  readonly #usage: (body: UsageBody) => UsageBody;
  readonly #unwritten: (body: RecordBody, line: number) => RecordBody[];
  /** Requests that going back to an earlier one took back: seq in the log → position. */
  readonly #rewound = new Map<number, number>();

  constructor(session: Session) {
    this.#sessionId = session.session_id;
    this.#first = session.parts[0]?.path;
    this.#usage = countedOnly(session);
    this.#unwritten = unwrittenRecords(session);
  }

  /** The records that an entry becomes in the log. */
  bodies(records: readonly RecordBody[], { turn, line }: RecordPlace): RecordBody[] {
    const asked = turn ? records.flatMap((record) => withTyped(record, turn)) : records;
    return asked.flatMap((record) => this.#unwritten(record, line));
  }

  record(body: RecordBody, place: RecordPlace, seq: number): LogRecord {
    const { path, line, time, turn } = place;
    this.note(body, place, seq);
    return {
      schema_version: SCHEMA_VERSION,
      seq,
      time: iso(time),
      session_id: this.#sessionId,
      origin: path === this.#first ? { line } : { line, path },
      ...(turn ? { turn_id: turn.ref } : {}),
      ...this.#inLog(body, seq, turn),
    };
  }

  /** Stores what later records refer to. */
  note(body: RecordBody, { turn }: RecordPlace, seq: number): void {
    if (body.type === "user" && body.kind !== undefined && turn !== null && turn.rewound !== null)
      this.#rewound.set(seq, turn.rewound);
  }

  #inLog(body: RecordBody, seq: number, turn: RecordOwner | null): RecordBody {
    if (body.type === "usage") return this.#usage(body);
    if (body.type === "user" && body.follows_line !== undefined) return followsInLog(body, turn);
    if (body.type === "cancelled" && body.reason === "rewound") return { ...body, ...this.#rewind(body, seq) };
    return body;
  }

  /** Line numbers are per file, and agents that store trees number otherwise: the log refers to records by seq. */
  #rewind({ from_line = 0 }: CancelledBody, before: number): Pick<CancelledBody, "from_seq"> {
    for (const [seq, position] of this.#rewound) if (seq < before && position >= from_line) return { from_seq: seq };
    return {};
  }
}

/** Lines are those of the native file: the log names the turn. */
function followsInLog(asked: UserBody, turn: RecordOwner | null): UserBody {
  const { follows_line: _line, ...body } = asked;
  return turn?.follows === undefined ? body : { ...body, follows: turn.follows };
}

/** A response that counts in another session is exported as a duplicate here. */
function countedOnly(session: Session): (body: UsageBody) => UsageBody {
  const counted = new Set(session.usage.map(({ event }) => event.response_id));
  return (body) =>
    body.verdict === "counted" && !counted.has(body.response_id) ? { ...body, verdict: "duplicate" } : body;
}

/**
 * Turns usage that a total contains but no native record states into usage records of their own. The total then
 * contains nothing beyond the records before it.
 */
function unwrittenRecords(session: Session): (body: RecordBody, line: number) => RecordBody[] {
  const left = new Set(session.usage.flatMap(({ event }) => (event.reason === undefined ? [] : [event])));
  return (body, line) => {
    if (body.type !== "usage_total" || body.unwritten === undefined) return [body];
    const { unwritten: reason, ...total } = body;
    const added: RecordBody[] = [];
    for (const event of left) {
      if (event.line !== line) continue;
      left.delete(event);
      const { response_id, model } = event;
      added.push({ type: "usage", response_id, model, verdict: "counted", reason, ...tokensIn(event) });
    }
    return [...added, total];
  };
}
