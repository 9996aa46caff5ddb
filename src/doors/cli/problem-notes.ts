import type { Diagnostic } from "../../agents/contract.ts";
import { type Daybook, inside, type NewerVersion } from "../../answers/daybook.ts";
import type { SessionRef } from "../../record/record.ts";
import type { Io } from "./io.ts";
import { wasSaidToday } from "./last-shown.ts";
import { plain } from "../../base/text/inert.ts";
import { groupDigits, plural } from "../../base/text/units.ts";
import type { OpenedDaybook } from "./open-daybook.ts";
import type { CommonFlags } from "./options.ts";

interface Noted {
  io: Io;
  daybook: Daybook;
  /** Where it is remembered what was said; null where nothing is stored, so that every command says it. */
  book: string | null;
  quiet: boolean;
  redact: boolean;
  /** Report roots that do not exist. A missing default place is normal: that agent is not installed. */
  missingRoots: boolean;
}

const UNREADABLE: ReadonlySet<Diagnostic["code"]> = new Set([
  "file_unreadable",
  "root_unreadable",
  "page_damaged",
  "line_corrupt",
  "number_impossible",
]);
const MOST_FILES = 5;

/**
 * Notes on stderr what could not be read, and returns the exit code. Files that cannot be opened are named by every
 * command, because something can be done about them. Lines that cannot be read, and agents newer than those checked,
 * stay as they are: one line each, once a day.
 */
export async function noteProblems(noted: Noted): Promise<number> {
  const { io, daybook, quiet, missingRoots } = noted;
  const problems = await daybook.problems();
  const unreadable = problems.filter(({ code }) => UNREADABLE.has(code));
  const code = unreadable.length > 0 ? 3 : 0;
  if (quiet) return code;
  const hide = (text: string): string => plain(noted.redact ? daybook.redactor.text(text) : text);
  const missing = missingRoots ? problems.filter((one) => one.code === "root_missing") : [];
  for (const { path } of missing) io.err(`daybook: not found: ${hide(path)}\n`);
  const lines = unreadable.filter(isLine);
  const files = unreadable.filter((one) => !isLine(one));
  for (const one of files.slice(0, MOST_FILES)) io.err(`daybook: unreadable: ${hide(placeOf(one))}\n`);
  if (files.length > MOST_FILES) io.err(`daybook: … and ${files.length - MOST_FILES} more; see daybook doctor\n`);
  const newer = await inside(daybook).newerVersions();
  sayOnceADay(noted, [
    ...(lines.length > 0 ? [`unreadable: ${linesText(lines, hide)}`] : []),
    ...(newer.length > 0 ? [`not yet checked with this version: ${hide(newerText(newer))}`] : []),
  ]);
  return code;
}

function sayOnceADay({ io, daybook, book }: Noted, notes: readonly string[]): void {
  // A person at the terminal is told even if a program was told before.
  const to = io.errIsTerminal ? "person" : "program";
  const day = daybook.zone.day(io.now);
  for (const note of notes)
    if (book === null || !wasSaidToday(book, day, `${to}: ${note}`)) io.err(`daybook: ${note}\n`);
}

function isLine({ code }: Diagnostic): boolean {
  return code === "line_corrupt" || code === "number_impossible";
}

function placeOf({ path, line, message }: Diagnostic): string {
  return `${path}${line === undefined ? "" : `:${line}`}: ${message}`;
}

function linesText(lines: readonly Diagnostic[], hide: (text: string) => string): string {
  const [first] = lines;
  if (lines.length === 1 && first) return hide(placeOf(first));
  const files = new Set(lines.map(({ path }) => path)).size;
  const partly = lines.some(({ code }) => code === "number_impossible") ? ", some in part" : "";
  return `${groupDigits(lines.length)} lines in ${plural(files, "file")}${partly}; see daybook doctor`;
}

/** One note for all agents, with the newest version of each. */
function newerText(newer: readonly NewerVersion[]): string {
  const newest = new Map(newer.map((one) => [one.source, one]));
  return [...newest.values()]
    .map(({ name, version, checked }) => `${name} ${version} (checked up to ${checked})`)
    .join(", ");
}

/**
 * Warns on stderr of sessions in an answer whose file has no header: their project, and who drove them, is not known,
 * and whoever collects decisions or sessions by project would file them under the wrong one.
 */
export async function warnHeaderless(
  io: Io,
  { daybook, hide }: OpenedDaybook,
  { quiet }: CommonFlags,
  sessions: Iterable<SessionRef>,
): Promise<void> {
  if (quiet === true) return;
  const files = (await inside(daybook).problemsOf(sessions)).filter(({ code }) => code === "header_missing");
  const [first] = files;
  if (!first) return;
  const others = files.length === 1 ? "" : ` and ${plural(files.length - 1, "more file")}`;
  io.err(
    `daybook: no header: ${plain(hide(first.path))}${others}: the project is not known, nor who drove it; see daybook doctor\n`,
  );
}
