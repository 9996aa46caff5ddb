import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { type ExportDemand, exportTo } from "../../src/export/export.ts";
import type { Daybook, Query } from "../../src/answers/daybook.ts";
import type { UsageView } from "../../src/views/usage-sum.ts";
import { scratch } from "../store/fixture.ts";

/** A varied selection of corpora: sub-agents, reviews, databases, unknown prices. */
export const SOME: readonly string[] = [
  "claude-2.1.325",
  "codex-0.166.0",
  "codex-0.130.0",
  "opencode-1.18.33",
  "goose-1.52.0",
  "gemini-0.61.0",
  "copilot-1.0.102",
  "pi-0.87.1",
];

/** Writes an export to a directory that is deleted after the test file. */
export async function exported(
  daybook: Daybook,
  format: string,
  query: Query = {},
  more: Partial<ExportDemand> = {},
): Promise<string> {
  const out = more.out ?? join(scratch("export"), "out");
  const never = (): void => {
    throw new Error("nothing is printed");
  };
  await exportTo(daybook, query, {
    format,
    out,
    force: false,
    hide: (value) => daybook.redactor.all(value),
    print: { json: never, document: never },
    ...more,
  });
  return out;
}

/** The printed form of an export. */
export async function printed(
  daybook: Daybook,
  format: string,
  query: Query,
  more: Partial<ExportDemand> = {},
): Promise<string> {
  let text = "";
  const add = (piece: string): void => void (text += piece);
  const demand = { format, force: false, hide: <T>(value: T): T => daybook.redactor.all(value) };
  await exportTo(daybook, query, { ...demand, print: { json: add, document: add }, ...more });
  return text;
}

export function filesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .toSorted();
}

/** Names and bytes of all files. */
export function contentOf(dir: string): Record<string, string> {
  return Object.fromEntries(
    filesIn(dir).map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dir, name)))
        .digest("hex"),
    ]),
  );
}

/** The totals of usage in integers: costs in millionths of a dollar. */
export async function totalsOf(daybook: Daybook, query: Query): Promise<Record<string, bigint>> {
  const { totals } = await daybook.usage({ ...query, group: "model", by: "spent", breakdown: false, order: "asc" });
  return wholeNumbers(totals);
}

function wholeNumbers({ cost_usd, ...usage }: UsageView): Record<string, bigint> {
  return {
    input: BigInt(usage.input_tokens),
    cached: BigInt(usage.cached_input_tokens),
    written: BigInt(usage.cache_write_tokens),
    output: BigInt(usage.output_tokens),
    reasoning: BigInt(usage.reasoning_tokens),
    micro: BigInt(Math.round((cost_usd ?? 0) * 1e6)),
  };
}

/** Converts 10^-12 dollars to 10^-6 dollars, rounded like usage. */
export function microOf(pico: bigint): bigint {
  return (pico + 500_000n) / 1_000_000n;
}

/** The rows of a CSV file by column name, read by an independent parser. */
export function csvRows(text: string): Record<string, string>[] {
  return parse(text, { columns: true });
}
