import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DayReview } from "../../views/day-review.ts";
import type { Diagnostic } from "../../agents/contract.ts";
import { reportDiskFull } from "../../base/io/disk.ts";
import { order } from "../../base/text/order.ts";
import { keyOfSession } from "../../record/session-key.ts";
import { countedRows, countRows } from "../../book/pages/row-count.ts";
import { isIntact, objectWithChecksum } from "../../book/pages/checksum.ts";
import { moveOver } from "../../base/io/move-over.ts";

export function reviewsFile(home: string): string {
  return join(home, "book", "reviews.jsonl");
}

/**
 * What a model read in each day, from one append-only file of the book; the last row of a day counts. Like marks, it is
 * read on demand and never enters the index.
 */
export class DayReviews {
  /** In the order of their days. */
  readonly all: readonly DayReview[];
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly #path: string | null;
  readonly #damaged: readonly number[];
  /** How many rows the file has, and how many it once had. */
  readonly rows: { found: number; counted: number };
  /** Byte offset of a last row that a crash cut short, or null. */
  readonly tornAt: number | null;

  constructor(home: string | undefined) {
    this.#path = home === undefined ? null : reviewsFile(home);
    this.stamp = stampOf(this.#path);
    const { rows, damaged, tornAt } = this.stamp === "" || this.#path === null ? NOTHING : rowsOf(this.#path);
    const latest = new Map(rows.map((row) => [`${row.day} ${row.timezone}`, row]));
    this.all = [...latest.values()].toSorted((a, b) => order(a.day, b.day) || order(a.timezone, b.timezone));
    this.#damaged = damaged;
    this.rows = { found: rows.length + damaged.length, counted: this.#path === null ? 0 : countedRows(this.#path) };
    this.tornAt = tornAt;
  }

  /** The file has changed since it was read. */
  get isOutdated(): boolean {
    return stampOf(this.#path) !== this.stamp;
  }

  of(day: string, timezone: string): DayReview | null {
    return this.all.find((one) => one.day === day && one.timezone === timezone) ?? null;
  }

  /** Damaged and missing rows. */
  problems(): Diagnostic[] {
    const path = this.#path;
    if (path === null) return [];
    const message = "what a model read in a day is damaged and lost: `daybook review` asks again";
    const about = { code: "page_damaged", source: "book", path } as const;
    const lost = this.#damaged.map((line) => ({ ...about, line, message }));
    if (this.rows.found >= this.rows.counted) return lost;
    const missing =
      "what a model read in some days is missing, the file was cut or replaced: `daybook review` asks again";
    return [...lost, { ...about, message: missing }];
  }
}

interface FileRows {
  rows: DayReview[];
  damaged: number[];
  tornAt: number | null;
}

const NOTHING: FileRows = { rows: [], damaged: [], tornAt: null };

function stampOf(path: string | null): string {
  const file = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return file ? `${file.ino} ${file.size} ${file.mtimeMs}` : "";
}

function rowsOf(path: string): FileRows {
  const bytes = readFileSync(path);
  const [rows, damaged]: [DayReview[], number[]] = [[], []];
  const lines = bytes.toString("utf8").split("\n");
  for (const [i, line] of lines.entries()) {
    if (line === "") continue;
    const row = isIntact(line) === true ? rowFrom(line) : null;
    if (row) rows.push(row);
    // A torn row at the end was never reported as written: its answer is still in the journal.
    else if (i === lines.length - 1) return { rows, damaged, tornAt: bytes.lastIndexOf(0x0a) + 1 };
    else damaged.push(i + 1);
  }
  return { rows, damaged, tornAt: null };
}

function rowFrom(line: string): DayReview | null {
  try {
    const row = JSON.parse(line) as Partial<DayReview>;
    const isKnown = row.schema_version === 1 && typeof row.day === "string" && Array.isArray(row.opened);
    return isKnown ? (row as DayReview) : null;
  } catch {
    return null;
  }
}

/** Removes what was read in these sessions, atomically; rows that cannot be parsed are removed as well. */
export function forgetDayReviews(home: string, sessions: ReadonlySet<string>): void {
  const path = reviewsFile(home);
  if (stampOf(path) === "") return;
  const { rows } = rowsOf(path);
  const text = rows.map((row) => objectWithChecksum(withoutSessions(row, sessions))).join("");
  if (text === readFileSync(path, "utf8")) return;
  reportDiskFull(path, text.length, () => writeFileSync(`${path}.new`, text, { mode: 0o600 }));
  moveOver(`${path}.new`, path);
  countRows(path, rows.length);
}

function withoutSessions(row: DayReview, sessions: ReadonlySet<string>): DayReview {
  const isKept = ({ source, session_id }: { source: string; session_id: string }): boolean =>
    !sessions.has(keyOfSession(source, session_id));
  const { sum: _, ...rest } = row as DayReview & { sum?: number };
  return {
    ...rest,
    opened: row.opened.filter(isKept),
    closed: row.closed.filter((one) => isKept(one) && isKept(one.closes)),
    decided: row.decided.filter(isKept),
    results: row.results.filter(isKept),
    refused: row.refused.filter(isKept),
  };
}
