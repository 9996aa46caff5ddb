import type { ExportFormat } from "./format.ts";

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

export async function formatNamed(name: string): Promise<ExportFormat | null> {
  return (await FORMATS[name]?.()) ?? null;
}
