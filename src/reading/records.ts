import { SCHEMA_VERSION, type LogRecord, type Origin, type RecordBody, type UsageBody } from "../log/record.ts";
import { restated, type Stated } from "../log/restated.ts";
import { tokensIn } from "../log/tokens.ts";
import type { Entry } from "../sources/source.ts";
import { iso } from "../time/zone.ts";
import type { FileDraft, LedgerRow } from "../turns/model.ts";
import type { Session, Turn } from "../turns/session.ts";
import { readPage } from "../book/page-reader.ts";
import { DraftBuilder } from "../turns/builder.ts";
import { withInherited } from "../turns/inherited.ts";
import { sourceOf } from "./read-file.ts";

/** A native record with everything known about it. */
export interface PlacedEntry {
  part: FileDraft;
  entry: Entry;
  row: LedgerRow;
  /** The human turn it belongs to, or for setup the one it prepares. */
  turn_ref: string | null;
}

/** The entries of a session in order, each with the turn that owns it. Streams, in one pass: an entry is held only until it is certain whose it is. */
export function* placedEntries(session: Session): Generator<PlacedEntry, void, undefined> {
  const turnRefs = new Map(session.turns.map((turn) => [turn.draft, turn.ref]));
  for (const part of session.parts) {
    const waiting: Entry[] = [];
    const rows: LedgerRow[] = [];
    const builder = new DraftBuilder(part.ref, part.session_id, {
      ledger: (row) => void rows.push(row),
      toolDetail: false,
    });
    function* certain(): Generator<PlacedEntry, void, undefined> {
      for (const row of rows.splice(0)) {
        const entry = waiting.shift();
        const index = row.turn ?? row.prepares;
        const draft = index === null ? undefined : part.turns[index];
        if (entry) yield { part, entry, row, turn_ref: draft ? (turnRefs.get(draft) ?? null) : null };
      }
    }
    for (const entry of entriesOf(part)) {
      waiting.push(entry);
      builder.push(entry);
      yield* certain();
    }
    builder.finish({ versions: {}, unknownTypes: {}, unknownFields: {} });
    yield* certain();
  }
}

/** From the book where there is a page, else from the native file. A file that repeats another is read knowing the other's records. */
function entriesOf(part: FileDraft): Iterable<Entry> {
  const inherited = part.inherited_from;
  if (part.page !== null) {
    const entries = readPage(part.page).entries();
    return inherited ? withInherited(entries, inherited) : entries;
  }
  return sourceOf(part.ref).read(part.ref, null, { detail: "full", ...(inherited ? { inherited } : {}) });
}

/**
 * In a log the latest statement of a response wins. So one that says less than those before it says what they say together,
 * and one of a response that counts in another session counts nothing.
 */
function countedOnly(session: Session): (body: UsageBody) => UsageBody {
  const counted = new Set(session.usage.map(({ event }) => event.response_id));
  const known = new Map<string, UsageBody & Stated>();
  return (body) => {
    if (body.verdict !== "counted") return body;
    if (!counted.has(body.response_id)) return { ...body, verdict: "duplicate" };
    const before = known.get(body.response_id);
    const statement = { ...body, time: null };
    const now = before ? restated(before, statement) : statement;
    known.set(body.response_id, now);
    return { ...body, model: now.model, ...tokensIn(now) };
  };
}

/**
 * What a total holds and no native record tells, as statements of their own. The total then says no more than the statements
 * before it, so it counts nothing itself.
 */
function unwrittenTold(session: Session): (body: RecordBody, line: number) => RecordBody[] {
  const left = new Set(session.usage.flatMap(({ event }) => (event.reason === undefined ? [] : [event])));
  return (body, line) => {
    if (body.type !== "usage_total" || body.unwritten === undefined) return [body];
    const { unwritten: reason, ...total } = body;
    const told: RecordBody[] = [];
    for (const event of left) {
      if (event.line !== line) continue;
      left.delete(event);
      const { response_id, model } = event;
      told.push({ type: "usage", response_id, model, verdict: "counted", reason, ...tokensIn(event) });
    }
    return [...told, total];
  };
}

/** The session as canonical log lines. */
export function* logRecords(session: Session): Generator<LogRecord, void, undefined> {
  let seq = 0;
  const first = session.parts[0]?.path;
  const usage = countedOnly(session);
  const unwritten = unwrittenTold(session);
  const retold = session.turns.filter((turn) => turn.automated !== undefined || turn.typed !== undefined);
  const turns = new Map(retold.map((turn) => [turn.ref, turn]));
  for (const { part, entry, row, turn_ref } of placedEntries(session)) {
    const origin: Origin = part.path === first ? { line: entry.line } : { line: entry.line, path: part.path };
    const turn = turn_ref === null ? undefined : turns.get(turn_ref);
    const asked = turn ? entry.records.flatMap((record) => asTold(record, turn)) : entry.records;
    for (const read of asked.flatMap((record) => unwritten(record, entry.line))) {
      const body = read.type === "usage" ? usage(read) : read;
      yield {
        schema_version: SCHEMA_VERSION,
        seq: seq++,
        time: iso(entry.time),
        session_id: session.session_id,
        origin,
        ...(turn_ref !== null && row.turn !== null ? { turn_id: turn_ref } : {}),
        ...body,
      };
    }
  }
}

/** A prompt as all sessions together tell it: what was typed, then the text it stands for. */
function asTold(record: RecordBody, { automated, typed }: Turn): RecordBody[] {
  if (record.type !== "user" || record.kind === undefined) return [record];
  const asked: RecordBody = automated === undefined ? record : { ...record, entry: "automated" };
  if (typed === undefined) return [asked];
  return [
    { ...asked, kind: "command", text: typed },
    { type: "user", author: "source", text: record.text },
  ];
}
