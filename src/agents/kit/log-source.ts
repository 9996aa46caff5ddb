/** What a source is made of that keeps one log for each session. */
import type { DiscoverContext, Source, SourceRef } from "../contract.ts";
import { findLogs, type Logs } from "./session-files.ts";

/** Where an agent's logs are, how they are told from other files, and what their paths say. */
export interface LogPlaces extends Omit<Logs, "home"> {
  /** The agent's own directory. */
  home(env: DiscoverContext["env"], home: string): string;
  sessionId(path: string): string;
}

/** The members of a `Source` that follow from them. */
export function logSource(
  logs: LogPlaces,
): Pick<Source, "id" | "name" | "sessionId" | "recognises"> & { discover(ctx: DiscoverContext): SourceRef[] } {
  return {
    id: logs.source,
    name: logs.name,
    sessionId: ({ path }) => logs.sessionId(path),
    recognises: ({ path }) => logs.recognise(path) === "yes",
    discover: (ctx) => findLogs(ctx, { ...logs, home: logs.home(ctx.env, ctx.home) }),
  };
}
