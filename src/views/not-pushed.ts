import type { Level } from "./push-level.ts";
import type { SessionView } from "./session-view.ts";
import type { ToolView } from "./tool-view.ts";
import type { TurnView } from "./turn-view.ts";

/** Why fields of an answer from a team store are null: they were not pushed, or were removed since. */
export interface NotPushed {
  /** The level that was pushed, or what is left of it. */
  level: Level;
  /** Set when data was, or may have been, pushed and then removed by retention. */
  removed_before?: RemovedDays;
  /** Fields whose value is not known: null, or a name that only the store uses. */
  fields: string[];
}

/** The first days whose data is still complete in the store; null where nothing is ever removed. */
export interface RemovedDays {
  /** Requests, replies, titles, paths, inputs and outputs of calls. */
  texts: string | null;
  /** Calls and individual responses. */
  calls: string | null;
  turns: string | null;
}

/** `T` with these fields not null. */
export type Known<T, Field extends keyof T> = Omit<T, Field> & { [Name in Field]: NonNullable<T[Name]> };

/** The views of what is in files or a book here: what only a team store may lack is never null. */
export interface ReadViews {
  session: Known<SessionView, "session_path" | "session_paths" | "title_source" | "diagnostics">;
  turn: Known<
    TurnView,
    "session_path" | "start_line" | "end_line" | "final_text" | "children" | "files" | "decisions"
  > & { trigger: Known<TurnView["trigger"], "line" | "text" | "entry" | "reason" | "attachments"> };
  call: Known<ToolView, "session_path" | "call_id" | "name" | "start_line" | "risks">;
}
