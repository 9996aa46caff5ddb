import type { Level } from "./push-level.ts";

/** Why fields of an answer from a store are empty: they did not leave the machine they are on. */
export interface NotPushed {
  level: Level;
  /** Those of which nothing is known: null, or empty where they are texts and lists. */
  fields: string[];
}
