import { DaybookError } from "../../../base/errors.ts";
import type { Io } from "../io.ts";
import { printJsonText } from "../json.ts";

/** Prints JSON as `ccusage` does: indented, with sorted keys, and through `jq` if a filter is given. */
export function printSorted(io: Io, value: unknown, filter: string | undefined): void {
  const text = `${JSON.stringify(sorted(value), null, 2)}\n`;
  printJsonText(io, filter === undefined ? text : filtered(io, text, filter));
}

/** Filters any JSON through `jq`. */
export function filtered(io: Io, text: string, filter: string): string {
  if (!io.jq) throw new DaybookError("--jq needs the program jq", { code: "usage", op: "filter JSON" });
  return io.jq(filter, text);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
