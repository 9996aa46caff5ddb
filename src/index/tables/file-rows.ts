import type { SqlValue } from "../../base/io/sqlite.ts";
import type { SourceRef } from "../../agents/contract.ts";
import type { ListName } from "../../turns/lists.ts";
import type { StoredFileState } from "../sync/ingest.ts";
import type { PackedState } from "./packed-state.ts";
import { packText } from "./packed-text.ts";
import type { IndexStore, StoredFile } from "./index-store.ts";
import { dropDocs } from "./doc-rows.ts";
import { dropSession } from "./session-rows.ts";
import { keyOfSession, parseSessionKey, sessionKeySql } from "../../record/session-key.ts";

/** Writes one file's row. Its session is stale until it is assembled again, even across crashes. */
export function writeFileRow(
  store: IndexStore,
  ref: SourceRef,
  state: StoredFileState,
  before: StoredFile | undefined,
): number {
  const key = keyOfSession(ref.source, state.session_id);
  const row: Record<string, SqlValue> = {
    source: ref.source,
    path: ref.path,
    key: ref.key ?? "",
    container: ref.container,
    size: ref.size,
    mtime: ref.mtimeMs,
    stamp: ref.stamp ?? "",
    session_id: state.session_id,
    page: state.page,
    reader: state.reader,
    lines: state.lines,
    problems: JSON.stringify(state.problems),
    gone: 0,
    stale: 1,
  };
  const names = Object.keys(row);
  const values = Object.values(row);
  let id = before?.id ?? -1;
  if (before) store.run(`UPDATE file SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`, ...values, id);
  else id = store.run(`INSERT INTO file (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`, ...values);
  writeReadState(store, id, state);
  // A late header changes the session id; the session with the old id has changed too.
  if (before && before.session_id !== state.session_id) markStale(store, ref.source, before.session_id);
  for (const other of state.links) linkSessions(store, key, other);
  for (const version of Object.keys(state.drift[0].versions))
    store.run("INSERT OR IGNORE INTO version (source, version, file) VALUES (?, ?, ?)", ref.source, version, id);
  for (const identity of state.identities)
    store.run("INSERT OR IGNORE INTO identity (identity, session) VALUES (?, ?)", `${ref.source}/${identity}`, key);
  return id;
}

/** Links two sessions: when one changes, both are refreshed. */
export function linkSessions(store: IndexStore, a: string, b: string): void {
  store.run("INSERT OR IGNORE INTO link (a, b) VALUES (?, ?), (?, ?)", a, b, b, a);
}

function writeReadState(store: IndexStore, file: number, state: StoredFileState): void {
  const { cursor, fingerprint, saved, tail, drift, resting } = state;
  store.run(
    "INSERT OR REPLACE INTO read_state (file, cursor, print, saved, tail, drift, resting) VALUES (?, ?, ?, ?, ?, ?, ?)",
    file,
    cursor && packText(JSON.stringify(cursor)),
    fingerprint && JSON.stringify(fingerprint),
    saved.head,
    JSON.stringify(tail),
    JSON.stringify(drift),
    resting && JSON.stringify(resting),
  );
  if (state.whole) store.run("DELETE FROM state_slice WHERE file = ?", file);
  for (const { list, n, names, body } of saved.pieces)
    store.run(
      "INSERT OR REPLACE INTO state_slice (file, list, n, names, body) VALUES (?, ?, ?, ?, ?)",
      file,
      list,
      n,
      names,
      body,
    );
}

/**
 * The builder's saved state. Most pieces are not needed: each is loaded on access, or when it is sent to another
 * thread.
 */
export function savedState(store: IndexStore, file: number, head: SqlValue | undefined): PackedState {
  const body = "SELECT body FROM state_slice WHERE file = ? AND list = ? AND n = ?";
  const pieces = store
    .all("SELECT list, n, names FROM state_slice WHERE file = ? ORDER BY list, n", file)
    .map((row) => {
      const [list, n] = [String(row["list"]) as ListName, Number(row["n"])];
      return {
        list,
        n,
        names: blob(row["names"]),
        get body(): Uint8Array {
          return blob(store.get(body, file, list, n)?.["body"]);
        },
      };
    });
  return { head: blob(head), pieces };
}

function blob(value: SqlValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

export function markStale(store: IndexStore, source: string, sessionId: string): void {
  store.run("UPDATE file SET stale = 1 WHERE source = ? AND session_id = ?", source, sessionId);
}

export function isStale(store: IndexStore, key: string): boolean {
  const { source, session_id } = parseSessionKey(key);
  const sql = "SELECT 1 FROM file WHERE source = ? AND session_id = ? AND stale = 1";
  return store.get(sql, source, session_id) !== undefined;
}

/** Sessions whose rows do not match their files, and rows whose session has no file any more. */
export function staleSessions(store: IndexStore): string[] {
  const rows = store.all(
    `SELECT ${sessionKeySql("u")} AS k FROM file u WHERE stale = 1
     UNION SELECT key FROM session s WHERE NOT EXISTS (SELECT 1 FROM file u WHERE u.source = s.source AND u.session_id = s.session_id)`,
  );
  return rows.map((row) => String(row["k"]));
}

/** Deletes all rows of a file; with the last file of a session, those of the session. */
export function dropFile(store: IndexStore, file: number, session: string): void {
  dropDocs(store, file);
  for (const table of ["instruction_use", "state_slice", "read_state", "version"])
    store.run(`DELETE FROM ${table} WHERE file = ?`, file);
  store.run("DELETE FROM file WHERE id = ?", file);
  const { source, session_id } = parseSessionKey(session);
  if (store.get("SELECT 1 FROM file WHERE source = ? AND session_id = ?", source, session_id)) return;
  dropSession(store, session);
  store.run("DELETE FROM identity WHERE session = ?", session);
}
