import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { quickHash } from "../../base/io/hash.ts";
import { parseJson } from "../../base/io/json.ts";
import { parseCitation } from "../../answers/report/citations.ts";
import type { Cited } from "../../answers/report/cited.ts";
import type { DayReport } from "../../answers/report/model.ts";
import { keyOfSession } from "../../record/session-key.ts";

/**
 * What was last shown to the user, in one small file beside the book: so that a citation can be typed as printed, and
 * hints and notes are not repeated. Deleting the file loses nothing else.
 */
interface LastShown {
  schema_version: 1;
  /** The first-use hints were shown. */
  is_guided: boolean;
  reports: ShownReport[];
  /** Hashes of the notes that are said once a day, and the day. */
  said?: { day: string; notes: string[] };
}

interface ShownReport {
  since: string;
  until: string;
  /** Project → ref → the session and its turns. */
  projects: Record<string, Record<string, { session: string; turns: string[] }>>;
}

const NONE: LastShown = { schema_version: 1, is_guided: false, reports: [] };

function fileIn(book: string): string {
  return join(book, "terminal.json");
}

function readLastShown(book: string): LastShown {
  try {
    const value: unknown = parseJson(readFileSync(fileIn(book), "utf8"));
    return isLastShown(value) ? value : NONE;
  } catch {
    return NONE;
  }
}

function isLastShown(value: unknown): value is LastShown {
  return (
    typeof value === "object" &&
    value !== null &&
    "schema_version" in value &&
    value.schema_version === 1 &&
    "reports" in value &&
    Array.isArray(value.reports)
  );
}

/** Only if there is a book. A file that cannot be written is not an error. */
function writeLastShown(book: string, shown: LastShown, before: LastShown): void {
  const text = `${JSON.stringify(shown)}\n`;
  if (text === `${JSON.stringify(before)}\n` || !existsSync(join(book, "book"))) return;
  const fresh = `${fileIn(book)}.${process.pid}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, fileIn(book));
  } catch {
    rmSync(fresh, { force: true });
  }
}

export function rememberReports(book: string, days: readonly DayReport[]): void {
  const before = readLastShown(book);
  writeLastShown(book, { ...before, reports: days.map(shownReport) }, before);
}

function shownReport({ span, projects }: DayReport): ShownReport {
  const shown: ShownReport["projects"] = {};
  for (const { project, sessions, turns } of projects) {
    const refs = (shown[project] ??= {});
    for (const { session_ref, source, session_id } of sessions)
      refs[session_ref] = { session: keyOfSession(source, session_id), turns: [] };
    for (const { session_ref, turn_ref } of turns) refs[session_ref]?.turns.push(turn_ref);
  }
  return { since: span.since, until: span.until, projects: shown };
}

/** Resolves a citation of the report shown last; null if the text is not a citation, or not one of that report. */
export function resolveLastCitation(book: string, text: string): Cited | null {
  const named = parseCitation(text);
  if (!named) return null;
  const found = readLastShown(book).reports.flatMap(({ since, until, projects }) =>
    Object.entries(projects).flatMap(([project, refs]) => {
      const one = refs[named.session_ref];
      if (!one || (named.project !== null && named.project !== project)) return [];
      if (named.turn_ref !== null && !one.turns.includes(named.turn_ref)) return [];
      return [{ project, since, until, session: one.session }];
    }),
  );
  const [first] = found;
  if (!first) return null;
  if (found.some(({ session }) => session !== first.session)) {
    const days = new Set(found.map(({ since, until }) => `${since} ${until}`));
    const bare = text.slice(named.project === null ? 0 : named.project.length + 1);
    const commands = found.map(({ project, since, until }) => {
      const day = days.size === 1 ? "" : since === until ? ` --date ${since}` : ` --since ${since} --until ${until}`;
      return `daybook show ${project}/${bare}${day}`;
    });
    throw new DaybookError(`${text} matches ${found.length} sessions of the last report`, {
      code: "not_found",
      op: "find citation",
      hint: commands.join("\n  "),
    });
  }
  const turn = named.turn_ref === null ? "" : `/${named.turn_ref}`;
  return { target: `${first.session}${turn}`, lines: named.lines };
}

/** Whether to show the first-use hints; true at most once. */
export function shouldShowHints(book: string): boolean {
  const before = readLastShown(book);
  if (before.is_guided || !existsSync(join(book, "book"))) return false;
  writeLastShown(book, { ...before, is_guided: true }, before);
  // If nothing can be stored, show nothing: the hints would appear every time.
  return readLastShown(book).is_guided;
}

/** Whether this was said today, according to the file; from now on it was. */
export function wasSaidToday(book: string, day: string, text: string): boolean {
  const before = readLastShown(book);
  const note = quickHash(text);
  const notes = before.said?.day === day && Array.isArray(before.said.notes) ? before.said.notes : [];
  if (notes.includes(note)) return true;
  writeLastShown(book, { ...before, said: { day, notes: [...notes, note] } }, before);
  return false;
}
