import type { NativeRecord, SourceRef } from "../contract.ts";
import { openSession } from "./database.ts";
import { openFiles } from "./files.ts";
import type { NativeRow, SessionStore } from "./rows.ts";

/** The row at a line: the session first, then every message followed by its parts. */
export function recordAt(ref: SourceRef, line: number): NativeRecord | null {
  const store = ref.container === "sqlite" ? openSession(ref.path, ref.key ?? "") : openFiles(ref.path);
  try {
    const found = rowAt(store, line);
    if (!found) return null;
    const { table, row } = found;
    const text = row.data ? JSON.stringify(row.data) : "(no readable document)";
    return { text: `${table} ${row.id} ${text}`, bytes: row.bytes };
  } finally {
    store.close();
  }
}

const TABLES = {
  v1: ["session", "message"],
  v2: ["session", "session_message"],
  go: ["sessions", "messages"],
} as const;

function rowAt(store: SessionStore, line: number): { table: string; row: NativeRow } | null {
  let left = line - 1;
  const [sessions, table] = TABLES[store.flavour];
  if (store.session && left-- === 0) return { table: sessions, row: store.session };
  for (let i = 0; i < store.messages; i++) {
    if (left === 0) return { table, row: store.message(i) };
    const parts = store.partCount(i);
    const row = left <= parts ? store.parts(i)[left - 1] : undefined;
    if (row) return { table: "part", row };
    left -= 1 + parts;
  }
  return null;
}
