import { inside } from "../../../answers/daybook.ts";
import type { SessionNaming } from "../../../answers/lists.ts";
import type { ShowAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { LogRecord } from "../../../record/record.ts";
import { renderSessionMarkdown, sessionTotals, type ShownTurns } from "../../../render/session-markdown.ts";
import { endWords, marksShown, type Statement, type TranscriptLine, transcriptOf } from "../../../render/transcript.ts";
import { outcomeText } from "../../../views/outcome-words.ts";
import type { Marks } from "../../../views/marks.ts";
import type { SessionView } from "../../../views/session-view.ts";
import { type Register, unknownValueError, ValuesOption } from "../flags.ts";
import { type Io, printDocument } from "../io.ts";
import { printJson, printJsonText } from "../json.ts";
import { flow, NOT_PUSHED, wrapLines } from "../layout.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";

const FORMATS = ["terminal", "markdown", "html", "json", "jsonl"];

interface Flags extends CommonFlags {
  format?: string;
}

export const show: Register = (program, io, exit) => {
  commonFlags(program.command("show"), ["project", "session", "since", "until", "limit"])
    .description("show one session or turn as a readable transcript with line numbers")
    .argument(
      "<session[/turn][:lines]>",
      "for example 019e2f1c, 019e2f1c/T0002, or 019e2f1c/T0002:49-62, as reports cite",
    )
    .addOption(new ValuesOption("--format <format>", FORMATS.join(" | "), FORMATS))
    .addHelpText(
      "after",
      "\nExamples:\n  daybook show 019e2f1c/T0002\n  daybook show 019e2f1c --format markdown > session.md\n  daybook show 019e2f1c/T0002:49-62",
    )
    .action(async (target: string, flags: Flags) => {
      const format = flags.format ?? (flags.json === true ? "json" : "terminal");
      if (!FORMATS.includes(format)) throw unknownValueError("format", format, FORMATS);
      const opened = openDaybook(io, flags);
      const { session, turn } = await opened.daybook.find(target);
      const found = opened.daybook.records(target);
      const { hide } = opened;
      if (format === "jsonl") await stream(io, found, hide);
      else {
        const records: LogRecord[] = [];
        for await (const record of found) records.push(hide(record));
        const turns = hide((turn ? [turn] : session.turns).map((one) => inside(opened.daybook).turnJson(one)));
        const shown = await inside(opened.daybook).shownOutcomes(turns);
        const head = hide(inside(opened.daybook).sessionJson(session));
        if (format === "json") printJson(io, { schema_version: 1, session: head, turns, records } satisfies ShowAnswer);
        else if (format === "markdown") printDocument(io, renderSessionMarkdown(head, { turns, shown }, records));
        else if (format === "html") {
          const { renderSessionHtml } = await import("../../../render/html.ts");
          printDocument(io, renderSessionHtml(head, { turns, shown }, records, opened.daybook.zone));
        } else {
          const named = records.flatMap((record) => (record.type === "child_linked" ? [record.child] : []));
          const naming = await inside(opened.daybook).naming([head, ...named]);
          io.out(renderTerminal(head, { turns, shown }, records, { ...opened, naming, width: io.columns }));
        }
      }
      exit(await opened.done());
    });
};

async function stream(io: Io, records: AsyncIterable<LogRecord>, hide: OpenedDaybook["hide"]): Promise<void> {
  for await (const record of records) printJsonText(io, `${JSON.stringify(hide(record))}\n`);
}

interface Shown extends Pick<OpenedDaybook, "daybook" | "paint"> {
  naming: SessionNaming;
  width: number;
}

/** A readable transcript: who said what, what was run and how it ended, each with its line number. */
function renderTerminal(
  session: SessionView,
  { turns, shown }: ShownTurns,
  records: readonly LogRecord[],
  { daybook: { zone }, paint, naming, width }: Shown,
): string {
  const out: string[] = [
    paint.bold(oneLine(askedLine(session.title ?? session.session_id), width)),
    ...flow([naming(session), `${session.source} ${session.agent_version ?? ""}`.trim(), session.project], width).map(
      paint.dim,
    ),
    paint.dim(plain(session.session_path ?? NOT_PUSHED)),
    ...flow(sessionTotals(session, turns, records), width).map(paint.dim),
    ...markLines(session.marks, zone, width).map(paint.yellow),
  ];
  for (const { turn_ref, begins, origin, said, end } of transcriptOf(turns, records)) {
    if (begins !== undefined) {
      const at = begins?.trigger.time ? zone.clock(Date.parse(begins.trigger.time)) : "";
      out.push(
        "",
        paint.bold(
          `── ${turn_ref}  ${at}  ${begins ? outcomeText(shown[turns.indexOf(begins)] ?? begins.outcome) : ""}${begins?.taken_back ? `, ${begins.taken_back}` : ""}`,
        ),
        ...markLines(begins?.marks ?? null, zone, width).map(paint.yellow),
      );
    }
    if (said === null) continue;
    const line = paint.dim(`${String(origin.line ?? origin.row ?? "").padStart(6)} `);
    out.push(indent(line, statementText(said, end, { paint, naming, width: width - INDENT })));
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

function statementText(
  said: Statement,
  end: TranscriptLine<Statement>["end"],
  { paint, naming, width }: Omit<Shown, "daybook">,
): string {
  switch (said.kind) {
    case "user":
      if (said.author === "human") return paint.bold(paint.cyan("human  ")) + wrapLines(said.text, width).join("\n");
      return paint.dim(`${said.author.padEnd(7)}${oneLine(said.text, width)}`);
    case "agent":
      return paint.green("agent  ") + wrapLines(said.text, width).join("\n");
    case "thought":
      return paint.dim(`thinks ${oneLine(said.text, width)}`);
    case "call": {
      const ended = endWords(end);
      const isFailed = end?.status === "failed" && !end.isAnswer;
      const colour =
        end?.status === "ok" ? paint.green : isFailed ? paint.red : end?.isAnswer === true ? paint.dim : paint.yellow;
      return `${paint.yellow("tool   ")}${oneLine(`${said.name} ${said.input}`, Math.max(20, width - ended.length - 3))} ${colour(`[${ended}]`)}`;
    }
    case "failed":
      return paint.red(`failed ${oneLine(said.text, width)}`);
    case "stopped":
      return paint.yellow(said.text);
    case "compacted":
      return paint.magenta(said.text);
    case "child":
      return paint.magenta(`${said.relation}: ${said.child.source} ${naming(said.child)}`);
    case "unreadable":
      return paint.red(said.text);
  }
}

function indent(head: string, text: string): string {
  return head + text.split("\n").join(`\n${" ".repeat(INDENT)}`);
}
