import { existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Daybook, Query } from "../daybook.ts";
import { DaybookError } from "../errors.ts";
import { suggestion } from "../text/near.ts";
import type { ExportFormat, ExportOptions } from "./format.ts";
import { FORMAT_NAMES, formatNamed } from "./formats.ts";
import type { Receiver, ReceiverOptions } from "./otlp-endpoint.ts";
import { Files, printed } from "./target.ts";

export interface ExportDemand extends Pick<ExportOptions, "hide" | "tables" | "content"> {
  format: string;
  /** A directory, or the file of a format that writes one; absent: it is printed. */
  out?: string | undefined;
  /** A collector that takes spans. */
  endpoint?: string | undefined;
  /** How it is sent to. */
  receiver?: ReceiverOptions | undefined;
  /** Files that are there already are replaced. */
  force: boolean;
  /** How many sessions of how many are written. */
  onProgress?: ((done: number, of: number) => void) | undefined;
  /** What prints it where nothing is written. */
  print: Readonly<Record<"json" | "document", (text: string) => void>>;
}

export interface Exported {
  sessions: number;
  files: number;
  /** What was sent. */
  spans: number;
  /** Spans a collector did not take, and what it said of it. */
  rejected: number;
  why: string;
}

/** Writes the sessions of a question down. Files take their names when all is whole; what fails leaves none. */
export async function exportTo(daybook: Daybook, query: Query, demand: ExportDemand): Promise<Exported> {
  const format = await formatNamed(demand.format);
  if (!format) throw wrong(`unknown format: ${demand.format}`, suggestion(demand.format, FORMAT_NAMES));
  checkTables(format, demand);
  const { out, force, hide, tables, content, endpoint } = demand;
  if (content === true && !format.hasContent)
    throw wrong(`--content does not go with ${demand.format}`, "leave it out");
  const receiver = endpoint === undefined ? null : await receiverOf(endpoint, format, demand);
  const files = out === undefined ? null : new Files(pathsIn(out, format, demand), { force });
  if (!files && !receiver) checkPrinted(format, demand);
  const target = files ?? printed(demand.print[format.printed.as]);
  const options = {
    target,
    hide,
    tables,
    content,
    send: receiver?.send,
    zone: daybook.zone,
    isPrinted: files === null,
  };
  let [sessions, of] = [0, 0];
  try {
    const exporter = format.begin(options);
    await daybook.exportSessions(query, {
      needs: format.needs,
      begin(all) {
        if (!files && format.printed.most === "one" && all.length > 1)
          throw wrong(
            `${demand.format} of ${all.length} sessions is several files`,
            "--out DIR writes them, --session ID chooses one",
          );
        of = all.length;
        exporter.begin?.(all);
      },
      async add(session) {
        await exporter.add(session);
        demand.onProgress?.(++sessions, of);
      },
    });
    await exporter.end?.();
    files?.commit();
  } catch (error) {
    files?.abort();
    throw error;
  }
  const { spans, rejected, why } = receiver?.taken() ?? { spans: 0, rejected: 0, why: "" };
  return { sessions, files: files?.count ?? 0, spans, rejected, why };
}

async function receiverOf(
  endpoint: string,
  format: ExportFormat,
  { format: name, out, receiver }: ExportDemand,
): Promise<Receiver> {
  if (!format.isSendable) throw wrong(`${name} is not sent anywhere`, "--endpoint is for otel and openinference");
  if (out !== undefined) throw wrong("--out and --endpoint do not go together", "leave one of them out");
  const { otlpReceiver } = await import("./otlp-endpoint.ts");
  return otlpReceiver(endpoint, receiver);
}

function checkTables({ tables: known }: ExportFormat, { format, tables }: ExportDemand): void {
  if (tables === undefined) return;
  if (!known) throw wrong(`${format} has no tables`, "leave --table out");
  for (const name of tables) if (!known.includes(name)) throw wrong(`unknown table: ${name}`, suggestion(name, known));
}

function checkPrinted({ printed: { most }, tables: known }: ExportFormat, { format, tables }: ExportDemand): void {
  if (most === "nothing") throw wrong(`${format} is not printed`, "--out DIR writes it");
  if (most === "table" && tables?.length !== 1)
    throw wrong(`${format} is several tables`, `--out DIR writes all, --table ${known?.join("|")} prints one`);
}

/** Where a file of the export is written. */
function pathsIn(
  out: string,
  { file, tables: known }: ExportFormat,
  { tables }: ExportDemand,
): (name: string) => string {
  const isSingle = file !== undefined || (known !== undefined && tables?.length === 1);
  const isFile = extname(out) !== "" && !(existsSync(out) && statSync(out).isDirectory());
  if (isFile && isSingle) return () => out;
  if (isFile) throw wrong(`--out takes a directory, not ${out}`, `daybook export > ${out} writes all into one file`);
  return (name) => join(out, name);
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "export", hint });
}
