import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { toDiskFullError } from "../../../base/io/disk.ts";
import { DaybookError } from "../../../base/errors.ts";
import { inside, type Daybook, type QueryFor, type ReportQuery } from "../../../answers/daybook.ts";
import type { DayReport } from "../../../answers/report/model.ts";
import type { EditsOf } from "../../../answers/report.ts";
import { renderMarkdown } from "../../../render/markdown.ts";
import { renderStandup } from "../../../render/standup.ts";
import { renderSummary } from "../../../render/summary.ts";
import { renderFull } from "../../../render/terminal.ts";
import { resolveSpan } from "../../../answers/report/window.ts";
import { printDocument, type Io } from "../io.ts";
import { printJsonText } from "../json.ts";
import { type Paint, paintFor } from "../output.ts";
import { parseDayWords } from "../../../base/time/day-words.ts";
import { MARKS, PLACE, SPAN } from "../../../views/query/fields.ts";
import { report as question } from "../../../answers/questions/days.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import { type Register, unknownValueError, usageError, ValuesOption } from "../flags.ts";

const FORMATS = ["terminal", "markdown", "html", "json"] as const;
type Format = (typeof FORMATS)[number];

/** Of the window, or each day's share of it. */
interface Size {
  columns: number;
  rows: number | undefined;
}

interface Flags extends CommonFlags {
  date?: string;
  week?: boolean;
  standup?: boolean;
  full?: boolean;
  format?: string;
  out?: string;
  open?: boolean;
  pager?: boolean;
}

export const report: Register = daysCommand({
  name: "report",
  about: "the report of a day: what was asked, what came of it, what is still open (default command)",
  preset: {},
  takesDays: true,
  examples:
    '  daybook\n  daybook report last week\n  daybook report yesterday --open\n  daybook --since "last monday" --format markdown',
});

export const today: Register = daysCommand({
  name: "today",
  about: "the report of today so far",
  preset: { date: "today" },
  takesDays: false,
  examples: "  daybook today\n  daybook today --project my-app --full",
});

export const yesterday: Register = daysCommand({
  name: "yesterday",
  about: "the report of yesterday",
  preset: { date: "yesterday" },
  takesDays: false,
  examples: "  daybook yesterday\n  daybook yesterday --out yesterday.html",
});

export const week: Register = daysCommand({
  name: "week",
  about: "the report of a week: the one with your newest work, or the one of a day you name",
  preset: { week: true },
  takesDays: true,
  examples: "  daybook week\n  daybook week last\n  daybook week 2026-05-12 --out week.html",
});

export const standup: Register = daysCommand({
  name: "standup",
  about: "a short version of a day or a week, to paste into a standup",
  preset: { standup: true },
  takesDays: true,
  examples: "  daybook standup\n  daybook standup yesterday --format markdown\n  daybook standup --week",
});

interface DaysCommand {
  name: string;
  about: string;
  /** What the name says already: there is no flag for it. */
  preset: Pick<Flags, "date" | "week" | "standup">;
  /** It takes other days as words. */
  takesDays: boolean;
  examples: string;
}

/** `report` and its short names: the same flags, without those that would name other days. */
function daysCommand({ name, about, preset, takesDays, examples }: DaysCommand): Register {
  const query =
    preset.date !== undefined
      ? { ...PLACE, ...MARKS }
      : preset.week === true
        ? { ...PLACE, ...MARKS, date: SPAN.date }
        : question.query;
  return (program, io, exit) => {
    const isStandup = preset.standup === true;
    const asking = { isOfStore: true, isDefault: name === "report", isText: isStandup };
    const command = questionCommand(program, { name, about, query }, asking);
    if (takesDays) command.argument("[day...]", 'the day or days: yesterday, 2026-05-12, "last week", october, 7d');
    const formats = isStandup ? FORMATS.slice(0, 2) : FORMATS;
    if (!isStandup)
      command
        .option("--full", "every turn, with its calls, files and commits")
        .option("--standup", "a short version to paste into a standup")
        .option("--open", "open the written file (HTML unless another format is given)")
        .option("--no-pager", "do not use a pager for long output");
    command
      .addOption(new ValuesOption("--format <format>", formats.join(" | "), formats))
      .option("--out <file>", "write to a file; its extension selects the format")
      .addHelpText("after", `\nExamples:\n${examples}`)
      .action(async (...given: [string[], Flags] | [Flags]) => {
        const [words, flags] = takesDays ? (given as [string[], Flags]) : [[], (given as [Flags])[0]];
        await printReport(io, exit, { ...flags, ...preset, ...daysOf(words, flags, preset.week === true) });
      });
  };
}

