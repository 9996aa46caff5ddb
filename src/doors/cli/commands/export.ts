import { inside } from "../../../answers/daybook.ts";
import type { Io } from "../io.ts";
import { printDocument } from "../io.ts";
import { printJsonText } from "../json.ts";
import type { ReceiverOptions } from "../../../export/otlp-endpoint.ts";
import { openDaybook } from "../open-daybook.ts";
import { expandHome } from "../../../base/home.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import { exportTo, FORMAT_NAMES } from "../../../export/export.ts";
import { collect, type Register, unknownValueError, usageError, ValuesOption } from "../flags.ts";
import { countBar } from "../long-work.ts";
import { warnHeaderless } from "../problem-notes.ts";
import { plural } from "../../../base/text/units.ts";
import { plain } from "../../../base/text/inert.ts";

const TRACE = "agent-trace";
const SPANS = "for otel and openinference:";

const EXAMPLES = `
Examples:
  daybook export --session 019e2f1c > session.jsonl
  daybook export --format html --since 7d --out ~/sessions
  daybook export --format csv --table usage --since 30d > usage.csv
  daybook export --format parquet --out lake
  daybook export --format atif --since 30d --out trajectories
  daybook export --format otel --since today --endpoint http://localhost:4318`;

interface Flags extends CommonFlags {
  rev?: string;
  format: string;
  out?: string;
  table?: string[];
  force?: boolean;
  content?: boolean;
  endpoint?: string;
  allowHttp?: boolean;
}

export const exportCommand: Register = (program, io, exit) => {
  const formats = [...FORMAT_NAMES, TRACE];
  commonFlags(program.command("export"), ["json"])
    .description(
      "write sessions in the canonical log format or in formats of other tools; secrets are hidden unless --no-redact is given",
    )
    .addOption(new ValuesOption("--format <format>", formats.join(" | "), formats).default("jsonl"))
    .option(
      "-o, --out <path>",
      "a directory (created if missing), or a file for formats with a single file (default: stdout)",
    )
    .option("--force", "replace existing files")
    .option(
      "--table <name>",
      "for csv and parquet: only this table, sessions | turns | tools | usage (repeatable)",
      collect,
    )
    .option("--content", `${SPANS} include what was said and done, not only numbers and names`)
    .option("--endpoint <url>", `${SPANS} send the spans to a collector, over https or on this machine`)
    .option("--allow-http", "with --endpoint: allow plain http to another machine")
    .option("--rev <commit>", "for agent-trace: the commit whose lines are listed (default: HEAD)")
    .addHelpText("after", EXAMPLES)
    .action(async (flags: Flags) => {
      if (!formats.includes(flags.format)) throw unknownValueError("format", flags.format, formats);
      exit(flags.format === TRACE ? await trace(io, flags) : await sessions(io, flags));
    });
};

async function sessions(io: Io, flags: Flags): Promise<number> {
  if (flags.rev !== undefined)
    throw usageError(`--rev cannot be combined with --format ${flags.format}`, `it works only with --format ${TRACE}`);
  if (flags.allowHttp === true && flags.endpoint === undefined)
    throw usageError("--allow-http needs --endpoint", "leave it out");
  if (io.outIsTerminal && [flags.out, flags.endpoint, flags.session].every((one) => one === undefined))
    throw usageError(
      "an export of many sessions is no reading matter for a terminal",
      "--out DIR writes files, --session ID prints one session, `| less` or `> FILE` takes all",
    );
  const { format, table: tables, force = false, content, endpoint } = flags;
  const out = flags.out === undefined ? undefined : expandHome(flags.out, io.env);
  const opened = openDaybook(io, flags);
  const isQuiet = flags.quiet === true;
  // When the export itself is printed to a terminal, a progress bar would end up in the middle of it.
  const bar = countBar(io, isQuiet || (io.outIsTerminal && out === undefined && endpoint === undefined), "sessions");
  let written;
  try {
    written = await exportTo(opened.daybook, opened.query, {
      format,
      out,
      tables,
      force,
      content,
      endpoint,
      hide: opened.hide,
      onProgress: bar.tick,
      receiver: endpoint === undefined ? undefined : await receiverOptions(io, flags),
      print: { json: (text) => printJsonText(io, text), document: (text) => printDocument(io, text) },
    });
  } finally {
    bar.clear();
  }
  const say = (text: string): void => {
    if (!isQuiet) io.err(`daybook: ${text}\n`);
  };
  if (written.sessions === 0) say(await opened.emptyText("sessions"));
  else if (out !== undefined)
    say(`wrote ${plural(written.sessions, "session")} to ${plain(out)} (${plural(written.files, "file")})`);
  else if (endpoint !== undefined)
    say(`sent ${plural(written.sessions, "session")} to ${plain(endpoint)} (${plural(written.spans, "span")})`);
  await warnHeaderless(io, opened, flags, written.written);
  const isPartial = written.rejected > 0;
  if (isPartial) io.err(`daybook: ${plural(written.rejected, "span")} rejected: ${plain(written.why)}\n`);
  else if (written.why !== "") say(`the collector says: ${plain(written.why)}`);
  const code = await opened.done();
  return isPartial && code === 0 ? SOME_LEFT_OUT : code;
}

/** Exit code when the export succeeded except for some rejected parts. */
const SOME_LEFT_OUT = 3;

/** The same environment variables as OpenTelemetry's own exporters; they override config.toml. */
async function receiverOptions({ env, config }: Io, { allowHttp }: Flags): Promise<ReceiverOptions> {
  const { otlpHeaders } = await import("../../../export/otlp-endpoint.ts");
  const given = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? env[`OTEL_EXPORTER_OTLP_${name}`];
  return {
    headers: { ...config?.otlp?.headers, ...otlpHeaders(given("HEADERS")) },
    compress: given("COMPRESSION") !== "none",
    allowHttp,
  };
}

/** One record for the repository of the current directory. */
async function trace(io: Io, flags: Flags): Promise<number> {
  const opened = openDaybook(io, flags);
  const record = await inside(opened.daybook).agentTrace(flags.rev ?? "HEAD", { cwd: io.cwd, redact: flags.redact });
  printJsonText(io, `${JSON.stringify(record)}\n`);
  return opened.done();
}
