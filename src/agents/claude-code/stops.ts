import { str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";
import { isSince } from "./versions.ts";

/** Where a response stopped: the reason its last line states, and the release that wrote it. */
export interface Stop {
  reason: string | null;
  version: string | null;
}

/**
 * From this release on (and possibly from 2.1.59 or 2.1.61 on) the last line of a response normally states why it
 * stopped. Before, lines are written as blocks arrive, and state a reason only if the response happened to be over.
 */
const STATES_REASON = [2, 1, 62];

/**
 * Notes whether the response before this one had ended without stating a reason. Something must have been sent to the
 * model since: a stream that broke is requested again at once, and its lines state no reason either.
 */
export function noteUnstatedEnd(id: string | null, state: ReaderState): void {
  const { stop } = state;
  if (stop === null || stop.reason !== null || !state.unanswered || id === state.voice.last) return;
  state.silentVersion = stop.version;
}

/**
 * Whether the response may be over with this line. A stated reason other than the end of a turn says that it goes on: a
 * call follows, or the client asks the model to continue. Without a reason that depends on what this release writes.
 */
export function mayBeOver(record: Native, reason: string | null, state: ReaderState): boolean {
  if (reason !== null || record["isAbortedMidStream"] === true) return false;
  const version = str(record["version"]);
  return !isSince(version, STATES_REASON) || version === state.silentVersion;
}
