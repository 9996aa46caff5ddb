import { inside } from "../../../answers/daybook.ts";
import type { ShowAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { LogRecord } from "../../../record/record.ts";
import { renderSessionMarkdown, sessionTotals } from "../../../render/session-markdown.ts";
import { marksShown, type Statement, type TranscriptLine, transcriptOf } from "../../../render/transcript.ts";
import type { Marks } from "../../../views/marks.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { type Register, unknownValueError, ValuesOption } from "../flags.ts";
import { type Io, printDocument } from "../io.ts";
import { printJson, printJsonText } from "../json.ts";
import { resolveLastCitation } from "../last-shown.ts";
import { flow, NOT_PUSHED, wrapLines } from "../layout.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import type { Paint } from "../output.ts";

const FORMATS = ["terminal", "markdown", "html", "json", "jsonl"];

interface Flags extends CommonFlags {
  format?: string;
  date?: string;
  week?: boolean;
}

export const show: Register = (program, io, exit) => {
  commonFlags(program.command("show"), ["limit", "marks"])
    .description("show one session or turn as a readable transcript with line numbers")
    .argument("<session[/turn]>", "for example 019e2f1c, 019e2f1c/T0002, or a report's citation")
    .addOption(new ValuesOption("--format <format>", FORMATS.join(" | "), FORMATS))
    .option("--date <day>", "the day of the report that the citation is from")
    .option("--week", "the citation is from the report of a week")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook show 019e2f1c/T0002\n  daybook show 019e2f1c --format markdown > session.md\n  daybook show lantern/S0001/T0002:49-62 --date 2026-05-12",
    )
    .action(async (given: string, flags: Flags) => {
      const format = flags.format ?? (flags.json === true ? "json" : "terminal");
      if (!FORMATS.includes(format)) throw unknownValueError("format", format, FORMATS);
      const opened = openDaybook(io, flags);
      const { date, week } = flags;
      // A citation refers to the report shown last, unless flags say which report is meant.
      const isNamed = [date, week, flags.since, flags.until, flags.project, flags.session].some(
        (flag) => flag !== undefined,
      );
      const cited =
        (isNamed || opened.book === null ? null : resolveLastCitation(opened.book, given)) ??
        (await opened.daybook.cited(given, { ...opened.query, date, week }));
      const target = cited?.target ?? given;
      const { session, turn } = await opened.daybook.find(target);
      const found = within(opened.daybook.records(target), cited?.lines ?? null);
      const { hide } = opened;
      if (format === "jsonl") await stream(io, found, hide);
      else {
        const records: LogRecord[] = [];
        for await (const record of found) records.push(hide(record));
        const turns = hide((turn ? [turn] : session.turns).map((one) => inside(opened.daybook).turnJson(one)));
        const head = hide(inside(opened.daybook).sessionJson(session));
        if (format === "json") printJson(io, { schema_version: 1, session: head, turns, records } satisfies ShowAnswer);
        else if (format === "markdown") printDocument(io, renderSessionMarkdown(head, turns, records));
        else if (format === "html") {
          const { renderSessionHtml } = await import("../../../render/html.ts");
          printDocument(io, renderSessionHtml(head, turns, records, opened.daybook.zone));
        } else io.out(renderTerminal(head, turns, records, opened.daybook.zone, opened.paint, io.columns));
      }
      exit(await opened.done());
    });
};

/** Only the records within the cited lines. */
async function* within(
  records: AsyncIterable<LogRecord>,
  lines: readonly [first: number, last: number] | null,
): AsyncGenerator<LogRecord, void, undefined> {
  for await (const record of records) {
    const line = record.origin.line ?? record.origin.row ?? 0;
    if (lines === null || (line >= lines[0] && line <= lines[1])) yield record;
  }
}

async function stream(io: Io, records: AsyncIterable<LogRecord>, hide: OpenedDaybook["hide"]): Promise<void> {
  for await (const record of records) printJsonText(io, `${JSON.stringify(hide(record))}\n`);
}

/** A readable transcript: who said what, what was run and how it ended, each with its line number. */
function renderTerminal(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
  zone: Zone,
  paint: Paint,
  width: number,
): string {
  const out: string[] = [
    paint.bold(oneLine(askedLine(session.title ?? session.session_id), width)),
    ...flow([`${session.source} ${session.agent_version ?? ""}`.trim(), session.project], width).map(paint.dim),
    paint.dim(plain(session.session_path ?? NOT_PUSHED)),
    ...flow(sessionTotals(session), width).map(paint.dim),
    ...markLines(session.marks, zone, width).map(paint.yellow),
  ];
  for (const { turn_ref, begins, origin, said, end } of transcriptOf(turns, records)) {
    if (begins !== undefined) {
      const at = begins?.trigger.time ? zone.clock(Date.parse(begins.trigger.time)) : "";
      out.push(
        "",
        paint.bold(
          `── ${turn_ref}  ${at}  ${begins?.outcome ?? ""}${begins?.taken_back ? `, ${begins.taken_back}` : ""}`,
        ),
        ...markLines(begins?.marks ?? null, zone, width).map(paint.yellow),
      );
    }
    if (said === null) continue;
    const line = paint.dim(`${String(origin.line ?? origin.row ?? "").padStart(6)} `);
    out.push(indent(line, statementText(said, end, paint, width - INDENT)));
  }
  return `${out.join("\n")}\n`;
}

/** Star and labels on one line, notes below with the day they were written. */
function markLines(marks: Marks | null, zone: Zone, width: number): string[] {
  const { signs, notes } = marksShown(marks);
  return [
    ...flow(signs, width),
    ...notes.flatMap(({ text, time }) => wrapLines(`✎ ${zone.day(Date.parse(time))} ${text}`, width)),
  ];
}

/** Width of the line number and the speaker. */
const INDENT = 14;

function statementText(said: Statement, end: TranscriptLine<Statement>["end"], paint: Paint, width: number): string {
  switch (said.kind) {
    case "user":
      if (said.author === "human") return paint.bold(paint.cyan("human  ")) + wrapLines(said.text, width).join("\n");
      return paint.dim(`${said.author.padEnd(7)}${oneLine(said.text, width)}`);
    case "agent":
      return paint.green("agent  ") + wrapLines(said.text, width).join("\n");
    case "thought":
      return paint.dim(`thinks ${oneLine(said.text, width)}`);
    case "call": {
      const status = end?.status ?? "pending";
      const code = end && end.exit_code !== null ? ` exit ${end.exit_code}` : "";
      const colour = status === "ok" ? paint.green : status === "failed" ? paint.red : paint.yellow;
      return `${paint.yellow("tool   ")}${oneLine(`${said.name} ${said.input}`, Math.max(20, width - status.length - code.length - 3))} ${colour(`[${status}${code}]`)}`;
    }
    case "failed":
      return paint.red(`failed ${oneLine(said.text, width)}`);
    case "stopped":
      return paint.yellow(said.text);
    case "compacted":
      return paint.magenta(said.text);
    case "child":
      return paint.magenta(`${said.relation}: ${said.child.source} ${said.child.session_id}`);
    case "unreadable":
      return paint.red(said.text);
  }
}

function indent(head: string, text: string): string {
  return head + text.split("\n").join(`\n${" ".repeat(INDENT)}`);
}
