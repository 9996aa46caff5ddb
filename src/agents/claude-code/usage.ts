/** Tokens: once per response, without reading the rest of a file, and as a total of each turn. */
import { openPlain } from "../../base/io/bytes.ts";
import { instant, zonedTime } from "../../base/io/instant.ts";
import { parseJson } from "../../base/io/json.ts";
import { readLines } from "../../base/io/lines.ts";
import { isLargerStatement } from "../../record/merge-statements.ts";
import type { CompactedBody, ModelTokens, Tokens, UsageBody, UsageTotalBody } from "../../record/record.ts";
import { totalTokens } from "../../record/tokens.ts";
import type { OutputMeter, Source } from "../contract.ts";
import { count, list, num, obj, str, wholeCount, type Native } from "../kit/native.ts";
import { kindFromPath, sessionIdFromPath } from "./discover.ts";
import { mayReplay } from "./lookahead.ts";
import { timeOf } from "./native.ts";
import type { Reason } from "./rules.ts";
import { freshState, isRepeated, skimForTokens, splitLine, type ReaderState, type SplitLine } from "./state.ts";

/** Message ids of the API are globally unique; ids of other providers may just count from one. */
const UNIQUE = /^msg_(?:bdrk_|vrtx_)?[0-9A-Za-z]{20,}$/;

/**
 * Response id, equal in every line and every copy of one model response. Copies may have another request id (side
 * questions) or none (old resumes), so the request id is only added if the message id is not globally unique.
 */
export function responseId(record: Native): string {
  const id = str(obj(record["message"])?.["id"]);
  const request = str(record["requestId"]);
  if (id === null) return str(record["uuid"]) ?? request ?? "";
  return request === null || UNIQUE.test(id) ? id : `${id}|${request}`;
}

/**
 * The usage statements of one assistant line. Claude Code repeats the usage on every line of a response, and early
 * lines may state less than the last. A statement that adds nothing is a duplicate; which of the others counts is
 * decided where all statements are known.
 */
export function usageOf(
  record: Native,
  state: ReaderState,
  verdict: "counted" | "inherited" | "duplicate",
): UsageBody[] {
  const message = obj(record["message"]);
  const usage = obj(message?.["usage"]);
  if (!usage) return [];
  const model = str(message?.["model"]);
  const tokens = tokensOf(usage);
  if (model === "<synthetic>" && isZero(tokens)) return [];
  const id = responseId(record);
  if (id === "") return [];
  const out: UsageBody[] = [];
  const cut = record["isAbortedMidStream"] === true;
  out.push(statement(id, model === "<synthetic>" ? null : model, { tokens, cut }, state, verdict));
  let advisors = 0;
  for (const item of list(usage["iterations"])) {
    const iteration = obj(item);
    if (iteration?.["type"] !== "advisor_message") continue;
    advisors += 1;
    // An advisor is another model that is asked within the response; the response's own numbers do not include it.
    const stated = { tokens: tokensOf(iteration), cut };
    out.push(statement(`${id}#advisor${advisors}`, str(iteration["model"]), stated, state, verdict));
  }
  return out;
}

function statement(
  id: string,
  model: string | null,
  // `cut`: the stream was aborted, so the tokens are those stated at its beginning.
  { tokens, cut }: { tokens: Tokens; cut: boolean },
  state: ReaderState,
  wanted: "counted" | "inherited" | "duplicate",
): UsageBody {
  const before = state.responses.get(id);
  const isMore = before === undefined || isLargerStatement(tokens, fromNumbers(before));
  // Also new: naming the model for the first time or in a larger statement, and that the stream was cut.
  const names = model === null ? 0 : totalTokens(tokens) + 1;
  const isNew = isMore || names > (before[6] ?? 0) || Number(cut) > (before[7] ?? 0);
  if (isNew) {
    const numbers = isMore ? toNumbers(tokens) : before.slice(0, 6);
    state.responses.set(id, [...numbers, Math.max(names, before?.[6] ?? 0), Math.max(Number(cut), before?.[7] ?? 0)]);
  }
  const verdict = wanted === "counted" && !isNew ? "duplicate" : wanted;
  return { type: "usage", response_id: id, model, verdict, ...(cut ? { cut } : {}), ...tokens };
}

function toNumbers(t: Tokens): number[] {
  const write = [t.cache_write_tokens, t.cache_write_1h_tokens];
  return [t.input_tokens, t.cached_input_tokens, ...write, t.output_tokens, t.reasoning_tokens];
}

function fromNumbers([input = 0, cached = 0, write = 0, hour = 0, output = 0, reasoning = 0]: number[]): Tokens {
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    cache_write_tokens: write,
    cache_write_1h_tokens: hour,
    output_tokens: output,
    reasoning_tokens: reasoning,
  };
}

function tokensOf(usage: Native): Tokens {
  const split = obj(usage["cache_creation"]);
  const hour = count(split?.["ephemeral_1h_input_tokens"]);
  const parts = hour + count(split?.["ephemeral_5m_input_tokens"]);
  return {
    input_tokens: count(usage["input_tokens"]),
    cached_input_tokens: count(usage["cache_read_input_tokens"]),
    cache_write_tokens: Math.max(count(usage["cache_creation_input_tokens"]), parts),
    cache_write_1h_tokens: hour,
    output_tokens: count(usage["output_tokens"]),
    reasoning_tokens: count(obj(usage["output_tokens_details"])?.["thinking_tokens"]),
  };
}

