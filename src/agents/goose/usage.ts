import type { UsageBody } from "../../record/record.ts";
import { count, type Native } from "../kit/native.ts";
import { num } from "./native.ts";

interface StatedTokens {
  input: number | null;
  output: number | null;
  read: number | null;
  write: number | null;
}

/** Null if nothing is stated: Goose leaves the columns empty for a request that never returned. */
function usageBody(id: string, model: string | null, stated: StatedTokens): UsageBody | null {
  const { input, output, read, write } = stated;
  if (input === null && output === null) return null;
  const cached = positive(read);
  const written = positive(write);
  const total = positive(input);
  if (total + positive(output) + cached + written === 0) return null;
  return {
    type: "usage",
    response_id: id,
    model,
    // Goose's input is the whole input; cached tokens are part of it if the cache columns exist.
    input_tokens: total >= cached + written ? total - cached - written : total,
    cached_input_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: 0,
    output_tokens: positive(output),
    reasoning_tokens: 0,
    verdict: "counted",
  };
}

function positive(value: number | null): number {
  return count(value);
}

/** Goose's own rule: the running sum, or the last request if an old row has no sum. */
function accumulated(row: Native): StatedTokens {
  const summed = num(row["accumulated_input_tokens"]) !== null || num(row["accumulated_output_tokens"]) !== null;
  const prefix = summed ? "accumulated_" : "";
  const column = (name: string): number | null => num(row[`${prefix}${name}`]);
  return {
    input: column("input_tokens"),
    output: column("output_tokens"),
    read: column("cache_read_tokens"),
    write: column("cache_write_tokens"),
  };
}

/** One statement for the whole session: without a ledger there is nothing finer. */
export function sessionUsage(id: string, model: string | null, row: Native): UsageBody | null {
  return usageBody(`goose/${id}`, model, accumulated(row));
}

/** A row of the ledger: one request, or (`carried_forward`) what was spent before there was a ledger. */
export function ledgerUsage(id: string, model: string | null, row: Native): UsageBody | null {
  const named = typeof row["model"] === "string" && row["model"] !== "" ? row["model"] : model;
  return usageBody(`goose/${id}/${String(row["id"])}`, named, {
    input: num(row["input_tokens"]),
    output: num(row["output_tokens"]),
    read: num(row["cache_read_tokens"]),
    write: num(row["cache_write_tokens"]),
  });
}

/** What the session states beyond its ledger: requests of an older Goose that were not carried forward yet. */
export function beyondLedger(
  id: string,
  model: string | null,
  row: Native,
  ledger: readonly Native[],
): UsageBody | null {
  const all = accumulated(row);
  const rest = (stated: number | null, name: string): number | null =>
    stated === null ? null : Math.max(0, stated - ledger.reduce((sum, each) => sum + positive(num(each[name])), 0));
  return usageBody(`goose/${id}`, model, {
    input: rest(all.input, "input_tokens"),
    output: rest(all.output, "output_tokens"),
    read: rest(all.read, "cache_read_tokens"),
    write: rest(all.write, "cache_write_tokens"),
  });
}
