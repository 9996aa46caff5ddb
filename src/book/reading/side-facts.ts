import type { OpenedSources } from "./library.ts";
import { keyOfSession } from "../../record/session-key.ts";
import type { DiscoverContext, SideFacts, Source } from "../../agents/contract.ts";

/** The side facts of one source. A fact that cannot be read is reported and treated as absent. */
export function factsOf(
  source: Source,
  ctx: DiscoverContext,
  fail: (what: string, error: unknown) => void,
): Required<SideFacts> {
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
    waiting: () => orElse("state of running sessions", new Map<string, string>(), () => facts?.waiting?.()),
  };
}

/** What sessions wait for, by session key, where their agents say so. */
export function waitingOf(opened: OpenedSources): Map<string, string> {
  return new Map(
    opened.sources.flatMap((source) =>
      [...opened.facts(source).waiting()].map(([id, what]) => [keyOfSession(source.id, id), what] as const),
    ),
  );
}

/** Current titles that agents store beside their sessions, by session. */
export function titlesOf(opened: OpenedSources): Map<string, string | null> {
  return new Map(opened.sources.flatMap((source) => [...opened.facts(source).titles()]));
}
