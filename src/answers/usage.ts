import type { KnownCost } from "../views/pricing/cost.ts";
import { byTime, type CountedResponse } from "../views/response.ts";
import { usageReport, type UsageItem, type UsageQuery, type UsageReport } from "../views/usage-view.ts";
import { UsageCache } from "../book/reading/usage-cache.ts";
import { quickUsage, type QuickUsage } from "../book/reading/quick-usage.ts";
import type { UsageEvent } from "../turns/model.ts";
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
