import { blocksOf, lastPause, type BlockQuery, type UsageBlock } from "../answers/blocks.ts";
import type { UsageResponse } from "../answers/usage-response.ts";
import { within } from "../time/range.ts";
import type { Asking } from "./asking.ts";
import type { Query } from "./questions.ts";
import { responses } from "./usage.ts";

const DAY = 86_400_000;

/** Stretches of hours as providers count their limits, with the pace of the one that is running. */
export async function blocks(asking: Asking, query: Query & Omit<BlockQuery, "now">): Promise<UsageBlock[]> {
  const { hours, tokenLimit, project, session, label, starred, noted } = query;
  const { now, prices } = asking;
  // A block begins where the ones before it end: days choose among blocks, not among responses.
  const range = asking.range(query);
  // The largest block may be any.
  const start = tokenLimit === undefined ? range.start : null;
  const found = await responsesAround(asking, start, hours, { project, session, label, starred, noted });
  return blocksOf(found, { hours, tokenLimit, now }, prices).filter((block) => within(range, Date.parse(block.start)));
}

/** Those from a time on, and as many before it as decide where blocks begin: back to a pause that no block lasts through. */
async function responsesAround(
  asking: Asking,
  start: number | null,
  hours: number,
  query: Query,
): Promise<UsageResponse[]> {
  if (start === null) return responses(asking, query);
  for (const days of [3, 30]) {
    const since = asking.zone.day(start - days * DAY);
    const found = await responses(asking, { ...query, since });
    const before = found.findIndex(({ time }) => time !== null && time >= start);
    const from = lastPause(found.slice(0, before === -1 ? found.length : before + 1), hours);
    // The one before the pause says where the gap begins.
    if (from > 0) return found.slice(from - 1);
  }
  return responses(asking, query);
}

/** The block of one agent that is running. Reads back to a pause that is longer than a block: there one begins for sure. */
export async function runningBlock(asking: Asking, source: string, hours: number): Promise<UsageBlock | null> {
  const { now, prices } = asking;
  for (const days of [2, 14, null]) {
    const since = days === null ? undefined : `${days}d`;
    const own = (await responses(asking, { since })).filter((response) => response.source === source);
    const from = lastPause(own, hours);
    if (from === 0 && days !== null && own.length > 0) continue;
    return blocksOf(own.slice(from), { hours, now }, prices).find((block) => block.is_active) ?? null;
  }
  return null;
}
