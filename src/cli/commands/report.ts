import { writeFileSync } from "node:fs";
import { diskFull } from "../../io/disk.ts";
import { DaybookError } from "../../errors.ts";
import type { DayReport } from "../../report/model.ts";
import { renderHtml } from "../../report/render/html.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderStandup } from "../../report/render/standup.ts";
import { renderSummary } from "../../report/render/summary.ts";
import { renderFull } from "../../report/render/terminal.ts";
import { resolveSpan } from "../../report/window.ts";
import type { Io } from "../io.ts";
import { printJsonText } from "../json.ts";
import { paints, type Paint } from "../paint.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { openSample } from "../sample.ts";

const FORMATS = ["terminal", "markdown", "html", "json"] as const;
type Format = (typeof FORMATS)[number];

interface Flags extends CommonFlags {
  date?: string;
  week?: boolean;
  standup?: boolean;
  full?: boolean;
  format?: string;
  out?: string;
  sample?: boolean;
}

export const report: Register = (program, io, exit) => {
  commonFlags(program.command("report", { isDefault: true }))
    .description("the day: what was asked, what came of it, what is still loose (default command)")
    .option("--date <day>", "another day than the newest with work")
    .option("--week", "the week around the day")
    .option("--full", "every turn, with its calls, files and commits")
    .option("--standup", "the short form, to paste")
    .option("--format <format>", FORMATS.join(" | "))
    .option("--out <file>", "write to a file; its ending chooses the format")
    .option("--sample", "use the bundled sample sessions")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook\n  daybook --date yesterday --out yesterday.html\n  daybook report --week --standup\n  daybook report --since 7d --format markdown",
    )
    .action(async (flags: Flags) => {
      const format = formatOf(flags);
      const opened = await open(io, flags);
      const { date, week, redact } = flags;
      const day = await opened.daybook.report({ ...opened.query, date, week, redact });
      const code = await opened.done();
      // Colour is for the terminal itself: a file gets none, whoever asked.
      const paint = (): Paint =>
        flags.out === undefined ? opened.paint : paints({ ...io, outIsTerminal: false }, false);
      const text = render(day, format, flags, paint, io);
      if (flags.out === undefined) {
        if (format === "json") printJsonText(io, text);
        else io.out(text);
      } else {
        writeFile(flags.out, text);
        if (flags.quiet !== true) io.err(`daybook: wrote ${flags.out}\n`);
      }
      exit(code);
    });
};

function formatOf({ format, out, json, standup }: Flags): Format {
  const ending = /\.(html?|md|markdown|json)$/i.exec(out ?? "")?.[1]?.toLowerCase();
  const implied =
    ending === undefined ? "terminal" : ending.startsWith("h") ? "html" : ending.startsWith("m") ? "markdown" : "json";
  const wanted = format ?? (json === true ? "json" : implied);
  const known = FORMATS.find((name) => name === wanted);
  if (known === undefined) throw wrong(`unknown format: ${wanted}`, `one of ${FORMATS.join(", ")}`);
  if (standup === true && (known === "html" || known === "json"))
    throw wrong(`--standup is text, not ${known}`, "leave --format out");
  return known;
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "report", hint });
}

function render(day: DayReport, format: Format, flags: Flags, paint: () => Paint, io: Io): string {
  if (flags.standup === true) return renderStandup(day, format === "markdown");
  switch (format) {
    case "terminal":
      return flags.full === true
        ? renderFull(day, paint(), io.columns)
        : renderSummary(day, paint(), io.columns, io.rows);
    case "markdown":
      return renderMarkdown(day);
    case "html":
      return renderHtml(day);
    case "json":
      return `${JSON.stringify(day, null, 2)}\n`;
  }
}

function writeFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const other = diskFull(cause, path, Buffer.byteLength(text));
    if (other) throw other;
    throw new DaybookError(`cannot write ${path}`, { code: "unreadable", op: "write report", path, cause });
  }
}

/** The machine's own sessions; the bundled ones when asked for, and when there is nothing else to show. */
async function open(io: Io, flags: Flags): Promise<OpenedDaybook> {
  if (flags.sample === true) return openSample(io, flags);
  const own = openDaybook(io, flags);
  // Wrong days are told before anything is looked for.
  resolveSpan(flags, own.daybook.zone, io.now, { first: null, newest: null });
  if (flags.root !== undefined || flags.source !== undefined || own.daybook.opened().refs.length > 0) return own;
  // The agents' files may be gone while the book still has them.
  if ((await own.daybook.sessions({ limit: 1 })).length > 0) return own;
  io.err("daybook: no agent sessions found on this machine; showing the bundled samples\n");
  return openSample(io, flags);
}
