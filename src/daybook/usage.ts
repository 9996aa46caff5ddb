import type { KnownCost } from "../answers/pricing/cost.ts";
import { byTime, type UsageResponse } from "../answers/usage-response.ts";
import { usageReport, type UsageItem, type UsageQuery, type UsageReport } from "../answers/usage-view.ts";
import { UsageCache } from "../reading/usage-cache.ts";
import { quickUsage, type QuickUsage } from "../reading/quick-usage.ts";
import type { UsageEvent } from "../turns/model.ts";
import type { AnswerContext } from "./answer-context.ts";
import { cut, isBroad, type Query } from "./questions.ts";

export async function usage(
  ctx: AnswerContext,
  query: Query & Omit<UsageQuery, "range" | "zone">,
): Promise<UsageReport> {
  const { group, by, breakdown, order, instances, agents, startOfWeek } = query;
  const items = await usageItems(ctx, query);
  const how = { group, by, breakdown, order, instances, agents, startOfWeek };
  const report = usageReport(items, { ...how, range: ctx.range(query), zone: ctx.zone }, ctx.prices);
  return { ...report, rows: cut(report.rows, query.limit) };
}

/**
 * Sums over everything need no turns and no sessions: where no index is open, they are made from the files without one.
 * Both ways count the same tokens.
 */
async function usageItems(
  ctx: AnswerContext,
  query: Query & Pick<UsageQuery, "group" | "by" | "instances">,
): Promise<Iterable<UsageItem>> {
  if (isBroad(query) && ctx.snapshot.index === null) return sumsOfFiles(ctx);
  const { queries } = ctx.index;
  const filter = ctx.filter(query);
  return (isBroad(query) ? queries.usageSums(filter, ctx.zone) : null) ?? queries.usage(filter, query);
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
export async function responses(ctx: AnswerContext, query: Query): Promise<UsageResponse[]> {
  return cut(ctx.index.queries.responses(ctx.filter(query)).toSorted(byTime), query.limit);
}
