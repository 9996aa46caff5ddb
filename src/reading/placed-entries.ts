import type { Entry } from "../sources/contract.ts";
import type { FileDraft, LedgerRow } from "../turns/model.ts";
import type { Session } from "../turns/session.ts";
import { readPage } from "../store/pages/page-reader.ts";
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
