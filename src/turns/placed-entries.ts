import type { Entry } from "../agents/contract.ts";
import { DraftBuilder } from "./builder.ts";
import type { FileDraft, LedgerRow } from "./model.ts";
import type { Session } from "./session.ts";

/** A native record with everything known about it. */
export interface PlacedEntry {
  part: FileDraft;
  entry: Entry;
  row: LedgerRow;
  /** The human turn it belongs to, or for setup the one it prepares. */
  turn_ref: string | null;
}

/**
 * Yields the entries of a session in order, each with the turn that owns it. Streams in one pass: an entry is held only
 * until its owner is certain. `entriesOf` returns the entries of one file of the session.
 */
export function* placedEntries(
  session: Session,
  entriesOf: (part: FileDraft) => Iterable<Entry>,
): Generator<PlacedEntry, void, undefined> {
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
