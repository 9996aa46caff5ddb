import type { KnownCost } from "../answers/pricing/cost.ts";
import { byTime, responsesOf, type UsageResponse } from "../answers/usage-response.ts";
import { itemsOf, usageReport, type UsageItem, type UsageQuery, type UsageReport } from "../answers/usage-view.ts";
import { UsageCache } from "../reading/usage-cache.ts";
import { quickUsage, type QuickUsage } from "../reading/quick-usage.ts";
import type { UsageEvent } from "../turns/model.ts";
import type { Asking } from "./asking.ts";
import { cut, isBroad, USAGE, type Query } from "./questions.ts";

export async function usage(asking: Asking, query: Query & Omit<UsageQuery, "range" | "zone">): Promise<UsageReport> {
  const { group, by, breakdown, order, instances, agents, startOfWeek } = query;
  const items = await usageItems(asking, query);
  const how = { group, by, breakdown, order, instances, agents, startOfWeek };
  const report = usageReport(items, { ...how, range: asking.range(query), zone: asking.zone }, asking.prices);
  return { ...report, rows: cut(report.rows, query.limit) };
}

/** Sums over everything need no turns and no sessions; any narrower question does. Both ways count the same tokens. */
async function usageItems(
  asking: Asking,
  query: Query & Pick<UsageQuery, "group" | "by" | "instances">,
): Promise<Iterable<UsageItem>> {
  const { at } = asking;
  if (at.index) {
    const { queries } = at.index;
    const filter = asking.filter(query);
    return (isBroad(query) ? queries.usageSums(filter, asking.zone) : null) ?? queries.usage(filter, query);
  }
  if (isBroad(query)) return sumsOfFiles(asking);
  const { chosen } = await asking.select(query, USAGE);
  return itemsOf(chosen, (session) => at.names.projectOf(session).project);
}

async function sumsOfFiles({ at, prices, options }: Asking): Promise<Iterable<UsageItem>> {
  const costOf = (event: UsageEvent): KnownCost | null => prices.costOf(event);
  const { book, onProgress, noSync } = options;
  const cache = book === undefined || noSync === true ? undefined : new UsageCache(book);
  const { groups, unreadable } = await quickUsage(at.opened(), costOf, onProgress, cache);
  // After the answer: whoever asked has it before this is written.
  if (cache) setImmediate(() => cache.save());
  for (const problem of unreadable) at.fail(problem);
  return itemsFrom(groups);
}

function* itemsFrom(groups: QuickUsage["groups"]): Generator<UsageItem, void, undefined> {
  for (const { event, cost, source } of groups) yield { event, session: null, source, owner: null, cost };
}

/** The responses that count, each once, in order of time; those nobody dated stand first. */
export async function responses(asking: Asking, query: Query): Promise<UsageResponse[]> {
  const { index } = asking.at;
  if (index) return cut(index.queries.responses(asking.filter(query)).toSorted(byTime), query.limit);
  const { chosen, range } = await asking.select(query, USAGE);
  return cut(responsesOf(chosen, range, asking.prices).toSorted(byTime), query.limit);
}