/** Any day: only the form of the words is asked. */
const ANY_DAY = "2026-05-12";

/** What words say about days, as flags: `yesterday` is a date, `last week` a span, `7d` the days from then on. */
function daysOf(words: readonly string[], flags: Flags, isWeek: boolean): Pick<Flags, "date" | "since" | "until"> {
  if (words.length === 0) return {};
  const said = words.join(" ");
  const given = (["date", "since", "until", "week"] as const).find((flag) => flags[flag] !== undefined);
  if (given !== undefined && !(given === "week" && flags.date === undefined))
    throw usageError(`--${given} cannot be combined with ${said}`, "name the days once");
  if (isWeek || flags.week === true) return { date: /^(?:last|this)$/.test(said) ? `${said} week` : said };
  const days = parseDayWords(said, ANY_DAY);
  if (days === null || days.first === days.last) return /^\d+[a-z]+$/.test(said) ? { since: said } : { date: said };
  return { since: said, until: said };
}

async function printReport(io: Io, exit: (code: number) => void, flags: Flags): Promise<void> {
  const format = formatOf(flags);
  const show = flags.open === true ? requireOpener(io) : null;
  const { opened, isSample } = await open(io, flags);
  const query = { ...opened.query, redact: flags.redact };
  const day = await opened.daybook.report(query);
  const isForPeople = format === "terminal" && flags.standup !== true;
  const beside = isForPeople && !isSample ? await extrasFor(opened.daybook, query, day, io.now) : NOTHING;
  const edits = format === "html" ? await inside(opened.daybook).edits(day, query) : undefined;
  const code = await opened.done();
  // Colour is for the terminal only: a file gets none, even with --color.
  const paint = (): Paint =>
    flags.out === undefined ? opened.paint : paintFor({ ...io, outIsTerminal: false }, false);
  const days = beside.earlier ? [day, beside.earlier] : [day];
  const size: Size = { columns: io.columns, rows: io.rows && Math.floor(io.rows / days.length) };
  const texts = await Promise.all(days.map((one) => render(one, format, { ...flags, edits }, paint, size)));
  const text = [...beside.notes.map((note) => `${note}\n`), ...texts].join("\n");
  const out = flags.out ?? (show ? join(mkdtempSync(join(tmpdir(), "daybook-")), fileName(day, format)) : undefined);
  if (out === undefined) {
    if (format === "json") printJsonText(io, text);
    else if (format !== "terminal") printDocument(io, text);
    else if (flags.pager === false || !isForPeople) io.out(text);
    else if (io.page) io.page(text);
    else io.out(text);
  } else {
    writeFile(out, text);
    if (flags.quiet !== true) io.err(`daybook: wrote ${out}\n`);
    show?.(resolve(out));
  }
  exit(code);
}

/** What is shown in addition to the requested day. */
interface Extras {
  notes: string[];
  earlier: DayReport | null;
}

const NOTHING: Extras = { notes: [], earlier: null };

/**
 * Without a date: today so far and the previous day with work. On an empty day: a note naming the last day with work.
 */
async function extrasFor(daybook: Daybook, query: ReportQuery, day: DayReport, now: number): Promise<Extras> {
  const { span, totals } = day;
  const { date, week, since, until } = query;
  const today = daybook.zone.day(now);
  if ([date, week, since, until].every((asked) => asked === undefined)) {
    if (span.since !== today)
      return totals.turns === 0 ? NOTHING : { notes: ["Nothing yet today. The last day with work:"], earlier: null };
    const before = await inside(daybook).lastWorkDay(today, query);
    return before === null ? NOTHING : { notes: [], earlier: await daybook.report({ ...query, date: before }) };
  }
  if (totals.turns > 0) return NOTHING;
  const last = await inside(daybook).lastWorkDay(span.since, query);
  return last === null
    ? NOTHING
    : { notes: [`No work on these days. The last day with work before: daybook --date ${last}`], earlier: null };
}

/** Fails before anything is read: without a screen, writing the file with --out does the job. */
function requireOpener(io: Io): (path: string) => void {
  const { open: show } = io;
  if (!show)
    throw usageError(
      "--open: no program found that opens files",
      "there is no screen or no such program; use --out FILE instead",
    );
  return show;
}

