import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "../log/lock.ts";
import type { OpenedSources } from "../reading/library.ts";
import { runJobs, type Progress } from "../reading/pool.ts";
import type { Diagnostic, Drift, SourceRef } from "../sources/source.ts";
import { familiesOf } from "./families.ts";
import { ingestJob, type Doc, type Ingested, type IngestJob } from "./ingest.ts";
import { refreshFamily, type Describe } from "./refresh.ts";
import { IndexStore, type Unit } from "./store.ts";

export interface SyncOptions {
  home: string;
  describe: Describe;
  onProgress?: Progress | undefined;
  /** Wait for the disk after each file. Off while many files are read for the first time: they can be read again. */
  durable?: boolean;
}

/** What a sync did, counted: the measure of "cost follows change". */
export interface SyncReport {
  files_seen: number;
  files_read: number;
  entries: number;
  sessions_refreshed: number;
  rows_written: number;
  gone: number;
  unreadable: Diagnostic[];
}

/** Brings book and index up to date with the native files. Unchanged files are not opened; changed ones are read from where the last read ended. */
export async function sync(opened: OpenedSources, options: SyncOptions): Promise<SyncReport> {
  mkdirSync(options.home, { recursive: true });
  const lock = acquireLock(join(options.home, "sync.lock"));
  const store = IndexStore.open(options.home);
  try {
    return await new Sync(store, opened, options).run();
  } finally {
    store.close();
    lock.release();
  }
}

class Sync {
  readonly #store: IndexStore;
  readonly #opened: OpenedSources;
  readonly #options: SyncOptions;
  readonly #report: SyncReport;

