import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../../base/io/sqlite.ts";
import { order } from "../../../base/text/order.ts";
import { turnKeyIn } from "../../../record/session-key.ts";
import { likenessTo, packVector, unpackVector, type PackedVector } from "./vector.ts";

/** What of a turn a vector is made of. Questions are like a request, or like what was answered, or like both. */
export type TurnPart = "request" | "reply" | "both";

/** The vectors of one turn's parts, and the state of the turn that they were made of. */
export interface TurnVectors {
  session: string;
  ref: string;
  /** Changes when the turn does. */
  state: string;
  parts: ReadonlyMap<TurnPart, Float32Array>;
}

export interface SimilarTurn {
  session: string;
  ref: string;
  /** The cosine of its most similar part. */
  likeness: number;
}

interface LoadedVector {
  session: string;
  ref: string;
  vector: PackedVector;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- The state of the turn that its vectors were made of; a turn without words has none.
CREATE TABLE IF NOT EXISTS made (session TEXT NOT NULL, ref TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (session, ref)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vector (
  session TEXT NOT NULL, ref TEXT NOT NULL, part TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (session, ref, part)
) WITHOUT ROWID;
`;

/** How long a write waits for another Daybook's, in ms. */
const PATIENCE = 5000;

export function vectorPath(home: string): string {
  return join(home, "vectors.db");
}

/**
 * The vectors of all turns by one model. Derived, and part of the index; a file of its own because making them takes
 * far longer than all other rows, which a new price table or a new rule of redaction makes again.
 */
export class VectorFile {
  readonly #db: Database;
  readonly #model: string;
  #loaded: { version: number; vectors: LoadedVector[]; turns: number } | null = null;

  /** `model`: the id of the model. Vectors of another one are deleted. */
  static open(home: string, model: string): VectorFile {
    const path = vectorPath(home);
    try {
      return new VectorFile(path, model);
    } catch {
      // Damaged, or of another version: it is derived.
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
      return new VectorFile(path, model);
    }
  }

  private constructor(path: string, model: string) {
    this.#model = model;
    // Readable by its owner alone, as all of the home.
    closeSync(openSync(path, "a", 0o600));
    this.#db = openDatabase(path, PATIENCE);
    this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    this.#db.exec(SCHEMA);
    const kept = this.#db.prepare("SELECT value FROM meta WHERE key = 'model'").get()?.["value"];
    if (kept === model) return;
    this.#write(() => {
      this.#db.exec("DELETE FROM vector; DELETE FROM made");
      this.#db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('model', ?)").run(model);
    });
  }

  close(): void {
    this.#db.close();
  }

  /** Turn by session and ref → the state its vectors were made of. */
  states(): Map<string, string> {
    const rows = this.#db.prepare("SELECT session, ref, state FROM made").all();
    return new Map(rows.map((row) => [turnKeyIn(String(row["session"]), String(row["ref"])), String(row["state"])]));
  }

  /** Replaces the vectors of these turns; ignored if another process has begun with another model. */
  put(turns: readonly TurnVectors[]): void {
    this.#write(() => {
      const model = this.#db.prepare("SELECT value FROM meta WHERE key = 'model'").get()?.["value"];
      if (model !== this.#model) return;
      for (const { session, ref, state, parts } of turns) {
        this.#db.prepare("DELETE FROM vector WHERE session = ? AND ref = ?").run(session, ref);
        this.#db.prepare("INSERT OR REPLACE INTO made (session, ref, state) VALUES (?, ?, ?)").run(session, ref, state);
        for (const [part, vector] of parts)
          this.#db
            .prepare("INSERT INTO vector (session, ref, part, vector) VALUES (?, ?, ?, ?)")
            .run(session, ref, part, packVector(vector));
      }
    });
  }

  /** Deletes the vectors of turns that are no longer there. */
  drop(turns: readonly { session: string; ref: string }[]): void {
    if (turns.length === 0) return;
    this.#write(() => {
      for (const { session, ref } of turns)
        for (const table of ["vector", "made"])
          this.#db.prepare(`DELETE FROM ${table} WHERE session = ? AND ref = ?`).run(session, ref);
    });
  }

  /** Number of turns that were looked at. */
  get turns(): number {
    return this.#load().turns;
  }

  /** Turns of these sessions, the most similar first. */
  similar(question: Float32Array, isMeant: (session: string) => boolean, most: number): SimilarTurn[] {
    const like = likenessTo(question);
    const best = new Map<string, SimilarTurn>();
    for (const { session, ref, vector } of this.#load().vectors) {
      if (!isMeant(session)) continue;
      const key = turnKeyIn(session, ref);
      const likeness = like(vector);
      if (likeness > (best.get(key)?.likeness ?? -1)) best.set(key, { session, ref, likeness });
    }
    return [...best]
      .toSorted(([a, one], [b, other]) => other.likeness - one.likeness || order(a, b))
      .slice(0, most)
      .map(([, one]) => one);
  }

  /** All vectors, kept in memory until any process writes. */
  #load(): { vectors: LoadedVector[]; turns: number } {
    const version = Number(this.#db.prepare("PRAGMA data_version").get()?.["data_version"]);
    if (this.#loaded?.version === version) return this.#loaded;
    const vectors = this.#db
      .prepare("SELECT session, ref, vector FROM vector ORDER BY session, ref, part")
      .all()
      .map((row) => ({
        session: String(row["session"]),
        ref: String(row["ref"]),
        vector: unpackVector(row["vector"] as Uint8Array),
      }));
    const turns = Number(this.#db.prepare("SELECT count(*) AS n FROM made").get()?.["n"]);
    this.#loaded = { version, vectors, turns };
    return this.#loaded;
  }

  #write(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
    // Only writes of other connections change the version of the data.
    this.#loaded = null;
  }
}

/** Deletes the vectors of sessions, whatever model made them. */
export function forgetVectors(home: string, sessions: ReadonlySet<string>): void {
  const path = vectorPath(home);
  if (!existsSync(path)) return;
  const db = openDatabase(path, PATIENCE);
  try {
    db.exec("PRAGMA secure_delete = ON");
    for (const table of ["vector", "made"]) {
      const forget = db.prepare(`DELETE FROM ${table} WHERE session = ?`);
      for (const session of sessions) forget.run(session);
    }
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // Not a file of vectors: nothing of the session may stay.
    db.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return;
  }
  db.close();
}
