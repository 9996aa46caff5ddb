import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLog } from "../../record/reader.ts";
import { createReplay } from "./replay.ts";
import { order } from "../../base/text/order.ts";
import { moveOver } from "../../base/io/move-over.ts";

/** One session of a directory, as shown in a list. */
export interface ListedLog {
  session_id: string;
  path: string;
  title: string | null;
  archived: boolean;
  source: string | null;
  cwd: string | null;
  started_at: string | null;
  last_time: string | null;
  turns: number;
  forked_from: string | null;
  /** Lines that could not be read and records that are missing; `openSession` and `readLog` name them. */
  problems: number;
}

interface CachedLog {
  size: number;
  mtimeMs: number;
  listed: ListedLog | null;
}

const VERSION = 2;

/**
 * The sessions of a directory, the newest last. The data of each log is cached in `sessions.index` and refreshed when
 * the log has changed. The cache file may be deleted at any time.
 */
export function listSessions(dir: string): ListedLog[] {
  const known = readIndex(dir);
  const now = new Map<string, CachedLog>();
  for (const name of namesIn(dir)) {
    const path = join(dir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const { size, mtimeMs } = stat;
    const before = known.get(name);
    const isSame = before?.size === size && before.mtimeMs === mtimeMs;
    now.set(name, isSame ? before : { size, mtimeMs, listed: summarise(path) });
  }
  const isNew = now.size !== known.size || [...now].some(([name, entry]) => known.get(name) !== entry);
  if (isNew) writeIndex(dir, now);
  // The directory may have been moved since it was indexed.
  const listed = [...now].flatMap(([name, entry]) =>
    entry.listed ? [{ ...entry.listed, path: join(dir, name) }] : [],
  );
  return listed.sort((a, b) => order(a.last_time ?? "", b.last_time ?? "") || order(a.session_id, b.session_id));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return [];
  }
}

function summarise(path: string): ListedLog | null {
  const replay = createReplay();
  let last = -1;
  const reading = readLog(path);
  for (const record of reading) {
    // A record that fills an earlier gap adds nothing to a list.
    if (record.seq <= last) continue;
    last = record.seq;
    replay.push(record);
  }
  const { session_id, title, archived, meta, last_time, turns } = replay.state();
  if (session_id === null) return null;
  const problems = Object.values(reading.counts).reduce((sum, count) => sum + count, 0);
  const { source = null, cwd = null, started_at = null, forked_from = null } = meta ?? {};
  return {
    session_id,
    path,
    title,
    archived,
    source,
    cwd,
    started_at,
    last_time,
    turns: turns.length,
    forked_from,
    problems,
  };
}

function readIndex(dir: string): Map<string, CachedLog> {
  try {
    const entry = JSON.parse(readFileSync(join(dir, "sessions.index"), "utf8")) as {
      version: number;
      logs: [string, CachedLog][];
    };
    return new Map(entry.version === VERSION ? entry.logs : []);
  } catch {
    return new Map();
  }
}

function writeIndex(dir: string, logs: ReadonlyMap<string, CachedLog>): void {
  const path = join(dir, "sessions.index");
  try {
    writeFileSync(`${path}.${process.pid}`, JSON.stringify({ version: VERSION, logs: [...logs] }), { mode: 0o600 });
    moveOver(`${path}.${process.pid}`, path);
  } catch {
    // The cache only saves time: a directory that is not writable is listed anyway.
  }
}
