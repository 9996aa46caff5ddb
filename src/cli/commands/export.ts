import type { Io } from "../io.ts";
import { printDocument } from "../io.ts";
import { printJsonText } from "../json.ts";
import { collect, commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plain, plural } from "../text.ts";
import { unknown, wrongUse } from "../unknown.ts";

const TRACE = "agent-trace";
/** Said again here: what writes them is loaded when it is needed. */
const EXPORT_FORMATS = ["jsonl", "markdown", "html", "csv", "parquet", "atif", "otel", TRACE];

interface Flags extends CommonFlags {
  rev?: string;
  format: string;
  out?: string;
  table?: string[];
  force?: boolean;
  content?: boolean;
  endpoint?: string;
}

export const exportCommand: Register = (program, io, exit) => {
  commonFlags(program.command("export"))
    .description(
      "sessions in the canonical log format and in formats others read; secrets are hidden unless --no-redact is given",
    )
    .option("--format <format>", EXPORT_FORMATS.join(" | "), "jsonl")
    .option(
      "--out <path>",
      "a directory, which is made; the file itself where a format is one file. Without it, to stdout",
    )
    .option("--force", "replace files that are there already")
    .option(
      "--table <name>",
      "for csv and parquet: only this table, sessions | turns | tools | usage (repeatable)",
      collect,
    )
    .option("--content", "for otel: with what was said and done, not numbers and names alone")
    .option("--endpoint <url>", "for otel: send the spans to a collector, over https or on this machine")
    .option("--rev <commit>", "for agent-trace: the commit whose lines are listed (default: HEAD)")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook export --session 019e2f1c > session.jsonl\n  daybook export --format html --since 7d --out ~/sessions\n  daybook export --format csv --table usage --since 30d > usage.csv",
    )
    .action(async (flags: Flags) => {
      if (!EXPORT_FORMATS.includes(flags.format)) throw unknown("format", flags.format, EXPORT_FORMATS);
      exit(flags.format === TRACE ? await trace(io, flags) : await sessions(io, flags));
    });
};

async function sessions(io: Io, flags: Flags): Promise<number> {
  if (flags.rev !== undefined) throw wrongUse(`--rev does not go with ${flags.format}`, `it is for ${TRACE}`);
  const { exportTo } = await import("../../export/export.ts");
  const { format, out, table: tables, force = false, content, endpoint } = flags;
  const opened = openDaybook(io, flags);
  const written = await exportTo(opened.daybook, opened.query, {
    ...{ format, out, tables, force, content, endpoint, hide: opened.hide },
    headers: io.env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] ?? io.env["OTEL_EXPORTER_OTLP_HEADERS"],
    print: { json: (text) => printJsonText(io, text), document: (text) => printDocument(io, text) },
  });
  if (flags.quiet !== true && out !== undefined)
    io.err(`daybook: wrote ${plural(written.sessions, "session")} to ${out} (${plural(written.files, "file")})\n`);
  if (flags.quiet !== true && endpoint !== undefined)
    io.err(`daybook: sent ${plural(written.sessions, "session")} to ${plain(endpoint)}\n`);
  if (written.rejected > 0)
    io.err(`daybook: ${plural(written.rejected, "span")} were not taken: ${plain(written.why)}\n`);
  return opened.done();
}

/** One record for the repository one is in. */
async function trace(io: Io, flags: Flags): Promise<number> {
  const opened = openDaybook(io, flags);
  const record = await opened.daybook.agentTrace(flags.rev ?? "HEAD", { cwd: io.cwd, redact: flags.redact });
  printJsonText(io, `${JSON.stringify(record)}\n`);
  return opened.done();
}