function fileName({ span }: DayReport, format: Format): string {
  return `daybook-${span.since}${span.since === span.until ? "" : `-to-${span.until}`}${ENDING_OF[format]}`;
}

/** The formats that fit a file extension; a file without an extension takes any. */
const ENDINGS: Readonly<Record<string, readonly Format[]>> = {
  "": FORMATS,
  txt: ["terminal", "markdown"],
  html: ["html"],
  htm: ["html"],
  md: ["markdown"],
  markdown: ["markdown"],
  json: ["json"],
};

function formatOf({ format, out, json, standup, full, open: isOpened }: Flags): Format {
  const ending = out === undefined ? "" : extname(out).slice(1).toLowerCase();
  const fitting = ENDINGS[ending];
  if (fitting === undefined)
    throw usageError(
      `a report cannot be written as .${ending}`,
      "use a file name that ends in .html, .md, .json or .txt",
    );
  const implied = isOpened === true && standup !== true && ending === "" ? "html" : (fitting[0] ?? "terminal");
  const wanted = format ?? (json === true ? "json" : implied);
  const known = FORMATS.find((name) => name === wanted);
  if (known === undefined) throw unknownValueError("format", wanted, FORMATS);
  if (json === true && known !== "json")
    throw usageError(`--json cannot be combined with --format ${known}`, "leave one of them out");
  if (!fitting.includes(known))
    throw usageError(
      `${out ?? ""} has an extension that does not match the format ${known}`,
      `leave --format out, or end the name in ${ENDING_OF[known]}`,
    );
  if (standup === true && (known === "html" || known === "json"))
    throw usageError(`--standup cannot be written as ${known}`, "leave --format out");
  if (full === true && (standup === true || known !== "terminal"))
    throw usageError(
      `--full cannot be combined with ${standup === true ? "--standup" : known}`,
      standup === true ? "leave one of them out" : `${known} has every turn anyway: leave --full out`,
    );
  return known;
}

const ENDING_OF: Readonly<Record<Format, string>> = { terminal: ".txt", markdown: ".md", html: ".html", json: ".json" };

interface HtmlExtras {
  edits: EditsOf | undefined;
}

async function render(
  day: DayReport,
  format: Format,
  flags: Flags & HtmlExtras,
  paint: () => Paint,
  size: Size,
): Promise<string> {
  if (flags.standup === true) return renderStandup(day, format === "markdown");
  switch (format) {
    case "terminal":
      return flags.full === true
        ? renderFull(day, paint(), size.columns)
        : renderSummary(day, paint(), size.columns, size.rows);
    case "markdown":
      return renderMarkdown(day);
    case "html": {
      const { renderHtml } = await import("../../../render/html.ts");
      return renderHtml(day, flags.edits);
    }
    case "json":
      return `${JSON.stringify(day, null, 2)}\n`;
  }
}

function writeFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const other = toDiskFullError(cause, path, Buffer.byteLength(text));
    if (other) throw other;
    const hint = existsSync(dirname(resolve(path)))
      ? "check whether it is writable"
      : `there is no directory ${dirname(path)}`;
    throw new DaybookError(`cannot write ${path}`, { code: "unreadable", op: "write report", path, cause, hint });
  }
}

/** The user's own sessions; the bundled samples if asked for, or if there are no others. */
async function open(io: Io, flags: Flags): Promise<{ opened: OpenedDaybook<QueryFor<"report">>; isSample: boolean }> {
  const own = openDaybook(io, flags, { question });
  if (flags.sample === true) return { opened: own, isSample: true };
  if (flags.store !== undefined) return { opened: own, isSample: false };
  // Wrong days are reported before any files are looked for.
  resolveSpan(flags, own.daybook.zone, io.now, { first: null, newest: null });
  if (flags.root !== undefined || flags.source !== undefined || inside(own.daybook).opened().refs.length > 0)
    return { opened: own, isSample: false };
  // The agents' files may be gone while the book still has their sessions.
  if ((await own.daybook.sessions({ limit: 1 })).length > 0) return { opened: own, isSample: false };
  io.err("daybook: no agent sessions found on this machine; showing the bundled samples\n");
  const { home: _, ...rest } = flags;
  return { opened: openDaybook(io, { ...rest, sample: true }, { question }), isSample: true };
}
