import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportDiskFull } from "../../base/io/disk.ts";
import { MAX_REQUESTS, titleOf, type StatedTitle, type NamingRequest } from "../../views/title.ts";
import type { Session } from "../../turns/session.ts";
import type { IndexStore } from "./index-store.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ReadViews } from "../../views/not-pushed.ts";
import { parseRow } from "./damaged-index.ts";
import { secretIn } from "./turn-row.ts";
import { moveOver } from "../../base/io/move-over.ts";

/** Titles from files beside the sessions, which agents rewrite and delete. The book remembers the last one. */
export type Titles = ReadonlyMap<string, string | null>;

/** A title that the human gave inside the session takes precedence over one beside it. */
export function titleFrom({ meta, session_id }: Session, titles: Titles): StatedTitle | null {
  if (meta.title_by === "human" && meta.title !== null) return { title: meta.title, by: "human" };
  const title = titles.get(session_id) ?? meta.title;
  return title === null ? null : { title, by: "agent" };
}

/** Their path in the home. */
export const TITLES = "book/titles.jsonl";

function titlesFile(home: string): string {
  return join(home, TITLES);
}

/** Stores new titles in book and index. */
export function saveTitles(store: IndexStore, home: string, titles: Titles): void {
  const known = loadTitles(store);
  const changed = [...titles].filter(([id, title]) => !known.has(id) || known.get(id) !== title);
  if (changed.length === 0) return;
  appendTitles(home, changed);
  for (const [id, title] of changed) {
    setTitle(store, id, title);
    store.run("UPDATE file SET stale = 1 WHERE session_id = ?", id);
  }
}

function appendTitles(home: string, rows: readonly [id: string, title: string | null][]): void {
  if (rows.length === 0) return;
  mkdirSync(join(home, "book"), { recursive: true, mode: 0o700 });
  // A damaged last row must not take the next one with it.
  const start = /[^\n]$/.test(textIn(home)) ? "\n" : "";
  const text = start + rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  reportDiskFull(titlesFile(home), text.length, () => appendFileSync(titlesFile(home), text, { mode: 0o600 }));
}

/** Stores titles in an index without a book. */
export function putTitles(store: IndexStore, titles: Titles): void {
  for (const [id, title] of titles) setTitle(store, id, title);
}

/** Removes titles from the book, atomically. */
export function forgetTitles(home: string, ids: ReadonlySet<string>): void {
  const path = titlesFile(home);
  if (!existsSync(path)) return;
  const lines = readFileSync(path, "utf8").split("\n");
  const rest = lines.filter((line) => {
    const [id] = titleIn(line) ?? [];
    return id === undefined || !ids.has(id);
  });
  if (rest.length === lines.length) return;
  const text = rest.join("\n");
  reportDiskFull(path, text.length, () => writeFileSync(`${path}.new`, text, { mode: 0o600 }));
  moveOver(`${path}.new`, path);
}

export function loadTitles(store: IndexStore): Map<string, string | null> {
  const rows = store.all("SELECT session_id, title FROM title");
  return new Map(rows.map((row) => [String(row["session_id"]), row["title"] === null ? null : String(row["title"])]));
}

/** Copies the titles from the book into a new index. */
export function restoreTitles(store: IndexStore, home: string): void {
  for (const [id, title] of titlesIn(home)) setTitle(store, id, title);
}

function textIn(home: string): string {
  const path = titlesFile(home);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The last title of each session. */
function titlesIn(home: string): Titles {
  return new Map(
    textIn(home)
      .split("\n")
      .flatMap((line) => {
        const said = titleIn(line);
        return said ? [said] : [];
      }),
  );
}

/** Writes the titles that the book has lost, or has otherwise, again from the index; true when there were any. */
export function mendTitles(store: IndexStore, home: string): boolean {
  const stated = titlesIn(home);
  const lost = [...loadTitles(store)].filter(([id, title]) => stated.get(id) !== title);
  appendTitles(home, lost);
  return lost.length > 0;
}

/** Null for an incomplete last line of a process that was killed; the title is written again. */
function titleIn(line: string): [id: string, title: string | null] | null {
  try {
    const [id, title] = JSON.parse(line) as [string, string | null];
    return typeof id === "string" && (title === null || typeof title === "string") ? [id, title] : null;
  } catch {
    return null;
  }
}

function setTitle(store: IndexStore, id: string, title: string | null): void {
  store.run(
    "INSERT INTO title (session_id, title) VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET title = excluded.title",
    id,
    title,
  );
}

/** The requests of a session, from its rows, in order. */
export function* requestsIn(store: IndexStore, key: string): Generator<NamingRequest, void, undefined> {
  const sql = "SELECT view FROM turn WHERE session = ? ORDER BY ref LIMIT 1 OFFSET ?";
  for (let n = 0; n < MAX_REQUESTS; n++) {
    const row = store.get(sql, key, n);
    if (!row) return;
    yield (parseRow(row["view"]) as ReadViews["turn"]).trigger;
  }
}

/** Updates the title after the view of a request changed. */
export function updateTitle(store: IndexStore, key: string): void {
  const row = store.get("SELECT view FROM session WHERE key = ?", key);
  if (!row) return;
  const before = parseRow(row["view"]) as SessionView;
  if (before.title_source === "human" || before.title_source === "agent") return;
  const view = JSON.stringify({ ...before, ...titleOf(null, requestsIn(store, key)) });
  if (view !== row["view"])
    store.run("UPDATE session SET view = ?, secret = ? WHERE key = ?", view, secretIn(view), key);
}
