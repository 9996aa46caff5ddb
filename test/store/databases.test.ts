import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { SyncReport } from "../../src/answers/daybook.ts";
import { openDatabase, type Database } from "../../src/base/io/sqlite.ts";
import { answers, copyCorpus, differences, open, scratch, syncBook, type Roots } from "./fixture.ts";

/** Counts the bytes this process has read, including those read by SQLite. */
const COUNTER = "/proc/self/io";
const itOnLinux = it.skipIf(!existsSync(COUNTER));

function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync(COUNTER, "utf8"))?.[1]);
}

interface StoreKind {
  label: string;
  file: string;
  /** Copies the genuine sessions many times, with large outputs. */
  enlarge: (db: Database) => void;
  /** Changes one row in place, as the agent does. */
  touch: (db: Database) => void;
}

const COPIES = 24;
const OUTPUT = "printf('%.*c', 60000, 'x')";

const KINDS: StoreKind[] = [
  {
    label: "opencode-1.18.33",
    file: "opencode.db",
    enlarge: (db) => {
      const columns = db.prepare("SELECT name FROM pragma_table_info('session') WHERE name <> 'id'").all();
      const rest = columns.map((row) => String(row["name"])).join(", ");
      for (let k = 1; k <= COPIES; k++) {
        db.exec(`INSERT INTO session (id, ${rest}) SELECT id || '-${k}', ${rest} FROM session WHERE id NOT LIKE '%-%'`);
        // On another day, so that they are not taken for forks of one another.
        db.exec(`INSERT INTO message SELECT id || '-${k}', session_id || '-${k}', time_created, time_updated,
          json_set(data, '$.time.created', (data ->> '$.time.created') - ${k} * 86400000) FROM message WHERE id NOT LIKE '%-%'`);
        db.exec(`INSERT INTO part SELECT id || '-${k}', message_id || '-${k}', session_id || '-${k}', time_created, time_updated,
          iif(data ->> '$.type' = 'tool', json_set(data, '$.callID', id || '-${k}', '$.state.output', ${OUTPUT}), data)
          FROM part WHERE id NOT LIKE '%-%'`);
      }
    },
    touch: (db) =>
      // A value of the same length, and not in the newest row of its session.
      db.exec(`UPDATE part SET time_updated = time_updated + 1, data = replace(data, '"exit":0', '"exit":1')
        WHERE id = (SELECT min(id) FROM part WHERE data LIKE '%"exit":0%')`),
  },
  {
    label: "goose-1.34.0",
    file: "sessions/sessions.db",
    enlarge: (db) => {
      const columns = db.prepare("SELECT name FROM pragma_table_info('sessions') WHERE name <> 'id'").all();
      const rest = columns.map((row) => String(row["name"])).join(", ");
      for (let k = 1; k <= COPIES; k++) {
        db.exec(
          `INSERT INTO sessions (id, ${rest}) SELECT id || '-${k}', ${rest} FROM sessions WHERE id NOT LIKE '%-%'`,
        );
        db.exec(`INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json)
          SELECT message_id || '-${k}', session_id || '-${k}', role,
            json_set(content_json, '$[#]', json_object('type', 'text', 'text', ${OUTPUT})), created_timestamp, metadata_json
          FROM messages WHERE session_id NOT LIKE '%-%' ORDER BY id`);
      }
    },
    // Hides a message from the model: nothing else changes, not even the time of the session.
    touch: (db) =>
      db.exec(`UPDATE messages SET metadata_json = '{"userVisible":true,"agentVisible":false}'
        WHERE id = (SELECT max(id) FROM messages)`),
  },
];

