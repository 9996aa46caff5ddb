import { SOURCES } from "../sources/registry.ts";

/** The names agents go by, in flags and in answers. */
export const SOURCE_IDS: readonly string[] = SOURCES.map((source) => source.id);
