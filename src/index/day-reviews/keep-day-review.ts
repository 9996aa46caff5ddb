import { truncateSync } from "node:fs";
import type { DayReview } from "../../views/day-review.ts";
import { keyOfSession } from "../../record/session-key.ts";
import { appendLines } from "../../book/pages/append-lines.ts";
import { objectWithChecksum } from "../../book/pages/checksum.ts";
import { countRows } from "../../book/pages/row-count.ts";
import { lockHome } from "../sync/sync-lock.ts";
import { recordChange } from "../tables/changes.ts";
import { IndexStore } from "../tables/index-store.ts";
import { DayReviews, reviewsFile } from "./day-reviews.ts";

/** Adds what was read in a day; returns when it is on disk. `patience`: how long to wait for another writer, in ms. */
export async function keepDayReview(home: string, review: DayReview, patience: number): Promise<void> {
  const lock = await lockHome(home, patience);
  try {
    const { tornAt, rows } = new DayReviews(home);
    if (tornAt !== null) truncateSync(reviewsFile(home), tornAt);
    appendLines(reviewsFile(home), objectWithChecksum(review));
    countRows(reviewsFile(home), Math.max(rows.found, rows.counted) + 1);
    notifyFollowers(home, review);
  } finally {
    lock.release();
  }
}

/** Tells followers of the book, such as the page, that answers about these sessions changed. */
function notifyFollowers(home: string, { opened, closed, decided, results }: DayReview): void {
  const store = IndexStore.openExisting(home);
  if (!store || store.isReadOnly) return store?.close();
  try {
    const points = [...opened, ...closed, ...decided, ...results];
    const keys = new Set(points.map(({ source, session_id }) => keyOfSession(source, session_id)));
    store.transaction(() => {
      for (const key of keys) recordChange(store, key);
    });
    store.settle();
  } finally {
    store.close();
  }
}
