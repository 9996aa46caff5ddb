import type { Command } from "commander";
import { homeDirectory } from "../../base/home.ts";
import { findState, type State } from "../../teach/state.ts";
import { slugOf } from "../../teach/slug.ts";
import type { Io } from "./io.ts";
import { bookOf, type CommonFlags } from "./options.ts";
import { usageError } from "./usage-errors.ts";

/**
 * Where preferences, lessons and captured questions are kept; null if only files given on the command line are
 * queried.
 */
export function stateOf(io: Io, flags: Pick<CommonFlags, "home" | "root" | "sample">): State | null {
  const isByHand = flags.sample === true || (flags.root !== undefined && flags.home === undefined);
  const book = (): string | null => (isByHand ? null : (bookOf(io, flags) ?? null));
  return findState({ env: io.env, home: homeDirectory(io.env), book, isNamed: flags.home !== undefined });
}

/** The project of the current directory, by its name in the state. */
export function slugHere(io: Io, state: State | null): string {
  return slugOf(io.cwd ?? null, state, io.env);
}

export interface StateFlags {
  home?: string;
  json?: boolean;
}

/** For commands that read no sessions. */
export function stateFlags(command: Command): Command {
  return command.option(
    "--home <dir>",
    "Daybook's home; gstack's files are used where $GSTACK_STATE_ROOT or $GSTACK_HOME names them, or ~/.gstack is there",
  );
}

/** For commands that write. */
export function writableState(io: Io, flags: StateFlags): State {
  const state = stateOf(io, flags);
  if (state) return state;
  throw usageError("there is no place to store it", "name one with --home DIR");
}
