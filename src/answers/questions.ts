import { hasMarkChoice, type MarkChoice } from "../views/marks.ts";
import type { OwnRules } from "../base/redact/own-rules.ts";
import type { Redactor } from "../base/redact/redact.ts";
import type { SpanInput } from "./report/window.ts";
import type { RangeInput } from "../base/time/range.ts";
import type { ListFilter, ListOrder } from "../views/list-filter.ts";
import type { UsageQuery } from "../views/usage-view.ts";
import type { OpenedSources, OpenOptions } from "../book/reading/library.ts";
import type { RemoteDemand } from "../index/tables/remote-demand.ts";
import type { RemoteRows } from "../index/tables/remote-rows.ts";
import type { EmbeddingSettings } from "../index/search/vectors/embedder.ts";
import type { ChosenSources } from "../index/tables/scope.ts";
import type { Progress } from "../book/reading/pool.ts";

export interface DaybookOptions extends OpenOptions {
  /** Answer from what is in the book: only `sync` and `watch` look for changes. */
  noSync?: boolean;
  /**
   * Look for changed files before the first question only: for programs that end soon. By default an answer contains
   * everything that was on disk two seconds before its question.
   */
  lookOnce?: boolean;
  onProgress?: Progress;
  /** Called with one-line notes for people: that another process is writing the book, or what was repaired. */
  onNote?: (text: string) => void;
  /**
   * The model that `recall` compares meanings with, besides words: an OpenAI-compatible endpoint, or an ONNX file. Needs
   * a book. Texts go there without secrets, and nowhere else.
   */
  embeddings?: EmbeddingSettings | undefined;
  /** IANA zone for days; the system's when absent. */
  timezone?: string;
  /** The clock in ms, for `today` and `28d`, or a fixed time; the system's clock when absent. */
  now?: number | (() => number);
  /** Hides secrets in answers; by default secrets of well-known kinds. */
  redactor?: Redactor;
  /** Where the book and the index live. Without it nothing is stored: every answer is read from the native files. */
  book?: string | undefined;
  /**
   * Run syncs in a process of their own, so that questions asked meanwhile are answered at once: for long-running
   * programs. Registered custom sources are known only in this process, and are read here.
   */
  inBackground?: boolean;
  /**
   * Answer from a team store, and from no file on this machine. Called when a question needs rows that were not
   * fetched yet, by `watch` whenever the state of the store changed, and by every search.
   */
  remote?: (<T>(work: (rows: RemoteRows) => Promise<T>, about: RemoteDemand) => Promise<T>) | undefined;
  /**
   * Fetch everything from that store at once, whatever the first question needs: for programs that are asked many
   * questions.
   */
  givenWhole?: boolean;
  /** Directory → name of the project that everything in it belongs to, whatever is recorded or on disk. */
  projects?: Readonly<Record<string, string>>;
  /**
   * If more bytes than this are new, a report reads only the files that may hold its days, and leaves the others to
   * the next sync.
   */
  readFirst?: number;
  /** Runs work that a question waits for with a signal that stops it; throws if it was stopped. */
  stoppable?: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** What another thread needs to answer from the same book, as data that can be sent to it. */
export interface PlainDaybookOptions extends Pick<
  DaybookOptions,
  "env" | "home" | "roots" | "configured" | "sources" | "projects" | "timezone" | "embeddings"
> {
  book: string;
  /** The user's own rules of redaction. */
  redaction: OwnRules;
  /** A fixed time; the system's clock when absent. */
  now?: number;
}

/** In bytes: less is read into the book within a second. */
export const MUCH = 64_000_000;

export interface Query extends RangeInput, MarkChoice {
  project?: string | undefined;
  session?: string | undefined;
  limit?: number | undefined;
  /** Lists of sessions, turns and calls include the sessions in which agents wrote narratives for Daybook. */
  own?: boolean | undefined;
}

/** What lists of sessions and of turns are asked with. */
export interface ListQuery extends Query, ListFilter, ListOrder {}

/** The part of a query that selects sessions regardless of days. */
export type WorkChoice = Pick<Query, "project" | "session" | "label" | "starred" | "noted">;

/** The days of a report, and whether secrets are shown. */
export interface ReportQuery extends Query, SpanInput {
  /** False shows values that look like secrets; by default they are hidden. */
  redact?: boolean | undefined;
}

export interface BlameQuery extends Pick<ReportQuery, "redact"> {
  /** The directory that paths are relative to; that of the process when absent. */
  cwd?: string | undefined;
  /** A commit or a ref; absent: the file as it is on disk. */
  revision?: string | undefined;
}

export interface HandoffQuery extends Pick<ReportQuery, "redact"> {
  /** The agent it is for, by its id. */
  to?: string | undefined;
  /** Approximate, in tokens. */
  budget?: number | undefined;
}

/** Sums over days or models of everything: not by turn, session or project. */
export function isBroad(query: Query & Pick<UsageQuery, "group" | "by" | "instances">): boolean {
  const narrow =
    query.project !== undefined || query.session !== undefined || query.instances === true || hasMarkChoice(query);
  return !narrow && query.by === "spent" && query.group !== "turn" && query.group !== "session";
}

/** The sources a user named; null if none. Finding their files is left out then: most questions need the index alone. */
export function chosenSources(
  { roots, sources }: Pick<DaybookOptions, "roots" | "sources">,
  opened: () => OpenedSources,
): ChosenSources | null {
  return roots === undefined && (sources ?? []).length === 0 ? null : { roots, opened: opened() };
}

export function cut<T>(list: T[], limit: number | undefined): T[] {
  return limit === undefined ? list : list.slice(0, limit);
}
