import { choosesMarks, type MarkChoice } from "../answers/marks.ts";
import type { ReadOptions } from "../reading/read-file.ts";
import type { Redactor } from "../redact/redact.ts";
import type { SpanInput } from "../report/window.ts";
import type { RangeInput } from "../time/range.ts";
import type { UsageQuery } from "../answers/usage-view.ts";
import type { OpenOptions } from "../reading/library.ts";
import type { GivenDemand } from "../store/tables/given-demand.ts";
import type { GivenRows } from "../store/tables/given-rows.ts";
import type { Progress } from "../reading/pool.ts";

export interface DaybookOptions extends OpenOptions {
  /** Answers come from what is in the book: only `sync` and `watch` look for changes. */
  noSync?: boolean;
  onProgress?: Progress;
  /** Hears in one line what a person should know: that the book is being written by another, what had to be mended. */
  onNote?: (text: string) => void;
  /** IANA zone for days; the system's when absent. */
  timezone?: string;
  /** The clock in ms, for `today` and `28d`, or one moment; the system's when absent. */
  now?: number | (() => number);
  /** What is hidden in answers; secrets of well-known kinds when absent. */
  redactor?: Redactor;
  /** Where the book and the index live. Without it nothing is kept: every answer is read from the native files. */
  book?: string | undefined;
  /**
   * Syncs run in a process of their own, so that whoever asks meanwhile is answered at once: for programs that live long. Sources that
   * were registered are only known here, and are read here.
   */
  inBackground?: boolean;
  /**
   * Answers come from what another store holds, and from no file here. Asked for what a question needs and was not asked for yet, by `watch`
   * whenever it is in another state, and by every search.
   */
  given?: (<T>(work: (rows: GivenRows) => Promise<T>, about: GivenDemand) => Promise<T>) | undefined;
  /** All of that store is asked for at once, whatever the first question needs: for programs that are asked much. */
  givenWhole?: boolean;
  /** Directory → name of the project all in it belongs to, whatever is recorded or on disk. */
  projects?: Readonly<Record<string, string>>;
  /**
   * Of how many bytes, before anything is in the book, answers come from the files themselves: sooner than the book is made.
   */
  answerFirst?: { least: number; most: number };
  /** Where more bytes than these are new, a report reads the files that may hold its days, and leaves the others to the next sync. */
  readFirst?: number;
  /** Runs what a question waits for, so that it can be stopped; whoever stops it throws. */
  stoppable?: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Bytes: less is in the book within a second. */
export const MUCH = 64_000_000;

export interface Query extends RangeInput, MarkChoice {
  project?: string | undefined;
  session?: string | undefined;
  limit?: number | undefined;
}

/** What chooses among sessions, whatever their days. */
export type SessionChoice = Pick<Query, "project" | "session" | "label" | "starred" | "noted">;

/** Which days, and whether secrets are shown. */
export interface ReportQuery extends Query, SpanInput {
  /** False shows what looks like a secret; the default hides it. */
  redact?: boolean | undefined;
}

export interface BlameQuery extends Pick<ReportQuery, "redact"> {
  /** Where paths begin; the process's own directory when absent. */
  cwd?: string | undefined;
  /** A commit, or a name of one; absent: the file as it is. */
  revision?: string | undefined;
}

export interface HandoffQuery extends Pick<ReportQuery, "redact"> {
  /** The agent it is for, by its id. */
  to?: string | undefined;
  /** In tokens, about. */
  budget?: number | undefined;
}

/** How much of the files each kind of question needs. */
export const USAGE: ReadOptions = { detail: "usage", ledger: false, toolDetail: false, withoutTraces: true };
export const LEAN: ReadOptions = { detail: "lean", ledger: false, toolDetail: false };
export const FULL: ReadOptions = { detail: "full", ledger: false, toolDetail: false };
export const TOOLS: ReadOptions = { detail: "full", ledger: false, toolDetail: true };

/** Sums over days and models of everything: no turn, session or project is asked for. */
export function isBroad(query: Query & Pick<UsageQuery, "group" | "by" | "instances">): boolean {
  const narrow =
    query.project !== undefined || query.session !== undefined || query.instances === true || choosesMarks(query);
  return !narrow && query.by === "spent" && query.group !== "turn" && query.group !== "session";
}

export function cut<T>(list: T[], limit: number | undefined): T[] {
  return limit === undefined ? list : list.slice(0, limit);
}
