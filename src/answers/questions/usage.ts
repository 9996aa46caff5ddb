import type { BlockQuery, UsageBlock } from "../../views/blocks.ts";
import type { LimitView } from "../../views/limit-view.ts";
import type { UsageQuery, UsageReport } from "../../views/usage-view.ts";
import { blocks as blocksIn, limits as limitsIn, usage as usageIn, usageOfFiles } from "../usage.ts";
import type { Engine } from "../engine.ts";
import { isBroad } from "../questions.ts";
import { ONLY_SESSIONS } from "../../index/tables/remote-demand.ts";
import { LIMIT, SUMMED, WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";

/** Before the first sync, and without a book, a sum over everything is faster from the files than from an index. */
function isSoonerFromFiles({ options, isOfStore, current, snapshot }: Engine): boolean {
  return options.book === undefined ? !isOfStore : current.isBookIncomplete && snapshot.isInFiles;
}

export const usage: Question<Where & typeof SUMMED & typeof LIMIT, UsageReport, Omit<UsageQuery, "range" | "zone">> = {
  name: "usage",
  about: "tokens and cost, each token counted once",
  query: { ...WHERE, ...SUMMED, ...LIMIT },
  answer: "usage",
  needs: (query, engine) => {
    const isOfAll = isBroad(query);
    if (isOfAll && isSoonerFromFiles(engine)) return { isOfFiles: true };
    const { store } = engine.inDays(["responses"], query);
    // Sums do not say which sessions they are of.
    const isNarrow = !isOfAll || (engine.options.sources ?? []).length > 0;
    return { store: { ...store, ...(isNarrow ? { together: query.by } : { sumsIn: engine.zone.name }) } };
  },
  ask: (ctx, query, { isOfFiles }) => (isOfFiles === true ? usageOfFiles(ctx, query) : usageIn(ctx, query)),
};

export const blocks: Question<Where & typeof LIMIT, UsageBlock[], Omit<BlockQuery, "now">> = {
  name: "blocks",
  about: "blocks of hours as providers count their limits, with the rate of the running one",
  query: { ...WHERE, ...LIMIT },
  answer: "usage blocks",
  needs: () => ({ store: { lists: ["responses"] } }),
  ask: (ctx, query) => blocksIn(ctx, query),
};

export const limits: Question<{}, LimitView[]> = {
  name: "limits",
  about: "the rate limits each agent recorded last, newest first",
  query: {},
  answer: "usage limits",
  needs: () => ({ store: ONLY_SESSIONS }),
  ask: (ctx) => limitsIn(ctx),
};
