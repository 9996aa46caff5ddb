import { inside } from "../../../answers/daybook.ts";
import type { LogRecord } from "../../../record/record.ts";
import { renderSessionMarkdown } from "../../../render/session-markdown.ts";
import { printDocument, type Io } from "../io.ts";
import type { ShowAnswer } from "../../../answers/json.ts";
import { printJson, printJsonText } from "../json.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import { resolveLastCitation } from "../last-shown.ts";
import { type Register, unknownValueError } from "../flags.ts";
import { renderTerminal } from "../transcript.ts";

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
    .option("--format <format>", FORMATS.join(" | "))
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
          const { renderSessionHtml } = await import("../../../render/session-html.ts");
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
