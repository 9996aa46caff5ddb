import type { Group } from "./numbers.ts";

const NUMBERS = [
  "people",
  "turns",
  "calls",
  "failed_calls",
  "responses",
  "unpriced_responses",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_usd",
] as const satisfies readonly (keyof Group)[];

/** One table of all groups. A number that is withheld is empty, and so is the name of groups shown as one. */
export function csvOf(
  tables: readonly { by: string; since: string; until: string; groups: readonly Partial<Group>[] }[],
): string {
  const rows = tables.flatMap(({ by, since, until, groups }) =>
    groups.map((group) => [
      since,
      until,
      by,
      group.name ?? "",
      group.hidden_groups ?? 0,
      ...NUMBERS.map((name) => group[name] ?? ""),
    ]),
  );
  return [["since", "until", "by", "name", "hidden_groups", ...NUMBERS], ...rows]
    .map((row) => `${row.map(cellOf).join(",")}\r\n`)
    .join("");
}

/** Spreadsheets execute a cell that begins like a formula: names come from other people. */
function cellOf(value: string | number): string {
  if (typeof value === "number") return String(value);
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
