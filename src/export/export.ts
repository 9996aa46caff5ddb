import { existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { type Daybook, inside, type Query } from "../answers/daybook.ts";
import { DaybookError } from "../base/errors.ts";
import { suggestion } from "../base/text/near.ts";
import type { SessionRef } from "../record/record.ts";
import { type ExportFormat, type ExportOptions, Files, printTarget } from "./format.ts";
import type { Receiver, ReceiverOptions } from "./otlp-endpoint.ts";

/** The formats, each loaded when it is used. */
const FORMATS: Readonly<Record<string, () => Promise<ExportFormat>>> = {
  jsonl: async () => (await import("./jsonl.ts")).jsonl,
  markdown: async () => (await import("./documents.ts")).markdown,
  html: async () => (await import("./documents.ts")).html,
  csv: async () => (await import("./csv.ts")).csv,
  parquet: async () => (await import("./parquet.ts")).parquet,
  atif: async () => (await import("./atif.ts")).atif,
  otel: async () => (await import("./otel.ts")).otel,
  openinference: async () => (await import("./otel.ts")).openinference,
};

export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

async function formatNamed(name: string): Promise<ExportFormat | null> {
  return (await FORMATS[name]?.()) ?? null;
}

export interface ExportDemand extends Pick<ExportOptions, "hide" | "tables" | "content"> {
  format: string;
  /** A directory, or the file of a single-file format; absent: the export is printed. */
  out?: string | undefined;
  /** The address of an OTLP collector. */
  endpoint?: string | undefined;
  /** Options for sending. */
  receiver?: ReceiverOptions | undefined;
  /** Replace existing files. */
  force: boolean;
  /** The number of sessions written so far, of how many. */
  onProgress?: ((done: number, of: number) => void) | undefined;
  /** Prints the export if it is not written to files. */
  print: Readonly<Record<"json" | "document", (text: string) => void>>;
}

interface ExportResult {
  sessions: number;
  /** The same sessions, named. */
  written: SessionRef[];
  files: number;
  /** Spans accepted by the collector. */
  spans: number;
  /** Spans the collector rejected, and its reason. */
  rejected: number;
  why: string;
}

/** Exports the selected sessions. Files get their names when all are complete; a failed export leaves none. */
export async function exportTo(daybook: Daybook, query: Query, demand: ExportDemand): Promise<ExportResult> {
  const format = await formatNamed(demand.format);
  if (!format) throw wrong(`unknown format: ${demand.format}`, suggestion(demand.format, FORMAT_NAMES));
  checkTables(format, demand);
  const { out, force, hide, tables, content, endpoint } = demand;
  if (content === true && !format.hasContent)
    throw wrong(`--content cannot be combined with --format ${demand.format}`, "leave it out");
  const receiver = endpoint === undefined ? null : await receiverOf(endpoint, format, demand);
  const files =
    out === undefined ? null : new Files(pathsIn(out, format, demand, query.session !== undefined), { force });
  if (!files && !receiver) checkPrinted(format, demand);
  const target = files ?? printTarget(demand.print[format.printed.as]);
  const options = {
    target,
    hide,
    tables,
    content,
    send: receiver?.send,
    zone: daybook.zone,
    isPrinted: files === null,
  };
  const written: SessionRef[] = [];
  let of = 0;
  try {
    const exporter = format.begin(options);
    await inside(daybook).exportSessions(query, {
      needs: format.needs,
      begin(all) {
        if (!files && format.printed.most === "one" && all.length > 1)
          throw wrong(
            `${demand.format} of ${all.length} sessions needs several files`,
            "--out DIR writes them, --session ID chooses one",
          );
        of = all.length;
        exporter.begin?.(all);
      },
      async add(session) {
        await exporter.add(session);
        written.push({ source: session.view.source, session_id: session.view.session_id });
        demand.onProgress?.(written.length, of);
      },
    });
    await exporter.end?.();
    files?.commit();
  } catch (error) {
    files?.abort();
    throw error;
  }
  const { spans, rejected, why } = receiver?.taken() ?? { spans: 0, rejected: 0, why: "" };
  return { sessions: written.length, written, files: files?.count ?? 0, spans, rejected, why };
}

async function receiverOf(
  endpoint: string,
  format: ExportFormat,
  { format: name, out, receiver }: ExportDemand,
): Promise<Receiver> {
  if (!format.isSendable)
    throw wrong(`${name} cannot be sent to an endpoint`, "--endpoint works only with otel and openinference");
  if (out !== undefined) throw wrong("--out and --endpoint cannot be combined", "leave one of them out");
  const { otlpReceiver } = await import("./otlp-endpoint.ts");
  return otlpReceiver(endpoint, receiver);
}

function checkTables({ tables: known }: ExportFormat, { format, tables }: ExportDemand): void {
  if (tables === undefined) return;
  if (!known) throw wrong(`${format} has no tables`, "leave --table out");
  for (const name of tables) if (!known.includes(name)) throw wrong(`unknown table: ${name}`, suggestion(name, known));
}

function checkPrinted({ printed: { most }, tables: known }: ExportFormat, { format, tables }: ExportDemand): void {
  if (most === "nothing") throw wrong(`${format} cannot be printed`, "--out DIR writes it");
  if (most === "table" && tables?.length !== 1)
    throw wrong(`${format} has several tables`, `--out DIR writes all, --table ${known?.join("|")} prints one`);
}

/** The path of a file of the export. */
function pathsIn(
  out: string,
  { file, tables: known }: ExportFormat,
  { tables }: ExportDemand,
  hasOneSession: boolean,
): (name: string) => string {
  const isSingle = file !== undefined || (known !== undefined && tables?.length === 1);
  const isFile = extname(out) !== "" && !(existsSync(out) && statSync(out).isDirectory());
  if (isFile && (isSingle || (hasOneSession && known === undefined))) return () => out;
  if (isFile)
    throw wrong(
      `--out takes a directory, not ${out}`,
      `--session ID writes one session there; daybook export > ${out} writes all into one file`,
    );
  return (name) => join(out, name);
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "export", hint });
}