  constructor(store: IndexStore, opened: OpenedSources, options: SyncOptions) {
    this.#store = store;
    this.#opened = opened;
    this.#options = options;
    this.#report = {
      files_seen: opened.refs.length,
      files_read: 0,
      entries: 0,
      sessions_refreshed: 0,
      rows_written: 0,
      gone: 0,
      unreadable: [],
    };
  }

  async run(): Promise<SyncReport> {
    const known = new Map(this.#store.units().map((unit) => [refKey(unit.ref), unit]));
    const changed = this.#markGone(known);
    const jobs: IngestJob[] = [];
    for (const ref of this.#opened.refs) {
      const unit = known.get(refKey(ref));
      if (unit && !unit.gone && isSame(unit.ref, ref)) continue;
      jobs.push(this.#jobFor(ref, unit));
    }
    await runJobs(jobs, {
      here: ingestJob,
      each: (result: ReturnType<typeof ingestJob>, index) => {
        const job = jobs[index] as IngestJob;
        if (!result.done) return void this.#report.unreadable.push(unreadable(job.ref, result.error));
        for (const key of this.#take(job, result.done, known.get(refKey(job.ref)))) changed.add(key);
      },
      progress: this.#options.onProgress,
    });
    this.#store.commit();
    this.#refresh(changed);
    this.#store.commit();
    return this.#report;
  }

  /** Files that are not there any more stay in the book; only their absence is noted. */
  #markGone(known: ReadonlyMap<string, Unit>): Set<string> {
    const present = new Set(this.#opened.refs.map(refKey));
    const looked = new Set(this.#opened.sources.map((source) => source.id));
    const gone = [...known.values()].filter(
      (unit) => !unit.gone && looked.has(unit.ref.source) && !present.has(refKey(unit.ref)),
    );
    if (gone.length > 0) {
      this.#store.transaction(() => {
        for (const unit of gone) this.#store.run("UPDATE unit SET gone = 1 WHERE id = ?", unit.id);
      });
    }
    this.#report.gone = gone.length;
    return new Set();
  }

  #jobFor(ref: SourceRef, unit: Unit | undefined): IngestJob {
    const base = { want: "ingest" as const, ref, durable: this.#options.durable === true };
    const row = unit ? this.#store.get("SELECT cursor, saved FROM unit WHERE id = ?", unit.id) : undefined;
    // Only a file that grew is read on; anything else that changed is read anew, into a page of its own.
    const grew =
      unit !== undefined &&
      ref.container.startsWith("jsonl") &&
      ref.size >= unit.ref.size &&
      typeof row?.["cursor"] === "string";
    if (grew && row) {
      const cursor = JSON.parse(String(row["cursor"])) as IngestJob["cursor"];
      return {
        ...base,
        bytes: ref.size - (cursor?.offset ?? 0),
        page: unit.page,
        cursor,
        saved: row["saved"] instanceof Uint8Array ? row["saved"] : null,
      };
    }
    const generation = unit ? Number(/\.g(\d+)$/.exec(unit.page)?.[1] ?? 1) + 1 : 1;
    return { ...base, bytes: ref.size, page: this.#pageFor(ref, generation), cursor: null, saved: null };
  }

  #pageFor(ref: SourceRef, generation: number): string {
    const hash = createHash("sha256").update(refKey(ref)).digest("hex");
    const name = (ref.key ?? ref.path.split("/").at(-1) ?? "session")
      .replace(/\.jsonl(\.zst)?$/, "")
      .replace(/[^A-Za-z0-9._-]+/g, "_")
      .slice(0, 80);
    const suffix = generation === 1 ? "" : `.g${generation}`;
    return join(this.#options.home, "book", ref.source, hash.slice(0, 2), `${name}-${hash.slice(0, 10)}${suffix}`);
  }

  /** Books what a thread read. Returns the keys of the sessions that may have changed by it. */
  #take(job: IngestJob, done: Ingested, unit: Unit | undefined): string[] {
    const { ref } = job;
    const store = this.#store;
    const key = `${ref.source}/${done.session_id}`;
    return store.batched(() => {
      const drift = JSON.stringify(unit && job.cursor ? addDrift(this.#driftOf(unit), done.drift) : done.drift);
      const row = [
        ref.size,
        ref.mtimeMs,
        ref.stamp ?? "",
        done.session_id,
        JSON.stringify(done.cursor),
        done.saved,
        JSON.stringify(done.tail),
        drift,
      ];
      let id = unit && unit.page === job.page ? unit.id : null;
      if (id === null) {
        id = store.run(
          "INSERT OR REPLACE INTO unit (source, path, key, container, page, size, mtime, stamp, session_id, cursor, saved, tail, drift) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          ...[ref.source, ref.path, ref.key ?? "", ref.container, job.page, ...row],
        );
        // The page of an earlier generation stays a part of the session, under no living file.
        if (unit) store.run("UPDATE unit SET gone = 2, path = path || '#' || id WHERE id = ?", unit.id);
      } else {
        store.run(
          "UPDATE unit SET size = ?, mtime = ?, stamp = ?, session_id = ?, cursor = ?, saved = ?, tail = ?, drift = ?, gone = 0 WHERE id = ?",
          ...row,
          id,
        );
      }
      this.#report.files_read++;
      this.#report.entries += done.entries;
      this.#report.rows_written++;
      for (const other of done.links) this.#link(key, other);
      for (const identity of done.identities)
        store.run("INSERT OR IGNORE INTO identity (identity, session) VALUES (?, ?)", `${ref.source}/${identity}`, key);
      this.#addDocs(id, done.docs);
      return [key];
    });
  }

  #driftOf(unit: Unit): Drift {
    const text = this.#store.get("SELECT drift FROM unit WHERE id = ?", unit.id)?.["drift"];
    return JSON.parse(typeof text === "string" ? text : "{}") as Drift;
  }

  #link(a: string, b: string): void {
    this.#store.run("INSERT OR IGNORE INTO link (a, b) VALUES (?, ?)", a, b);
    this.#store.run("INSERT OR IGNORE INTO link (a, b) VALUES (?, ?)", b, a);
  }

  #addDocs(unit: number, docs: readonly Doc[]): void {
    for (const [line, kind, time, at, bytes, text] of docs) {
      const id = this.#store.run(
        "INSERT INTO doc (unit, line, kind, time, at, bytes) VALUES (?, ?, ?, ?, ?, ?)",
        unit,
        line,
        kind,
        time,
        at,
        bytes,
      );
      this.#store.run("INSERT INTO text (rowid, body) VALUES (?, ?)", id, text);
      this.#report.rows_written += 2;
    }
  }

  #refresh(changed: ReadonlySet<string>): void {
    for (const family of familiesOf(this.#store, changed)) {
      this.#report.rows_written += refreshFamily(this.#store, family, this.#options.describe);
      this.#report.sessions_refreshed += family.length;
    }
  }
}

export function refKey(ref: SourceRef): string {
  return `${ref.source}\t${ref.path}\t${ref.key ?? ""}`;
}

function isSame(a: SourceRef, b: SourceRef): boolean {
  if (a.stamp !== undefined || b.stamp !== undefined) return a.stamp === b.stamp;
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function addDrift(a: Drift, b: Drift): Drift {
  const sum: Drift = {
    versions: { ...a.versions },
    unknownTypes: { ...a.unknownTypes },
    unknownFields: { ...a.unknownFields },
  };
  for (const key of ["versions", "unknownTypes", "unknownFields"] as const) {
    for (const [name, n] of Object.entries(b[key])) sum[key][name] = (sum[key][name] ?? 0) + n;
  }
  return sum;
}

function unreadable(ref: SourceRef, error: string | undefined): Diagnostic {
  return {
    code: "file_unreadable",
    source: ref.source,
    path: ref.path,
    message: error ?? "the file could not be read",
  };
}
