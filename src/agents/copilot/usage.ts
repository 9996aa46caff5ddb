import type { UsageBody } from "../../record/record.ts";
import { count, obj, str, type Native } from "../kit/native.ts";
import { dataOf, type CountedTokens, type ReaderState, type TokenSums } from "./native.ts";

const NOTHING_SPENT: TokenSums = [0, 0, 0, 0, 0];

function sumsOf(usage: Native): TokenSums {
  const output = count(usage["outputTokens"] ?? usage["output"]);
  return [
    count(usage["inputTokens"] ?? usage["input"]),
    count(usage["cacheReadTokens"] ?? usage["cachedInput"]),
    count(usage["cacheWriteTokens"]),
    output,
    Math.min(count(usage["reasoningTokens"]), output),
  ];
}

/** `inputTokens` includes cache reads and writes; the canonical record separates them. */
function statement(id: string, model: string | null, sums: TokenSums, verdict: UsageBody["verdict"]): UsageBody {
  const [input, read, write, output, reasoning] = sums;
  const cached = Math.min(read, input);
  const written = Math.min(write, input - cached);
  return {
    type: "usage",
    response_id: id,
    model,
    verdict,
    input_tokens: input - cached - written,
    cached_input_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: 0,
    output_tokens: output,
    reasoning_tokens: Math.min(reasoning, output),
  };
}

function spend(model: string | null, sums: TokenSums, state: ReaderState): void {
  const key = model ?? "";
  const spent: CountedTokens = state.spent.get(key) ?? { all: [...NOTHING_SPENT], run: [...NOTHING_SPENT] };
  for (const [i, n] of sums.entries()) {
    spent.all[i] = (spent.all[i] ?? 0) + n;
    spent.run[i] = (spent.run[i] ?? 0) + n;
  }
  state.spent.set(key, spent);
}

export function startRun(state: ReaderState): void {
  for (const spent of state.spent.values()) spent.run = [...NOTHING_SPENT];
}

/** One record per response (`session.usage_record`, `assistant.usage`), with all numbers and the provider's id. */
export function usageOfRecord(record: Native, state: ReaderState): UsageBody[] {
  const data = dataOf(record);
  const usage = obj(data["usage"]) ?? data;
  const call = str(usage["apiCallId"]) ?? str(usage["providerCallId"]);
  const accounting = obj(usage["accounting"]);
  // Providers' ids alone are not unique: some local servers draw them from only a thousand numbers.
  const place = accounting
    ? `${str(accounting["sourceSessionId"]) ?? ""}:${count(accounting["sequence"])}`
    : (str(record["id"]) ?? "");
  const id = `${place}:${call ?? ""}`;
  const model = str(usage["model"]);
  const sums = sumsOf(usage);
  const known = call === null ? undefined : state.responses.get(call);
  if (known === id) return [statement(id, model, sums, "duplicate")];
  if (known?.startsWith("message:") === true) {
    state.recorded += 1;
    // The output was counted with the message; this fuller statement replaces it under the same id.
    spend(model, [sums[0], sums[1], sums[2], 0, sums[4]], state);
    return [statement(known, model, sums, "counted")];
  }
  if (call !== null) state.responses.set(call, id);
  spend(model, sums, state);
  state.recorded += 1;
  return [statement(id, model, sums, "counted")];
}

/** Versions without usage records state the output of a response on its message, and repeat it on every chunk. */
export function usageOfMessage(record: Native, state: ReaderState): UsageBody[] {
  const data = dataOf(record);
  if (!("outputTokens" in data)) return [];
  const sums: TokenSums = [0, 0, 0, count(data["outputTokens"]), 0];
  const call = str(data["apiCallId"]) ?? str(data["requestId"]) ?? str(data["messageId"]) ?? str(record["id"]) ?? "";
  const model = str(data["model"]) ?? state.ruling.model;
  const known = state.responses.get(call);
  if (known !== undefined) return [statement(known, model, sums, "duplicate")];
  const id = `message:${str(data["messageId"]) ?? str(record["id"]) ?? call}`;
  state.responses.set(call, id);
  spend(model, sums, state);
  return [statement(id, model, sums, "counted")];
}

/** The request that produced a summary; if responses are recorded one by one, it is already among them. */
export function usageOfCompaction(record: Native, state: ReaderState): UsageBody[] {
  const used = obj(dataOf(record)["compactionTokensUsed"]);
  if (!used) return [];
  const sums = sumsOf(used);
  const model = str(used["model"]) ?? state.ruling.model;
  const id = `compaction:${str(record["id"]) ?? ""}`;
  const recorded = [...state.responses.toJSON()].some(([, countedBefore]) => !countedBefore.startsWith("message:"));
  if (recorded) return [statement(id, model, sums, "duplicate")];
  spend(model, sums, state);
  return [statement(id, model, sums, "counted")];
}

/**
 * Totals at the end of a process. What was counted response by response is a repeat; the rest (all input, in versions
 * that record no usage per response) is known only here and belongs to no single turn.
 */
export function usageOfShutdown(record: Native, state: ReaderState): UsageBody[] {
  const out: UsageBody[] = [];
  for (const [model, metric] of Object.entries(obj(dataOf(record)["modelMetrics"]) ?? {})) {
    const usage = obj(obj(metric)?.["usage"]);
    if (!usage) continue;
    const total = sumsOf(usage);
    const before = sumsRecorded(record, state) ? total : counted(total, state.spent.get(model));
    const rest = total.map((n, i) => Math.max(0, n - (before[i] ?? 0))) as TokenSums;
    const repeat = total.map((n, i) => n - (rest[i] ?? 0)) as TokenSums;
    const id = `shutdown:${str(record["id"]) ?? ""}:${model}`;
    if (repeat.some((n) => n > 0)) out.push(statement(`${id}:repeat`, model, repeat, "duplicate"));
    if (rest.every((n) => n === 0)) continue;
    spend(model, rest, state);
    out.push(statement(id, model, rest, "counted"));
  }
  return out;
}

/**
 * Current versions say how many recorded responses a total consists of. If all of them were read, nothing else is in it;
 * what the tokens add up to shows that only while one process writes the file.
 */
function sumsRecorded(record: Native, { recorded }: ReaderState): boolean {
  const marks = Object.values(obj(dataOf(record)["usageAccountingWatermarks"]) ?? {});
  const stated = marks.reduce<number>((sum, mark) => sum + count(mark), 0);
  return stated > 0 && stated <= recorded;
}

/**
 * Current versions continue counting over a resume, older ones restart: the output tokens tell which this total does.
 */
function counted(total: TokenSums, spent: CountedTokens | undefined): TokenSums {
  if (!spent) return NOTHING_SPENT;
  const [, , , output] = total;
  return output === spent.run[3] || output < spent.all[3] ? spent.run : spent.all;
}
