import type { CancelledBody, LogRecord, RecordBody, UsageBody } from "../format/record.ts";
import { SCHEMA_VERSION } from "../format/record.ts";
import { tokensIn } from "../format/tokens.ts";
import { iso } from "../time/zone.ts";
import { ownersOf, withTyped } from "../answers/recorded.ts";
import type { FileDraft } from "../turns/model.ts";
import type { Session, Turn } from "../turns/session.ts";
import { fileEntries } from "./file-entries.ts";

/** The session as canonical log lines. */
export function* logRecords(session: Session): Generator<LogRecord, void, undefined> {
  const forms = new RecordForms(session);
  let seq = 0;
  for (const [i, part] of session.parts.entries()) {
    let isBegun = false;
    const ownerOf = ownersIn(session, part);
    for (const entry of fileEntries(part)) {
      const { line, time } = entry;
      const place: RecordPlace = { path: part.path, line, time, turn: ownerOf(line) };
      if (i > 0 && !isBegun) yield forms.record(FORGOTTEN, { ...place, turn: null }, seq++);
      isBegun = true;
      for (const body of forms.bodies(entry.records, place)) {
        if (seq === 0 && body.type !== "session_meta")
          yield forms.record(headerOf(session), { ...place, turn: null }, seq++);
        yield forms.record(body, place, seq++);
      }
    }
  }
}

/** Where a record stands, and the turn it belongs to. */
export interface RecordPlace {
  path: string;
  line: number;
  time: number | null;
  turn: RecordOwner | null;
}

/** What is exported of a record depends on this of its turn. */
export interface RecordOwner extends Pick<Turn, "ref" | "automated" | "typed"> {
  /** Where its request stands, if it was taken back by going back to an earlier one. */
  rewound: number | null;
}

/** Finds the turn that a line of a part belongs to; lines must be asked for in order. */
export function ownersIn(session: Session, part: FileDraft): (line: number) => RecordOwner | null {
  const owners = session.turns
    .filter((turn) => turn.part === part)
    .map(({ ref, automated, typed, draft }) => ({
      lines: draft.lines,
      owner: {
        ...{ ref, rewound: draft.taken_back === "rewound" ? draft.position : null },
        ...(automated === undefined ? {} : { automated }),
        ...(typed === undefined ? {} : { typed }),
      },
    }));
  const ownerOf = ownersOf(owners);
  return (line) => ownerOf(line)?.owner ?? null;
}

/** Another file of a session states anew what rules its work. */
export const FORGOTTEN: RecordBody = {
  ...{ type: "context", model: null, effort: null, approval_policy: null, sandbox: null, network: null, cwd: null },
  ...{ sandbox_excludes: null, reasoning_summary: null, context_window: null, git: null, agent_version: null },
};

/** The header of a session whose own file begins with another's records: a log begins with one. */
export function headerOf({ source, meta, started_at }: Session): RecordBody {
  const { kind, cwd, agent_version, originator, parent, role, forked_from } = meta;
  return {
    ...{ type: "session_meta", source, kind, cwd, started_at: iso(started_at), agent_version },
    ...{ originator, parent, role, forked_from, stated: false },
  };
}

/** How the records of one session are exported. Requests that were taken back must be known before what took them back. */
export class RecordForms {
  readonly #sessionId: string;
  readonly #first: string | undefined;
  readonly #usage: (body: UsageBody) => UsageBody;
  readonly #unwritten: (body: RecordBody, line: number) => RecordBody[];
  /** Requests that were taken back by going back to an earlier one, with where they stand in the log. */
  readonly #rewound = new Map<number, number>();

  constructor(session: Session) {
    this.#sessionId = session.session_id;
    this.#first = session.parts[0]?.path;
    this.#usage = countedOnly(session);
    this.#unwritten = unwrittenRecords(session);
  }

  /** What an entry's records are in the log. */
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
      ...this.#inLog(body, seq),
    };
  }

  /** Remembers what later records refer to. */
  note(body: RecordBody, { turn }: RecordPlace, seq: number): void {
    if (body.type === "user" && body.kind !== undefined && turn !== null && turn.rewound !== null)
      this.#rewound.set(seq, turn.rewound);
  }

  #inLog(body: RecordBody, seq: number): RecordBody {
    if (body.type === "usage") return this.#usage(body);
    if (body.type === "cancelled" && body.reason === "rewound") return { ...body, ...this.#rewind(body, seq) };
    return body;
  }

  /** Lines are those of one file of several, and agents that keep trees number otherwise: in the log the records' own count says it. */
  #rewind({ from_line = 0 }: CancelledBody, before: number): Pick<CancelledBody, "from_seq"> {
    for (const [seq, position] of this.#rewound) if (seq < before && position >= from_line) return { from_seq: seq };
    return {};
  }
}

/** A statement of a response that counts in another session counts nothing here. */
function countedOnly(session: Session): (body: UsageBody) => UsageBody {
  const counted = new Set(session.usage.map(({ event }) => event.response_id));
  return (body) =>
    body.verdict === "counted" && !counted.has(body.response_id) ? { ...body, verdict: "duplicate" } : body;
}

/**
 * What a total holds and no native record states, as statements of their own. The total then says no more than the statements
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
