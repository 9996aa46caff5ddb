import type { Level } from "./push-level.ts";

/** Why fields of an answer from a store are null: they did not leave the machine they are on. */
export interface NotPushed {
  /** What was pushed, or as much as is left of it. */
  level: Level;
  /** Where it was pushed, and was removed because it was old; or where that may be so. */
  removed_before?: RemovedDays;
  /** Those of which nothing is known: null, or by a name that only the store has for it. */
  fields: string[];
}

/** The first days of which everything is still in a store; null where nothing is ever removed. */
export interface RemovedDays {
  /** Requests, replies, titles, paths, what calls were given and gave back. */
  texts: string | null;
  /** Calls, and responses one by one. */
  calls: string | null;
  turns: string | null;
}

/** The same where nothing is missing. */
export type Known<T, Field extends keyof T> = Omit<T, Field> & { [Name in Field]: NonNullable<T[Name]> };
