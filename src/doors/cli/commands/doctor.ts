import type { BookHealth, DamagedPage, DoctorAnswer, SourceHealth } from "../../../answers/daybook.ts";
import type { Doctor } from "../../../answers/json.ts";
import { doctor as question } from "../../../answers/questions/book.ts";
import { printJson } from "../json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import { beforePath, wrapLines } from "../layout.ts";
import { openDaybook } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../output.ts";
import type { Register } from "../flags.ts";

/** How long to wait for another Daybook process that holds the write lock, in ms. */
const LOCK_WAIT_MS = 5000;

export const doctor: Register = (program, io, exit) => {
  questionCommand(program, question)
    .description("where Daybook looked, what it found, what it could not read, what will be deleted soon")
    .option("--full", "every place looked at, every version, and what the files of an agent cannot tell")
    .option("--repair", "rebuild the index and everything else derived from the book")
    .option("--verify", "verify the checksums of the whole book; damaged pages are listed, and read again if possible")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook doctor\n  daybook doctor --full --source codex\n  daybook doctor --verify",
    )
    .action(async (flags: CommonFlags & { full?: boolean; repair?: boolean; verify?: boolean }) => {
      const opened = openDaybook(io, flags, { mayLackRoots: true });
      const { repair = false, verify = false } = flags;
      const done = repair || verify ? await opened.daybook.sync({ repair, verify, patience: LOCK_WAIT_MS }) : null;
      if (repair && done && flags.quiet !== true)
        io.err(`daybook: index rebuilt from ${plural(done.pages_rebuilt, "page")} of the book\n`);
      const damaged = opened.hide(done?.damaged ?? []);
      const report = opened.hide(await opened.daybook.doctor());
      const code = await opened.done();
      if (opened.json) printJson(io, { ...report, ...(done ? { damaged_pages: damaged } : {}) } satisfies Doctor);
      else print(io, report, damaged, { paint: opened.paint, isFull: flags.full === true });
      exit(damaged.length > 0 ? Math.max(code, 3) : code);
    });
};

function damageLine({ page, session_id, path, lines, newer }: DamagedPage): string {
  const what = newer
    ? "written by a later version"
    : lines.length > 0
      ? `lines ${lines.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(", ")} are lost`
      : "damaged";
  return `${session_id ?? page}: ${what}${path === null ? "" : ` (of ${path})`}`;
}

interface Look {
  paint: Paint;
  /** With every place and limit; otherwise as little as fits a screen. */
  isFull: boolean;
}

function print(io: Io, report: DoctorAnswer, damaged: readonly DamagedPage[], look: Look): void {
  const { paint, isFull } = look;
  const isNothing = ({ sessions, files, problems }: SourceHealth): boolean =>
    !isFull && sessions + files === 0 && problems.every(isAbsent);
  const found = report.sources.filter((source) => !isNothing(source));
  for (const source of found) io.out(`${section(source, look, io.columns)}\n`);
  const others = report.sources.filter(isNothing).map(({ name }) => name);
  if (others.length > 0)
    for (const line of wrapLines(`– No sessions of ${others.join("; ")}.`, io.columns)) io.out(`${paint.dim(line)}\n`);
  for (const line of report.unread_agents.flatMap((agent) => unreadLines(agent, paint, io.columns)))
    io.out(`${line}\n`);
  if (report.book) io.out(`${bookLine(report.book)}\n`);
  if (damaged.length > 0) io.out(paint.red(`${plural(damaged.length, "damaged page")} of the book:\n`));
  for (const page of damaged) for (const line of wrapLines(`    ${damageLine(page)}`, io.columns)) io.out(`${line}\n`);
  const isNew = report.sources.some((source) => source.newer_versions.length > 0);
  if (!report.healthy || damaged.length > 0) io.out(paint.yellow("See the problems above.\n"));
  else if (isNew) io.out(paint.yellow("No problems, but some versions have not been checked yet.\n"));
  else io.out(paint.green("All well.\n"));
  if (!isFull) io.out(paint.dim("--full tells every place, version and limit\n"));
}

/** So that nobody wonders why an agent's sessions are missing. */
function unreadLines(
  { name, path, like }: DoctorAnswer["unread_agents"][number],
  paint: Paint,
  width: number,
): string[] {
  const hint =
    like === null ? "its sessions are not read" : `not read; said to be like those of ${like} (--root ${like}=PATH)`;
  return [
    `${paint.dim("–")} ${paint.bold(name)}  ${paint.dim(hint)}`,
    ...beforePath("    found", path, width).map(paint.dim),
  ];
}

