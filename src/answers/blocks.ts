import { blocksOf, lastPause, type BlockQuery, type UsageBlock } from "../views/blocks.ts";
import type { CountedResponse } from "../views/response.ts";
import { within } from "../base/time/range.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";
import { responses } from "./usage.ts";

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
