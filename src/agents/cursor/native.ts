/** The stores as they are: the editor's database, the database of each CLI session, and what rows hold. */
import { closeUnchanged, openForeign, readForeign, type ForeignDatabase } from "../../base/io/sqlite-foreign.ts";
import { instant } from "../../base/io/instant.ts";
import { placed, placedValue, type PlacedRecord } from "../kit/bundle.ts";
import { stampOf, type ListedRow } from "../kit/database-sessions.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { millis, nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";

export const SOURCE_ID = "cursor";

/** A database of VS Code has no such table. */
export function isEditorStore(db: ForeignDatabase): boolean {
  return db.tables().has("cursorDiskKV");
}

const HEADS =
  "SELECT rowid, key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL";
const BUBBLES =
  "SELECT rowid, key, octet_length(value) AS bytes FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' AND value IS NOT NULL";

interface Counted {
  rows: number;
  bytes: number;
  /** Every write gives a row another number. */
  newest: number;
  numbers: number;
}

/** All conversations that have messages; null if the database is another program's. */
export function listConversations(path: string): ListedRow[] | null {
  return readForeign(path, (db) => {
    if (!isEditorStore(db)) return null;
    const counted = new Map<string, Counted>();
    for (const { rowid, key, bytes } of db.prepare(BUBBLES).iterate()) {
      const id = conversationOf(String(key));
      const found = counted.get(id) ?? { rows: 0, bytes: 0, newest: 0, numbers: 0 };
      const number = Number(rowid);
      counted.set(id, {
        rows: found.rows + 1,
        bytes: found.bytes + Number(bytes ?? 0),
        newest: Math.max(found.newest, number),
        numbers: (found.numbers + number) % 1_000_000_007,
      });
    }
    const listed: ListedRow[] = [];
    for (const { rowid, key, value } of db.prepare(HEADS).iterate()) {
      const id = String(key).slice("composerData:".length);
      const text = String(value);
      const messages = counted.get(id);
      // A draft, or a conversation whose messages the editor has cleaned away.
      if (!messages && !/"conversation":\s*\[\s*\{/.test(text)) continue;
      listed.push({
        id,
        stamp: stampOf([Number(rowid), text.length, messages ?? null]),
        updated: Math.max(latestIn(text), messages ? timeOfRow(db, messages.newest) : 0),
        bytes: text.length + (messages?.bytes ?? 0),
      });
    }
    return listed.sort((a, b) => (a.id < b.id ? -1 : 1));
  });
}

/** `bubbleId:<conversation>:<bubble>`; the id of a sub-agent's conversation may hold anything but that of a bubble. */
function conversationOf(key: string): string {
  return key.slice("bubbleId:".length, key.lastIndexOf(":"));
}

/** The time of the message written last: the head does not follow every message. */
function timeOfRow(db: ForeignDatabase, rowid: number): number {
  const row = db.prepare("SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE rowid = ?").get(rowid);
  return timeOf(parsed(row?.["value"]) ?? {}) ?? 0;
}

/** The latest time in a conversation's head. */
function latestIn(text: string): number {
  let latest = 0;
  for (const [, time] of text.matchAll(/"(?:createdAt|lastUpdatedAt|conversationCheckpointLastUpdatedAt)":(\d{13})\b/g))
    latest = Math.max(latest, Number(time));
  return latest;
}

/** A conversation: its messages in order, then what is said of it as a whole, because that changes with each. */
export interface Conversation {
  head: Native;
  records: PlacedRecord[];
}

export function conversationIn(path: string, id: string): Conversation {
  let db: ForeignDatabase | null = null;
  try {
    db = openForeign(path);
    const text = textAt(db, "cursorDiskKV", `composerData:${id}`);
    const found = placed(text ?? "", `cursorDiskKV:composerData:${id}`);
    const head = found.value ?? {};
    const rows = db
      .prepare(
        "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key >= ? AND key < ? AND value IS NOT NULL ORDER BY key",
      )
      .all(`bubbleId:${id}:`, `bubbleId:${id};`);
    const bubbles = rows.map(({ key, value }) => placed(String(value), `cursorDiskKV:${String(key)}`));
    const records = bubbles.length > 0 ? inOrder(head, bubbles) : inlineIn(head, id);
    const workspace = folderOf(head) ?? listedFolder(db, id);
    closeUnchanged(db, path);
    const { conversation: _, fullConversationHeadersOnly: __, conversationMap: ___, ...rest } = head;
    const last = found.value
      ? placedValue({ ...rest, ...(workspace === null ? {} : { folder: workspace }) }, found.place)
      : found;
    return { head: { ...head, folder: workspace }, records: [...records, last] };
  } catch (cause) {
    db?.close();
    throw cannotOpen(path, cause);
  }
}

function textAt(db: ForeignDatabase, table: "cursorDiskKV" | "ItemTable", key: string): string | null {
  return str(db.prepare(`SELECT CAST(value AS TEXT) AS value FROM ${table} WHERE key = ?`).get(key)?.["value"]);
}

/**
 * The order is that of the head. Messages that it does not list were taken back, or are newer than it: they stand where
 * their time puts them.
 */
function inOrder(head: Native, bubbles: readonly PlacedRecord[]): PlacedRecord[] {
  const byId = new Map(bubbles.map((bubble) => [bubble.place.slice(bubble.place.lastIndexOf(":") + 1), bubble]));
  const listed = objects(head["fullConversationHeadersOnly"]).flatMap(({ bubbleId }) => {
    const bubble = byId.get(str(bubbleId) ?? "");
    byId.delete(str(bubbleId) ?? "");
    return bubble ? [bubble] : [];
  });
  const others = [...byId.values()].sort((a, b) => startOf(a) - startOf(b));
  const ordered: PlacedRecord[] = [];
  for (const bubble of listed) {
    const time = startOf(bubble);
    while (others[0] && startOf(others[0]) < time) ordered.push(...others.splice(0, 1));
    ordered.push(bubble);
  }
  return [...ordered, ...others];
}

/** Messages without a time stay where they are, or come last. */
function startOf({ value }: PlacedRecord): number {
  return (value && timeOf(value)) ?? Number.POSITIVE_INFINITY;
}

/** Early releases keep the messages in the head, and what tools did beside them. */
function inlineIn(head: Native, id: string): PlacedRecord[] {
  const done = new Map<string, Native>();
  for (const { data } of objects(head["capabilities"])) {
    const map = parsed(obj(data)?.["bubbleDataMap"]);
    for (const [bubble, call] of Object.entries(map ?? {})) {
      const found = obj(call);
      if (found) done.set(bubble, found);
    }
  }
  return objects(head["conversation"]).map((bubble, i) => {
    const call = obj(bubble["toolFormerData"]) ?? done.get(str(bubble["bubbleId"]) ?? "");
    return placedValue(call ? { ...bubble, toolFormerData: call } : bubble, `composerData:${id}/${i}`);
  });
}

/** Parameters and results are JSON inside JSON. */
export function parsed(value: unknown): Native | null {
  return typeof value === "string" ? placed(value, "").value : obj(value);
}

/** The folder that the conversation is about. */
function folderOf(head: Native): string | null {
  const uri = obj(obj(head["workspaceIdentifier"])?.["uri"]);
  return nonEmpty(uri?.["fsPath"]) ?? nonEmpty(objects(head["trackedGitRepos"])[0]?.["repoPath"]);
}

/** The list of all conversations: a value of its own, and since 3.12 a table. */
function listedFolder(db: ForeignDatabase, id: string): string | null {
  const tables = db.tables();
  if (tables.has("composerHeaders")) {
    const row = db.prepare("SELECT CAST(value AS TEXT) AS value FROM composerHeaders WHERE composerId = ?").get(id);
    const folder = folderOf(parsed(row?.["value"]) ?? {});
    if (folder !== null) return folder;
  }
  const list = tables.has("ItemTable") ? parsed(textAt(db, "ItemTable", "composer.composerHeaders")) : null;
  return folderOf(objects(list?.["allComposers"]).find(({ composerId }) => composerId === id) ?? {});
}

const YEAR_2000 = 946_684_800_000;

/** A message's own time; in early releases only that of the request, which may be relative to its end. */
export function timeOf(bubble: Native): number | null {
  const stated = bubble["createdAt"];
  if (typeof stated === "string") return millis(stated);
  if (typeof stated === "number") return instant(stated);
  const timing = obj(bubble["timingInfo"]) ?? {};
  const start = num(timing["clientStartTime"]);
  if (start === null || start <= 0) return null;
  if (start >= YEAR_2000) return instant(Math.round(start));
  for (const name of ["clientRpcSendTime", "clientSettleTime", "clientEndTime"]) {
    const end = num(timing[name]);
    if (end !== null && end >= YEAR_2000) return instant(Math.round(end - start));
  }
  return null;
}