describe.each(KINDS)("a large database: $label", ({ label, file, enlarge, touch }) => {
  const change = (path: string, work: (db: Database) => void): void => {
    const db = openDatabase(path);
    work(db);
    db.close();
  };

  // One for all tests: each finds the book up to date, and leaves it so.
  const large = { roots: {} as Roots, path: "", book: "" };
  let first: SyncReport;
  beforeAll(async () => {
    const { dir, roots } = copyCorpus([label]);
    const path = join(dir, label, file);
    change(path, (db) => {
      db.exec("BEGIN");
      enlarge(db);
      db.exec("COMMIT");
    });
    Object.assign(large, { roots, path, book: scratch("book") });
    first = await syncBook(roots, large.book);
  });

  itOnLinux("is not read if nothing was written to it", async () => {
    const { roots, path, book } = large;
    expect(first.files_read).toBe(first.files_seen);
    expect(statSync(path).size).toBeGreaterThan(15e6);
    const index = statSync(join(book, "index.db")).mtimeMs;
    const before = bytesRead();
    const { files_seen, unreadable, damaged, ...counts } = await syncBook(roots, book);
    expect(bytesRead() - before).toBeLessThan(1e6);
    expect(files_seen).toBe(first.files_seen);
    expect([...unreadable, ...damaged]).toEqual([]);
    expect(Object.values(counts)).toEqual(Object.values(counts).map(() => 0));
    expect(statSync(join(book, "index.db")).mtimeMs).toBe(index);
  });

  itOnLinux("has one session read again if one of its rows changed", async () => {
    const { roots, path, book } = large;
    change(path, touch);
    const before = bytesRead();
    const { files_read } = await syncBook(roots, book);
    expect(files_read).toBe(1);
    // Ids and times of all rows, and the one session.
    expect(bytesRead() - before).toBeLessThan(statSync(path).size / 3);
    expect((await syncBook(roots, book)).files_read).toBe(0);
  });

  it("has no session read again if only its modification time changed", async () => {
    const { roots, path, book } = large;
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    const { files_read, rows_written } = await syncBook(roots, book);
    expect({ files_read, rows_written }).toEqual({ files_read: 0, rows_written: 1 });
  });
});

describe.each(KINDS)("a database that its agent has open: $label", ({ label, file, touch }) => {
  it("is read including its write-ahead log, after each commit and checkpoint", async () => {
    const { dir, roots } = copyCorpus([label]);
    const book = scratch("book");
    const agent = openDatabase(join(dir, label, file));
    try {
      agent.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
      await syncBook(roots, book);
      expect((await syncBook(roots, book)).files_read).toBe(0);
      touch(agent);
      expect((await syncBook(roots, book)).files_read).toBe(1);
      expect((await syncBook(roots, book)).files_read).toBe(0);
      // A checkpoint moves the rows from the log to the database; no reader blocks it, and nothing is read again.
      expect(agent.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"]).toBe(0);
      expect((await syncBook(roots, book)).files_read).toBe(0);
      expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
    } finally {
      agent.close();
    }
    expect((await syncBook(roots, book)).files_read).toBe(0);
  });
});

describe.each(KINDS)("a database whose agent died: $label", ({ label, file, touch }) => {
  it("is read including its write-ahead log, and no file beside it or temporary copy is left", async () => {
    const { dir } = copyCorpus([label]);
    const path = join(dir, label, file);
    const orphan = join(scratch("left"), basename(file));
    const agent = openDatabase(path);
    try {
      agent.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
      touch(agent);
      copyFileSync(path, orphan);
      copyFileSync(`${path}-wal`, `${orphan}-wal`);
      const roots = { [label.split("-")[0] ?? ""]: [orphan] };
      const direct = await answers(open(roots));
      expect(differences(direct, await answers(open(roots, scratch("book"))))).toEqual([]);
      expect(readdirSync(dirname(orphan))).toEqual([basename(orphan), `${basename(orphan)}-wal`]);
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`daybook-db-${process.pid}-`))).toEqual([]);
      agent.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      rmSync(`${orphan}-wal`);
      copyFileSync(path, orphan);
      expect(differences(direct, await answers(open(roots)))).toEqual([]);
    } finally {
      agent.close();
    }
  });
});
