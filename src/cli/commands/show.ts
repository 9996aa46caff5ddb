import { DaybookError } from "../../errors.ts";
import type { LogRecord } from "../../log/record.ts";
import type { Io } from "../io.ts";
import { commonFlags, openDaybook, printJson, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { renderMarkdown, renderTerminal } from "../transcript.ts";

const FORMATS = ["terminal", "markdown", "json", "jsonl"];

export const show: Register = (program, io, exit) => {
  commonFlags(program.command("show"))
    .description("one session or one turn of it, readable, with line numbers")
    .argument("<session[/turn]>", "for example 019e2f1c or 019e2f1c/T0002")
    .option("--format <format>", FORMATS.join(" | "))
    .addHelpText(
      "after",
      "\nExamples:\n  daybook show 019e2f1c/T0002\n  daybook show 019e2f1c --format markdown > session.md",
    )
    .action(async (target: string, flags: CommonFlags & { format?: string }) => {
      const format = flags.format ?? (flags.json === true ? "json" : "terminal");
      if (!FORMATS.includes(format)) {
        throw new DaybookError(`unknown format: ${format}`, {
          code: "usage",
          op: "show",
          hint: `one of ${FORMATS.join(", ")}`,
        });
      }
      const opened = openDaybook(io, flags);
      const { session, turn } = await opened.daybook.find(target);
      if (format === "jsonl") await stream(io, opened.daybook.records(target));
      else {
        const records: LogRecord[] = [];
        for await (const record of opened.daybook.records(target)) records.push(record);
        const turns = (turn ? [turn] : session.turns).map((one) => opened.daybook.turnJson(one));
        const head = opened.daybook.sessionJson(session);
        if (format === "json") printJson(io, { schema_version: 1, session: head, turns, records });
        else if (format === "markdown") io.out(renderMarkdown(head, turns, records));
        else io.out(renderTerminal(head, turns, records, opened.daybook.zone, opened.paint, io.columns));
      }
      exit(await opened.done());
    });
};

async function stream(io: Io, records: AsyncIterable<LogRecord>): Promise<void> {
  for await (const record of records) io.out(`${JSON.stringify(record)}\n`);
}
