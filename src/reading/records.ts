import type { CancelledBody, LogRecord, Origin, RecordBody, UsageBody } from "../format/record.ts";
import { SCHEMA_VERSION } from "../format/record.ts";
import { tokensIn } from "../format/tokens.ts";
import { iso } from "../time/zone.ts";
import { ownersOf, withTyped } from "../answers/recorded.ts";
import type { Entry } from "../sources/contract.ts";
import type { FileDraft } from "../turns/model.ts";
import type { Session, Turn } from "../turns/session.ts";
import { fileEntries } from "./file-entries.ts";

/** The session as canonical log lines. */
export function* logRecords(session: Session): Generator<LogRecord, void, undefined> {
  const sequence = new RecordSequence(session);
  let part = session.parts[0];
  for (const placed of ownedEntries(session)) {
    if (placed.part !== part) yield sequence.next(FORGOTTEN, placed, false);
    part = placed.part;
    for (const body of sequence.bodies(placed)) {
      if (sequence.seq === 0 && body.type !== "session_meta") yield sequence.next(headerOf(session), placed, false);
      yield sequence.next(body, placed);
    }
  }
}

interface OwnedEntry {
  part: FileDraft;
  entry: Entry;
  turn: Turn | null;
}

function* ownedEntries(session: Session): Generator<OwnedEntry, void, undefined> {
  for (const part of session.parts) {
    const turns = session.turns.filter((turn) => turn.part === part);
    const ownerOf = ownersOf(turns.map((turn) => ({ turn, lines: turn.draft.lines })));
    for (const entry of fileEntries(part)) yield { part, entry, turn: ownerOf(entry.line)?.turn ?? null };
  }
}

/** Another file of a session states anew what rules its work. */
const FORGOTTEN: RecordBody = {
  ...{ type: "context", model: null, effort: null, approval_policy: null, sandbox: null, network: null, cwd: null },
  ...{ sandbox_excludes: null, reasoning_summary: null, context_window: null, git: null, agent_version: null },
};

/** The header of a session whose own file begins with another's records: a log begins with one. */
function headerOf({ source, meta, started_at }: Session): RecordBody {
  const { kind, cwd, agent_version, originator, parent, role, forked_from } = meta;
  return {
    ...{ type: "session_meta", source, kind, cwd, started_at: iso(started_at), agent_version },
    ...{ originator, parent, role, forked_from, stated: false },
  };
}

/** One session, told record by record. */
class RecordSequence {
  readonly #session: Session;
  readonly #first: string | undefined;
  readonly #usage: (body: UsageBody) => UsageBody;
  readonly #unwritten: (body: RecordBody, line: number) => RecordBody[];
  /** Requests that were taken back by going back to an earlier one, with where they stand in the log. */
  readonly #rewound: { turn: Turn; seq: number }[] = [];
  #seq = 0;

  constructor(session: Session) {
    this.#session = session;
    this.#first = session.parts[0]?.path;
    this.#usage = countedOnly(session);
    this.#unwritten = unwrittenRecords(session);
  }

  get seq(): number {
    return this.#seq;
  }

  bodies({ entry, turn }: OwnedEntry): RecordBody[] {
    const asked = turn ? entry.records.flatMap((record) => withTyped(record, turn)) : entry.records;
    return asked.flatMap((record) => this.#unwritten(record, entry.line));
  }

  /** `owned`: the record belongs to the turn of its entry. */
  next(body: RecordBody, { part, entry, turn: owner }: OwnedEntry, owned = true): LogRecord {
    const origin: Origin = part.path === this.#first ? { line: entry.line } : { line: entry.line, path: part.path };
    const seq = this.#seq++;
    const turn = owned ? owner : null;
    if (body.type === "user" && body.kind !== undefined && turn?.draft.taken_back === "rewound")
      this.#rewound.push({ turn, seq });
    return {
      schema_version: SCHEMA_VERSION,
      seq,
      time: iso(entry.time),
      session_id: this.#session.session_id,
      origin,
      ...(turn ? { turn_id: turn.ref } : {}),
      ...this.#inLog(body),
    };
  }

  #inLog(body: RecordBody): RecordBody {
    if (body.type === "usage") return this.#usage(body);
    if (body.type === "cancelled" && body.reason === "rewound") return { ...body, ...this.#rewind(body) };
    return body;
  }

  /** Lines are those of one file of several, and agents that keep trees number otherwise: in the log the records' own count says it. */
  #rewind({ from_line = 0 }: CancelledBody): Pick<CancelledBody, "from_seq"> {
    const first = this.#rewound.find(({ turn }) => turn.draft.position >= from_line);
    return first ? { from_seq: first.seq } : {};
  }
}

/** A statement of a response that counts in another session counts nothing here. */
function countedOnly(session: Session): (body: UsageBody) => UsageBody {
  const counted = new Set(session.usage.map(({ event }) => event.response_id));
  return (body) =>
    body.verdict === "counted" && !counted.has(body.response_id) ? { ...body, verdict: "duplicate" } : body;
}

/**
 * What a total holds and no native record tells, as statements of their own. The total then says no more than the statements
 * before it, so it counts nothing itself.
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
