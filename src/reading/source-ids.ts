import { SOURCES } from "../sources/registry.ts";

/** The names agents go by, in flags and in answers. */
export function sourceIds(): string[] {
  return SOURCES.map((source) => source.id);
}
