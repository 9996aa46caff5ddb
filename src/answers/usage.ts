import { within } from "../base/time/range.ts";
import { quickUsage, type QuickUsage } from "../book/reading/quick-usage.ts";
import { UsageCache } from "../book/reading/usage-cache.ts";
import type { UsageEvent } from "../turns/model.ts";
import { type BlockQuery, blocksOf, lastPause, type UsageBlock } from "../views/blocks.ts";
import { latestLimits, type LimitView } from "../views/limit-view.ts";
import type { KnownCost } from "../views/pricing/cost.ts";
import { byTime, type CountedResponse } from "../views/response.ts";
import { type UsageItem, type UsageQuery, usageReport, type UsageReport } from "../views/usage-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { cut, isBroad, type Query } from "./questions.ts";

type AskedUsage = Query & Omit<UsageQuery, "range" | "zone">;

export async function usage(ctx: AnswerContext, query: AskedUsage): Promise<UsageReport> {
  const { queries } = ctx.index;
  const filter = ctx.filter(query);
  const sums = isBroad(query) ? queries.usageSums(filter, ctx.zone) : null;
  return reportOf(ctx, query, sums ?? queries.usage(filter, query));
}

/**
 * The same for sums over everything, which need no turns and no sessions: counted in the files, without an index. Both
 * ways count the same tokens.
 */
export async function usageOfFiles(ctx: AnswerContext, query: AskedUsage): Promise<UsageReport> {
  return reportOf(ctx, query, await sumsOfFiles(ctx));
}

function reportOf(ctx: AnswerContext, query: AskedUsage, items: Iterable<UsageItem>): UsageReport {
  const { group, by, breakdown, order, instances, agents, startOfWeek } = query;
  const how = { group, by, breakdown, order, instances, agents, startOfWeek };
  const report = usageReport(items, { ...how, range: ctx.range(query), zone: ctx.zone }, ctx.prices);
  return { ...report, rows: cut(report.rows, query.limit) };
}

async function sumsOfFiles({ snapshot, prices, options }: AnswerContext): Promise<Iterable<UsageItem>> {
  const costOf = (event: UsageEvent): KnownCost | null => prices.costOf(event);
  const { book, onProgress, noSync } = options;
  const cache = book === undefined || noSync === true ? undefined : new UsageCache(book);
  const { groups, unreadable } = await quickUsage(snapshot.opened(), costOf, onProgress, cache);
  // Written after the answer was returned.
  if (cache) setImmediate(() => cache.save());
  for (const problem of unreadable) snapshot.fail(problem);
  return itemsFrom(groups);
}

function* itemsFrom(groups: QuickUsage["groups"]): Generator<UsageItem, void, undefined> {
  for (const { event, cost, source } of groups) yield { event, session: null, source, owner: null, cost };
}

/** The responses that count, each once, in order of time; those without a time come first. */
export async function responses(ctx: AnswerContext, query: Query): Promise<CountedResponse[]> {
  return cut(ctx.index.queries.responses(ctx.filter(query)).toSorted(byTime), query.limit);
}

const DAY = 86_400_000;

/** Blocks of hours as providers count their limits, with the rate of the running one. */
export async function blocks(ctx: AnswerContext, query: Query & Omit<BlockQuery, "now">): Promise<UsageBlock[]> {
  const { hours, tokenLimit, project, session, label, starred, noted } = query;
  const { now, prices } = ctx;
  // A block begins where the previous one ends: so the days select blocks, not responses.
  const range = ctx.range(query);
  // Without a start: the largest block may be anywhere.
  const start = tokenLimit === undefined ? range.start : null;
  const found = await responsesAround(ctx, start, hours, { project, session, label, starred, noted });
  return blocksOf(found, { hours, tokenLimit, now }, prices).filter((block) => within(range, Date.parse(block.start)));
}

/**
 * The responses from `start` on, and enough before it to know where blocks begin: back to a pause longer than a
 * block.
 */
async function responsesAround(
  ctx: AnswerContext,
  start: number | null,
  hours: number,
  query: Query,
): Promise<CountedResponse[]> {
  if (start === null) return responses(ctx, query);
  for (const days of [3, 30]) {
    const since = ctx.zone.day(start - days * DAY);
    const found = await responses(ctx, { ...query, since });
    const before = found.findIndex(({ time }) => time !== null && time >= start);
    const from = lastPause(found.slice(0, before === -1 ? found.length : before + 1), hours);
    // Includes the response before the pause, because the gap begins there.
    if (from > 0) return found.slice(from - 1);
  }
  return responses(ctx, query);
}

/** The running block of one agent. Reads back to a pause longer than a block, after which a block certainly begins. */
export async function runningBlock(ctx: AnswerContext, source: string, hours: number): Promise<UsageBlock | null> {
  const { now, prices } = ctx;
  for (const days of [2, 14, null]) {
    const since = days === null ? undefined : `${days}d`;
    const own = (await responses(ctx, { since })).filter((response) => response.source === source);
    const from = lastPause(own, hours);
    if (from === 0 && days !== null && own.length > 0) continue;
    return blocksOf(own.slice(from), { hours, now }, prices).find((block) => block.is_active) ?? null;
  }
  return null;
}

/** The rate limits each agent recorded last, newest first. */
export async function limits({ index }: AnswerContext): Promise<LimitView[]> {
  return latestLimits(index.queries.limits());
}
