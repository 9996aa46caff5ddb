import type { Io } from "./io.ts";
import type { OpenedDaybook } from "./open-daybook.ts";

/** Starts what `[review] auto` asks for, until stopped. The code for it is only loaded then. */
export async function followReviews(io: Io, { daybook, book }: OpenedDaybook, signal: AbortSignal): Promise<void> {
  if (io.config?.review?.auto !== true || book === null) return;
  const { reviewDaysThatEnd } = await import("./auto-review.ts");
  await reviewDaysThatEnd(io, daybook, book, signal);
}
