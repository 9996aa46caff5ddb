import type { OpenedSources } from "./library.ts";
import type { DiscoverContext, SideFacts, Source } from "../sources/contract.ts";

/** The facts of one source. Where it fails to tell one, that is said, and the fact is as if there were none. */
export function factsOf(source: Source, ctx: DiscoverContext, fail: (what: string, error: unknown) => void): SideFacts {
  const orElse = <T>(what: string, otherwise: T, ask: () => T | undefined): T => {
    try {
      return ask() ?? otherwise;
    } catch (error) {
      fail(`its ${what} cannot be read`, error);
      return otherwise;
    }
  };
  const facts = orElse("input history", null, () => source.facts?.(ctx));
  return {
    titles: () => orElse("titles", new Map<string, string | null>(), () => facts?.titles()),
    get histories() {
      return orElse("input history", [], () => facts?.histories);
    },
    prompts: () => orElse("input history", [], () => facts?.prompts()),
  };
}

/** Titles the agents keep beside their sessions now, by session. */
export function titlesOf(opened: OpenedSources): Map<string, string | null> {
  return new Map(opened.sources.flatMap((source) => [...opened.facts(source).titles()]));
}
