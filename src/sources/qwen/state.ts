import type { SessionKind } from "../../format/record.ts";
import { Recent, RecentMap } from "../kit/recent.ts";

/** Everything that ruled the work last, so that only changes are written. */
export interface Ruling {
  version: string | null;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  approval: string | null;
}

/** The whole memory of the reader between two records. */
export interface ReaderState {
  /** The version met last: what comes without one is of it. */
  met: string;
  kind: SessionKind;
  /** A header was written to the log. */
  meta: boolean;
  ruling: Ruling;
  title: string | null;
  triggers: number;
  /** A subagent has been given its task. */
  tasked: boolean;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** A slash command that is about to be sent as the prompt it expands to. */
  command: string | null;
  /** The model has answered since the last thing it was sent. */
  responded: boolean;
  /** A compression was asked for, and the command that did is still to come. */
  compressed: boolean;
  uuids: Recent;
  /** Calls that were started → tool and, for edits, the file. */
  calls: RecentMap<[tool: string, path: string | null]>;
  durations: RecentMap<number>;
  /** Usage stated by telemetry and not yet repeated by a reply: the numbers → id of the response. */
  stated: RecentMap<string>;
  /** Subagent call → its role. */
  roles: RecentMap<string>;
  /** Parent of a trigger → the trigger's line: a rewind names the record it goes back to. */
  branches: RecentMap<number>;
}

const LIMITS = { uuids: 512, calls: 256, durations: 64, stated: 32, roles: 64, branches: 1024 };

export function freshState(kind: SessionKind): ReaderState {
  return {
    met: "unknown",
    kind,
    meta: false,
    ruling: { version: null, cwd: null, branch: null, model: null, approval: null },
    title: null,
    triggers: 0,
    tasked: false,
    own: false,
    command: null,
    responded: false,
    compressed: false,
    uuids: new Recent(LIMITS.uuids),
    calls: new RecentMap(LIMITS.calls),
    durations: new RecentMap(LIMITS.durations),
    stated: new RecentMap(LIMITS.stated),
    roles: new RecentMap(LIMITS.roles),
    branches: new RecentMap(LIMITS.branches),
  };
}
