import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { inside, type Daybook } from "../../answers/daybook.ts";
import { agentOf } from "../../narrate/agents/agent.ts";
import { LockedError } from "../../record/write-lock.ts";
import type { Io } from "./io.ts";
import { reviewWith } from "./commands/review.ts";
import { settingsOf } from "./commands/narrate.ts";
import { plain } from "../../base/text/inert.ts";

/** How often to look whether a day is over, in ms. */
const EVERY = 900_000;

/**
 * With `[review] auto`: has the user's agent read the last day with work once it is over, and again when it changed,
 * until stopped. A failure is told once; the next look tries again.
 */
export async function reviewDaysThatEnd(io: Io, daybook: Daybook, book: string, signal: AbortSignal): Promise<void> {
  const settings = settingsOf(io, {});
  const agent = agentOf(settings, io.env);
  if (agent === null) {
    io.err("daybook: [review] auto needs an agent under [narrate] in config.toml\n");
    return;
  }
  let told = "";
  while (!signal.aborted) {
    const now = io.clock?.() ?? Date.now();
    try {
      const day = await inside(daybook).lastWorkDay(daybook.zone.day(now));
      const { state, review } =
        day === null
          ? { state: "empty", review: null }
          : await reviewWith({ io, daybook, book, day, settings, agent, now, signal });
      if (state === "asked" && review) io.err(`daybook: ${plain(review.model)} read ${review.day}\n`);
      told = "";
    } catch (error) {
      // Somebody else is reading the day.
      if (error instanceof LockedError) continue;
      const why = plain(messageOf(error));
      if (!signal.aborted && why !== told) io.err(`daybook: the day was not read: ${why}\n`);
      told = why;
    } finally {
      await sleep(EVERY, undefined, { signal }).catch(() => undefined);
    }
  }
}