/** Where the book is and how much space it takes. */
function bookLine({ path, pages, bytes, index_bytes, forgotten }: BookHealth): string {
  const gone = forgotten === 0 ? "" : `; ${plural(forgotten, "session")} forgotten (daybook forget --list)`;
  return `Book:\n    ${plain(path)}\n    ${plural(pages, "page")}, ${megabytes(bytes)}, and an index of ${megabytes(index_bytes)}${gone}`;
}

/** A place where an agent's sessions would be is not there. */
function isAbsent({ code }: SourceHealth["problems"][number]): boolean {
  return code === "root_missing";
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const MAX_SHOWN = 8;
const ABSENT = { empty: "no sessions", missing: "not found" } as const;

function section(s: SourceHealth, { paint, isFull }: Look, width: number): string {
  const mark = s.verdict === "ok" ? paint.green("✓") : s.verdict === "empty" ? paint.dim("–") : paint.yellow("!");
  const found = `${plural(s.sessions, "session")} in ${plural(s.files, "file")}, ${megabytes(s.bytes)}`;
  const out = [`${mark} ${paint.bold(s.name)}  ${s.sessions + s.files > 0 ? found : paint.dim("no sessions")}`];
  const say = (text: string, colour: (line: string) => string = String): void =>
    void out.push(...wrapLines(text, width).map(colour));
  for (const { path, verdict, files } of isFull ? s.places : [])
    out.push(
      ...(verdict === "found"
        ? beforePath(`    ${plural(files, "file").padEnd(11)}`, path, width)
        : beforePath(`    ${ABSENT[verdict]}`, path, width).map(paint.dim)),
    );
  const versions = Object.entries(s.drift.versions).map(([version, n]) => `${version} (${plural(n, "record")})`);
  if (isFull && versions.length > 0) say(`    versions: ${versions.join(", ")}`);
  if (s.newer_versions.length > 0)
    say(`    not yet checked with this version: ${s.newer_versions.join(", ")}`, paint.yellow);
  out.push(...countList("unknown types", Object.entries(s.drift.unknownTypes), paint));
  out.push(...countList("unknown fields", Object.entries(s.drift.unknownFields), paint));
  if (s.corrupt_lines > 0) out.push(paint.red(`    ${plural(s.corrupt_lines, "corrupt line")}`));
  const lost = s.history.without_transcript;
  if (lost.length > 0) {
    say(`    ${plural(lost.length, "prompt")} in the input history without a transcript, for example:`, paint.yellow);
    for (const prompt of lost.slice(-3)) out.push(`      ${oneLine(askedLine(prompt.text), width - 6)}`);
    out.push(`      all of them: daybook sessions --lost --source ${s.source}`);
  }
  if (s.only_in_book.length > 0)
    say(`    ${plural(s.only_in_book.length, "session")} only in the book: ${s.name} has deleted its files`);
  const risk = s.retention.at_risk;
  if (risk.length > 0)
    say(
      `    ${plural(risk.length, "file")} will be deleted by ${s.name} within a week (kept ${s.retention.days} days)`,
      paint.yellow,
    );
  // Places that do not exist are listed above.
  const missing = new Set(
    (isFull ? s.places : []).filter(({ verdict }) => verdict === "missing").map(({ path }) => path),
  );
  const problems = s.problems.filter(({ code, path }) => code !== "root_missing" || (isFull && !missing.has(path)));
  for (const p of problems.slice(0, MAX_SHOWN)) {
    out.push(...beforePath(`    ${p.code}`, `${p.path}${p.line ? `:${p.line}` : ""}`, width).map(paint.yellow));
    say(`      ${p.message}${p.hint ? `; ${p.hint}` : ""}`);
  }
  if (problems.length > MAX_SHOWN) out.push(`    … and ${problems.length - MAX_SHOWN} more (--json shows all)`);
  // The limits of an agent's files only matter for agents with sessions on this machine.
  const limits = isFull && s.sessions > 0 ? s.unknowable : [];
  if (limits.length > 0) out.push("    cannot be known from its files:");
  for (const what of limits) say(`      · ${what}`, paint.dim);
  return out.join("\n");
}

function countList(name: string, entries: [string, number][], paint: Paint): string[] {
  if (entries.length === 0) return [];
  const shown = entries.slice(0, MAX_SHOWN).map(([what, n]) => `      ${plain(what)}: ${groupDigits(n)}`);
  const more = entries.length > MAX_SHOWN ? [`      … and ${entries.length - MAX_SHOWN} more`] : [];
  return [paint.yellow(`    ${name}:`), ...shown, ...more];
}