function isZero(tokens: Tokens): boolean {
  return Object.values(tokens).every((n) => n === 0);
}

/**
 * `cost-state`: the total usage of a session's processes so far. Includes subagents and requests without a record
 * (compactions, titles, searches), but not aborted streams. Written when a process ends; the next process and a fork
 * continue from it.
 */
export function totalOf(record: Native): UsageTotalBody | null {
  const usage = obj(record["modelUsage"]);
  const start = num(record["startTime"]);
  if (!usage || start === null || instant(start) === null) return null;
  const body: UsageTotalBody = {
    type: "usage_total",
    counter: String(start),
    includes_children: true,
    exact: false,
    models: Object.entries(usage).map(([model, stated]) => ({ model, ...statedTokens(obj(stated) ?? {}) })),
    unwritten: "claude.cost_state.unwritten" satisfies Reason,
    since: new Date(start).toISOString(),
  };
  const elapsed = num(record["totalDuration"]);
  if (elapsed !== null) body.elapsed_ms = elapsed;
  return body;
}

function statedTokens(stated: Native): Omit<ModelTokens, "model"> {
  const hour = count(stated["cacheCreationEphemeral1hInputTokens"]);
  const parts = hour + count(stated["cacheCreationEphemeral5mInputTokens"]);
  return {
    input_tokens: count(stated["inputTokens"]),
    cached_input_tokens: count(stated["cacheReadInputTokens"]),
    cache_write_tokens: Math.max(count(stated["cacheCreationInputTokens"]), parts),
    cache_write_1h_tokens: hour,
    output_tokens: count(stated["outputTokens"]),
    reasoning_tokens: count(stated["thinkingTokens"]),
  };
}

/**
 * Only responses and totals state usage, and ids make copies of responses in other files harmless. Other lines are
 * skipped, except those that show when tokens were spent without a record of their own.
 */
export const quickUsage: NonNullable<Source["quickUsage"]> = (ref, ctx, count, note) => {
  const state = freshState(kindFromPath(ref.path));
  const stream = openPlain(ref.path, 0, ctx.meter);
  try {
    let last: SplitLine | null = null;
    for (const { text } of readLines(stream, { line: 0, offset: 0 }, skimForTokens)) {
      if (text === null) return null;
      const line = splitLine(text);
      if (line && last && isRepeated(line, last)) continue;
      const record = (line && withoutContent(line)) ?? parsed(text);
      // In a forked subagent only the order of lines tells copied records from its own: leave it to the full reader.
      if (record?.["type"] === "fork-context-ref") return null;
      const other = record === null ? null : otherThanResponses(record);
      if (other && record) note?.(other, timeOf(record));
      if (record?.["type"] !== "assistant") continue;
      // An old answer without a request id may be a copy, which only the surrounding lines can show.
      if (record["requestId"] === undefined && mayReplay(record)) return null;
      for (const usage of usageOf(record, state, "counted")) {
        if (usage.verdict === "counted") count(usage, timeOf(record));
      }
      last = line;
    }
  } finally {
    stream.close();
  }
  return sessionIdFromPath(ref.path);
};

function otherThanResponses(record: Native): UsageTotalBody | CompactedBody | null {
  if (record["type"] === "cost-state") return totalOf(record);
  const compacted = record["type"] === "system" && record["subtype"] === "compact_boundary";
  return compacted ? { type: "compacted", trigger: "unknown" } : null;
}

/**
 * The message content is most of a line and irrelevant to usage, so it is cut out before parsing. A cut at the wrong
 * position leaves unbalanced brackets: parsing fails, and the caller parses the whole line.
 */
function withoutContent({ text, from, to }: SplitLine): Native | null {
  return parsed(text.slice(0, from) + text.slice(to));
}

function parsed(text: string): Native | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}

/** Claude Code writes a response in several records with cumulative numbers: the largest of each message counts. */
export class ClaudeOutputMeter implements OutputMeter {
  readonly #messages = new Map<number, Map<string, number>>();
  readonly #unsure = new Set<number>();

  isTimed(record: Native): boolean {
    return zonedTime(record["timestamp"]) !== null;
  }

  add(record: Native, turn: number | null): void {
    if (turn === null || record["type"] !== "assistant") return;
    const message = obj(record["message"]);
    const id = nameOf(message?.["id"]) ?? nameOf(record["uuid"]);
    const tokens = wholeCount(obj(message?.["usage"])?.["output_tokens"]);
    if (id === null || tokens === null) {
      this.#unsure.add(turn);
      return;
    }
    const counts = this.#messages.get(turn) ?? new Map<string, number>();
    counts.set(id, Math.max(tokens, counts.get(id) ?? 0));
    this.#messages.set(turn, counts);
  }

  known(turn: number): number | null {
    const counts = this.#messages.get(turn);
    if (!counts || this.#unsure.has(turn)) return null;
    return [...counts.values()].reduce((sum, tokens) => sum + tokens, 0);
  }
}

function nameOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
