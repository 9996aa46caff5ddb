import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../errors.ts";
import { logPath, sessionRecords, type History } from "./history.ts";
import type { Attachment, LogRecord, RecordBody, SessionMetaBody } from "../format/record.ts";
import type { Recovery } from "../format/recovery.ts";
import { createReplay, type Replay } from "./replay.ts";
import type { SessionState } from "./state.ts";
import { LogWriter, type ShortBody, type SyncPolicy } from "../format/writer.ts";

export interface SessionOptions {
  /** When `append` waits for the disk; `always` unless said otherwise. */
  sync?: SyncPolicy;
  /** The clock: milliseconds since 1970. */
  now?: () => number;
  /** The header of a new session. */
  meta?: Partial<Omit<SessionMetaBody, "type">>;
}

export type NewBody = RecordBody | ShortBody;

/**
 * One session of an agent, lived in: appended to, watched, forked, gone back in, and gone on with after a crash. One process
 * writes; any number of others may read the same file (`sessionRecords`, `followSession`).
 */
export class OpenSession {
  readonly id: string;
  readonly dir: string;
  readonly path: string;
  readonly #writer: LogWriter;
  readonly #now: () => number;
  readonly #listeners = new Set<(record: LogRecord) => void>();
  #replay: Replay | null = null;
  #history: History | null = null;

  constructor(dir: string, id: string, options: SessionOptions = {}) {
    this.dir = dir;
    this.id = id;
    this.path = logPath(dir, id);
    this.#now = options.now ?? Date.now;
    this.#writer = LogWriter.open(this.path, id, { sync: options.sync ?? "always" });
    if (this.#writer.nextSeq > 0) return;
    const started_at = new Date(this.#now()).toISOString();
    this.append(null, { type: "session_meta", started_at, ...options.meta });
  }

  /** What was found and put in order when it was opened: the last record, and what a crash had left half written. */
  get recovery(): Readonly<Recovery> {
    return this.#writer.recovery;
  }

  /** The `seq` of the next record. */
  get nextSeq(): number {
    return this.#writer.nextSeq;
  }

  /** Everything needed to go on: messages, calls, settings, turns. Read when first asked for, kept up to date from then on. */
  get state(): SessionState {
    return this.#replayed().state();
  }

  /** The log this one was forked from, where it is not there any more; null otherwise. What it held is missing from `state`. */
  get missingParent(): string | null {
    this.#replayed();
    return this.#history?.missing ?? null;
  }

  /** Writes bodies in one batch, in order, as records of one turn (or of none). */
  append(turn: string | null, ...bodies: NewBody[]): LogRecord[] {
    const time = new Date(this.#now()).toISOString();
    const place = turn === null ? { time } : { time, turn_id: turn };
    const records = this.#writer.append(bodies.map((body) => ({ ...place, body })));
    for (const record of records) {
      this.#replay?.push(this.#history?.further(record) ?? record);
      for (const listener of this.#listeners) listener(record);
    }
    return records;
  }

  /** Calls the listener with every record appended from now on; returns how to stop. Other processes use `followSession`. */
  subscribe(listener: (record: LogRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * A new session whose history is this one's up to and with the record `at` (by default the last). Nothing is copied: the new
   * log names its parent and the point.
   */
  fork(id: string, at: number = this.nextSeq - 1, options: SessionOptions = {}): OpenSession {
    if (!Number.isSafeInteger(at) || at < 0 || at >= this.nextSeq)
      throw new DaybookError(`there is no record ${at} to fork from`, { code: "usage", op: "fork session" });
    if (existsSync(logPath(this.dir, id)))
      throw new DaybookError(`the session ${id} is there already`, { code: "usage", op: "fork session" });
    const { source, cwd, agent_version } = this.state.meta ?? {};
    const header = {
      ...(source === undefined ? {} : { source }),
      cwd: cwd ?? null,
      agent_version: agent_version ?? null,
    };
    const meta = { ...header, ...options.meta, forked_from: this.id, forked_at: at };
    return new OpenSession(this.dir, id, { now: this.#now, ...options, meta });
  }

  /** Takes a turn and every later one back. They stay in the log, with what they cost. */
  rewind(turn: string): void {
    if (!this.state.turns.some(({ turn_id, taken_back }) => turn_id === turn && taken_back === null))
      throw new DaybookError(`there is no turn ${turn} to go back to`, { code: "usage", op: "rewind session" });
    this.append(null, { type: "cancelled", reason: "rewound", from_turn: turn });
  }

  rename(title: string | null, by: "human" | "agent" = "human"): void {
    this.append(null, { type: "session_renamed", title, by });
  }

  archive(): void {
    this.append(null, { type: "session_archived", archived: true });
  }

  unarchive(): void {
    this.append(null, { type: "session_archived", archived: false });
  }

  /** Keeps bytes beside the log, once however often they are attached; the result goes into `attached` of a record. */
  attach(bytes: Uint8Array, media_type: string, name: string | null = null): Attachment {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const path = attachmentPath(this.dir, hash);
    if (!existsSync(path)) {
      mkdirSync(join(this.dir, "attachments"), { recursive: true, mode: 0o700 });
      // Whole or not at all, also for a reader in this moment.
      writeFileSync(`${path}.${process.pid}`, bytes, { mode: 0o600, flush: true });
      renameSync(`${path}.${process.pid}`, path);
    }
    return { hash, media_type, bytes: bytes.length, name };
  }

  /** The bytes of an attachment; null when they are gone, or are not what was attached. */
  attachment({ hash }: Attachment): Uint8Array | null {
    try {
      const bytes = readFileSync(attachmentPath(this.dir, hash));
      return createHash("sha256").update(bytes).digest("hex") === hash ? bytes : null;
    } catch {
      return null;
    }
  }

  /** Waits until everything appended is on the disk. */
  flush(): void {
    this.#writer.flush();
  }

  close(): void {
    this.#writer.close();
  }

  #replayed(): Replay {
    if (this.#replay) return this.#replay;
    const replay = createReplay();
    const history = sessionRecords(this.dir, this.id);
    for (const record of history) replay.push(record);
    this.#history = history;
    this.#replay = replay;
    return replay;
  }
}

/** Opens a session to write, and makes it when it is not there. Throws when another process has it. */
export function openSession(dir: string, id: string, options: SessionOptions = {}): OpenSession {
  return new OpenSession(dir, id, options);
}

function attachmentPath(dir: string, hash: string): string {
  return join(dir, "attachments", hash);
}
