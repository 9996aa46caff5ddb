import type { Entry } from "../../agents/contract.ts";
import { scanLedger, turnOf, type LedgerRowRead } from "./page-reader.ts";

/** An entry of a page whose records are still unread in the log. */
export interface OutlinedEntry extends Omit<Entry, "records"> {
  count: number;
  /** Where the records are in the log's text, and the checksum of that text. */
  at: number;
  length: number;
  sum: number | undefined;
}

export interface PageOutline {
  rows: OutlinedEntry[];
  /** Tentative entries, which are stored in the ledger itself. */
  tail: readonly Entry[];
}

/**
 * The content of a page without the texts: a hundredth of the bytes. Null where the ledger alone is not enough: lines
 * written twice, damage, the first format.
 */
export function outlinePage(base: string): PageOutline | null {
  const seen: LedgerRowRead[] = [];
  const state = scanLedger(base, (row) => {
    if (row.row) seen.push(row);
  });
  if (state.amended || state.damage.length > 0 || state.uncovered !== null || state.newer) return null;
  const rows: OutlinedEntry[] = [];
  const isText = state.head === null || /^jsonl|^text$/.test(state.head.container);
  let offset = state.head?.first ?? 0;
  for (const { row, end } of seen) {
    if (!row || end > state.ledgerBytes) break;
    const [id, line, bytes, time, position, turn, identity, count, at, length, sum] = row;
    const kind = state.kinds[id];
    if (!kind || at === undefined || length === undefined) return null;
    const [cls, reason, native] = kind;
    rows.push({
      line,
      offset,
      bytes,
      time,
      position: position ?? line,
      tentative: false,
      class: cls,
      reason,
      native,
      ...turnOf(turn),
      ...(identity === null ? {} : { identity }),
      count,
      at,
      length,
      sum,
    });
    if (isText) offset += bytes + 1;
  }
  return { rows, tail: state.commit.tail.filter(({ line }) => line > state.commit.line) };
}
