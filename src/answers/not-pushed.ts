import type { Level } from "./push-level.ts";

/** Why fields of an answer from a store are null: they did not leave the machine they are on. */
export interface NotPushed {
  level: Level;
  /** Those of which nothing is known: null, or by a name that only the store has for it. */
  fields: string[];
}

/** The same where nothing is missing. */
export type Known<T, Field extends keyof T> = Omit<T, Field> & { [Name in Field]: NonNullable<T[Name]> };
