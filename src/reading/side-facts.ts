import type { OpenedSources } from "./library.ts";
import type { DiscoverContext, SideFacts, Source } from "../sources/contract.ts";

/** The facts of one source. Where it fails to tell one, that is said, and the fact is as if there were none. */
export function factsOf(source: Source, ctx: DiscoverContext, fail: (what: string, error: unknown) => void): SideFacts {
  const tell = <T>(what: string, otherwise: T, ask: () => T | undefined): T => {
    try {
      return ask() ?? otherwise;
    } catch (error) {
      fail(`its ${what} cannot be read`, error);
      return otherwise;
    }
  };
  const facts = tell("input history", null, () => source.facts?.(ctx));
  return {
    titles: () => tell("titles", new Map<string, string | null>(), () => facts?.titles()),
    get histories() {
      return tell("input history", [], () => facts?.histories);
    },
    prompts: () => tell("input history", [], () => facts?.prompts()),
  };
}

/** Titles the agents keep beside their sessions now, by session. */
export function titlesOf(opened: OpenedSources): Map<string, string | null> {
  return new Map(opened.sources.flatMap((source) => [...opened.facts(source).titles()]));
}
