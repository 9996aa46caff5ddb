import { iso } from "../base/time/zone.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import type { CountedResponse } from "./response.ts";
import { UsageSum, type UsageView } from "./usage-sum.ts";
import { costOfPico } from "./pricing/cost.ts";
import { totalTokens } from "../record/tokens.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Default length of a block in hours, the window by which providers count their limits. */
export const BLOCK_HOURS = 5;
/** Share of a limit above which the status is `warning`. */
const WARNING_PERCENT = 80;

/** A window of hours that begins with the full hour of its first response, or a gap between two windows. */
export interface UsageBlock extends UsageView {
  id: string;
  start: string;
  end: string;
  first_response: string | null;
  last_response: string | null;
  is_active: boolean;
  is_gap: boolean;
  responses: number;
  total_tokens: number;
  /** Only for the active block: its usage rate between its first and last response. */
  burn_rate: BurnRate | null;
  /** Expected totals at the end of the block at that rate. */
  projection: Projection | null;
  /** Only for the active block, when a limit was given. */
  limit?: LimitStatus;
}

export interface BurnRate {
  tokens_per_minute: number;
  /** Without cache reads and cache writes. */
  fresh_tokens_per_minute: number;
  cost_usd_per_hour: number | null;
}

export interface Projection {
  total_tokens: number;
  cost_usd: number | null;
  remaining_minutes: number;
}

export interface LimitStatus {
  tokens: number;
  projected_percent: number;
  status: "ok" | "warning" | "exceeds";
}

export interface BlockQuery {
  now: number;
  hours: number;
  /** `max`: the total of the largest finished block. */
  tokenLimit?: number | "max" | undefined;
}

interface Draft {
  start: number;
  first: number;
  last: number;
  responses: CountedResponse[];
}

/** Groups responses into blocks; both are in order of time. Responses without a time are ignored. */
export function blocksOf(responses: readonly CountedResponse[], query: BlockQuery, prices: PriceTable): UsageBlock[] {
  const length = query.hours * HOUR;
  const blocks: UsageBlock[] = [];
  let before: Draft | null = null;
  for (const draft of draftsOf(responses, length)) {
    if (before && draft.first - before.last > length) blocks.push(gapOf(before.last + length, draft.first, prices));
    blocks.push(blockOf(draft, length, query.now, prices));
    before = draft;
  }
  // A block begins with the full hour of its first response, which may be before the end of the preceding gap.
  const inOrder = blocks.toSorted((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  return withLimit(inOrder, query.tokenLimit);
}

/** Index of the first response after the last pause longer than a block; 0 when there is none. */
export function lastPause(responses: readonly CountedResponse[], hours: number): number {
  for (let i = responses.length - 1; i > 0; i--) {
    const [before, after] = [responses[i - 1]?.time ?? null, responses[i]?.time ?? null];
    if (before === null || after === null || after - before > hours * HOUR) return i;
  }
  return 0;
}

function* draftsOf(responses: readonly CountedResponse[], length: number): Generator<Draft, void, undefined> {
  let draft: Draft | null = null;
  for (const response of responses) {
    const { time } = response;
    if (time === null) continue;
    if (draft && (time - draft.start > length || time - draft.last > length)) {
      yield draft;
      draft = null;
    }
    draft ??= { start: Math.floor(time / HOUR) * HOUR, first: time, last: time, responses: [] };
    draft.responses.push(response);
    draft.last = time;
  }
  if (draft) yield draft;
}

function blockOf(
  { start, first, last, responses }: Draft,
  length: number,
  now: number,
  prices: PriceTable,
): UsageBlock {
  const sum = new UsageSum(prices);
  for (const response of responses) sum.add(response, costOfPico(response.pico));
  const end = start + length;
  const usage = sum.view();
  const total = totalTokens(usage);
  const isActive = now < end && now - last < length;
  const rate = isActive && last > first ? rateOf(usage, total, (last - first) / MINUTE) : null;
  const id = iso(start) ?? "";
  return {
    id,
    start: id,
    end: iso(end) ?? "",
    first_response: iso(first),
    last_response: iso(last),
    is_active: isActive,
    is_gap: false,
    responses: responses.length,
    ...usage,
    total_tokens: total,
    burn_rate: rate,
    projection: rate && projectionOf(usage, total, rate, Math.round((end - now) / MINUTE)),
  };
}

function gapOf(start: number, end: number, prices: PriceTable): UsageBlock {
  const from = iso(start) ?? "";
  return {
    id: `gap-${from}`,
    start: from,
    end: iso(end) ?? "",
    first_response: null,
    last_response: null,
    is_active: false,
    is_gap: true,
    responses: 0,
    ...new UsageSum(prices).view(),
    total_tokens: 0,
    burn_rate: null,
    projection: null,
  };
}

function rateOf(usage: UsageView, total: number, minutes: number): BurnRate {
  return {
    tokens_per_minute: total / minutes,
    fresh_tokens_per_minute: (usage.input_tokens + usage.output_tokens) / minutes,
    cost_usd_per_hour: usage.cost_usd === null ? null : (usage.cost_usd / minutes) * 60,
  };
}

function projectionOf(usage: UsageView, total: number, rate: BurnRate, minutes: number): Projection {
  const perHour = rate.cost_usd_per_hour;
  const cost = usage.cost_usd === null || perHour === null ? null : usage.cost_usd + (perHour / 60) * minutes;
  return {
    total_tokens: Math.round(total + rate.tokens_per_minute * minutes),
    cost_usd: cost === null ? null : Math.round(cost * 100) / 100,
    remaining_minutes: minutes,
  };
}

function withLimit(blocks: readonly UsageBlock[], given: BlockQuery["tokenLimit"]): UsageBlock[] {
  const over = blocks.filter((block) => !block.is_active);
  const limit = given === "max" ? Math.max(0, ...over.map((block) => block.total_tokens)) : given;
  if (limit === undefined || limit <= 0) return [...blocks];
  return blocks.map((block) => {
    if (!block.projection) return block;
    const percent = (block.projection.total_tokens / limit) * 100;
    const status = percent > 100 ? "exceeds" : percent > WARNING_PERCENT ? "warning" : "ok";
    return { ...block, limit: { tokens: limit, projected_percent: percent, status } };
  });
}
