import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { logPath } from "../../record/log-path.ts";
import { sessionRecords, type History } from "./history.ts";
import type { LogDiagnostic, SeqRange } from "../../record/reader.ts";
import type { Attachment, LogRecord, RecordBody, SessionMetaBody } from "../../record/record.ts";
import type { Recovery } from "../../record/recovery.ts";
import { createReplay, type Replay } from "./replay.ts";
import type { SessionState, TurnState } from "./state.ts";
import { LogWriter, type ShortBody, type SyncPolicy } from "../../record/writer.ts";
import { moveOver } from "../../base/io/move-over.ts";

export interface OpenLogOptions {
  /** When `append` waits for the disk; default `always`. */
  sync?: SyncPolicy;
  /** The clock, in milliseconds since 1970. */
  now?: () => number;
  /** Fields of the header of a new session. */
  meta?: Partial<Omit<SessionMetaBody, "type">>;
}

export type NewBody = RecordBody | ShortBody;

/**
 * One session of an agent, open for writing: it can be appended to, watched, forked, rewound, and continued after a
 * crash. One process writes; any number of others may read the same file (`sessionRecords`, `followSession`).
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

  constructor(dir: string, id: string, options: OpenLogOptions = {}) {
    this.dir = dir;
    this.id = id;
    this.path = logPath(dir, id);
    this.#now = options.now ?? Date.now;
    this.#writer = LogWriter.open(this.path, id, { sync: options.sync ?? "always" });
    if (this.#writer.nextSeq > 0) return;
    const started_at = new Date(this.#now()).toISOString();
    this.append(null, { type: "session_meta", started_at, ...options.meta });
  }

  /** What opening the log found and repaired: the last record, and a line a crash left incomplete. */
  get recovery(): Readonly<Recovery> {
    return this.#writer.recovery;
  }

  /** The `seq` of the next record. */
  get nextSeq(): number {
    return this.#writer.nextSeq;
  }

  /**
   * Everything needed to continue: messages, calls, settings, turns. Read on first access and kept up to date from then
   * on.
   */
  get state(): SessionState {
    const state = this.#replayed().state();
    const gaps = this.#history?.gaps ?? [];
    return gaps.length === 0 ? state : { ...state, turns: noteMissingEnds(state.turns, gaps) };
  }

  /** The parent log, if it no longer exists; null otherwise. Its records are missing from `state`. */
  get missingParent(): string | null {
    this.#replayed();
    return this.#history?.missing ?? null;
  }

  /**
   * What is wrong with the logs that `state` was read from: lines that could not be read, records that are missing. What
   * they said is not in `state`; the rest is. The lines stay in their file.
   */
  get diagnostics(): readonly LogDiagnostic[] {
    this.#replayed();
    return this.#history?.diagnostics ?? [];
  }

  /** Writes bodies in one batch, in order, as records of one turn, or of no turn. */
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

  /**
   * Calls the listener with every record appended from now on; returns a function that unsubscribes. Other processes
   * use `followSession`.
   */
  subscribe(listener: (record: LogRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Creates a session whose history is this one's up to and including the record `at` (default: the last). Nothing is
   * copied: the new log names its parent and the record.
   */
  fork(id: string, at: number = this.nextSeq - 1, options: OpenLogOptions = {}): OpenSession {
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

  /** Takes back a turn and all later ones. They stay in the log, and their cost still counts. */
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

  /** Stores bytes beside the log, once however often they are attached; put the result into `attached` of a record. */
  attach(bytes: Uint8Array, media_type: string, name: string | null = null): Attachment {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const path = attachmentPath(this.dir, hash);
    if (!existsSync(path)) {
      mkdirSync(join(this.dir, "attachments"), { recursive: true, mode: 0o700 });
      // Written to a temporary file and renamed: a concurrent reader sees the whole file or none.
      writeFileSync(`${path}.${process.pid}`, bytes, { mode: 0o600, flush: true });
      moveOver(`${path}.${process.pid}`, path);
    }
    return { hash, media_type, bytes: bytes.length, name };
  }

  /** The bytes of an attachment; null if they are gone or were changed. */
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

/** Opens a session for writing, and creates it if it does not exist. Throws if another process has it open. */
export function openSession(dir: string, id: string, options: OpenLogOptions = {}): OpenSession {
  return new OpenSession(dir, id, options);
}

function attachmentPath(dir: string, hash: string): string {
  return join(dir, "attachments", hash);
}

/**
 * A turn whose end is not stated got its outcome from what follows. If records after its request are missing, one of
 * them may have stated it, so the turn says that they are.
 */
function noteMissingEnds(turns: readonly TurnState[], gaps: readonly SeqRange[]): TurnState[] {
  return turns.map((turn, i) => {
    if (turn.outcome_stated || turn.outcome_detail !== null) return turn;
    const until = turns[i + 1]?.first_seq ?? Infinity;
    const gap = gaps.findLast(({ from }) => from > turn.first_seq && from < until);
    return gap ? { ...turn, outcome_detail: `${named(gap)} missing: its end may have been there` } : turn;
  });
}

function named({ from, to }: SeqRange): string {
  return from === to ? `record ${from} is` : `records ${from} to ${to} are`;
}
