import type { SessionKind } from "../../format/record.ts";
import { freshChain } from "../kit/chain.ts";
import { Recent, RecentMap } from "../kit/recent.ts";
import { freshParked, type WindowedState } from "../kit/windows.ts";

/** The last settings reported, so that only changes are written. */
export interface Settings {
  version: string | null;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  approval: string | null;
}

/** What the reader remembers of one window of the session. */
export interface WindowState {
  ruling: Settings;
  /** A slash command whose expanded prompt is in one of the next records. */
  command: string | null;
  /** The model has answered since it was last sent something. */
  responded: boolean;
  /** A manual compression was recorded, and the command that requested it has not been read yet. */
  compressed: boolean;
}

/** The complete state of the reader between two records. */
export interface ReaderState extends WindowState, WindowedState<WindowState> {
  /** The last version stated; records without one are attributed to it. */
  met: string;
  kind: SessionKind;
  /** A header was written to the log. */
  meta: boolean;
  title: string | null;
  triggers: number;
  /** The subagent's task was read. */
  tasked: boolean;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  uuids: Recent;
  /** Started calls → tool and, for edits, the file. */
  calls: RecentMap<[tool: string, path: string | null]>;
  durations: RecentMap<number>;
  /** Usage stated by telemetry and not yet repeated by a reply: its numbers → response id. */
  stated: RecentMap<string>;
  /** Subagent call → its role. */
  roles: RecentMap<string>;
}

const LIMITS = { uuids: 512, calls: 256, durations: 64, stated: 32, roles: 64 };

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
    parked: freshParked(),
    ...freshChain(),
  };
}
