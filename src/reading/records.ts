import { SCHEMA_VERSION, type LogRecord, type Origin } from "../log/record.ts";
import type { Entry } from "../sources/source.ts";
import { iso } from "../time/zone.ts";
import type { FileDraft, LedgerRow } from "../turns/model.ts";
import type { Session } from "../turns/session.ts";
import { readFile, sourceOf } from "./read-file.ts";

/** A native record with everything known about it. */
export interface PlacedEntry {
  part: FileDraft;
  entry: Entry;
  row: LedgerRow;
  /** The human turn it belongs to, or for setup the one it prepares. */
  turn_ref: string | null;
}

/** The entries of a session in order, each with the turn that owns it. Streams: nothing but the ledger is held. */
export function* placedEntries(session: Session): Generator<PlacedEntry, void, undefined> {
  const turnRefs = new Map(session.turns.map((turn) => [turn.draft, turn.ref]));
  for (const part of session.parts) {
    const { ref } = part;
    const inherited = inheritedFilter(part);
    const ledger = readFile(ref, { detail: "lean", ledger: true, toolDetail: false }, inherited).ledger ?? [];
    let at = 0;
    for (const entry of sourceOf(ref).read(ref, null, { detail: "full", ...inherited })) {
      const row = ledger[at++];
      if (!row) return;
      const index = row.turn ?? row.prepares;
      const draft = index === null ? undefined : part.turns[index];
      yield { part, entry, row, turn_ref: draft ? (turnRefs.get(draft) ?? null) : null };
    }
  }
}

/** A file that repeats another was read knowing the other's records; reading it again must know them too. */
function inheritedFilter(part: FileDraft): { inherited?: ReadonlySet<string> } {
  return part.inherited_from ? { inherited: part.inherited_from } : {};
}

/** The session as canonical log lines. */
export function* logRecords(session: Session): Generator<LogRecord, void, undefined> {
  let seq = 0;
  const first = session.parts[0]?.path;
  for (const { part, entry, row, turn_ref } of placedEntries(session)) {
    const origin: Origin = part.path === first ? { line: entry.line } : { line: entry.line, path: part.path };
    for (const body of entry.records) {
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
