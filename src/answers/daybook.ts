import { DaybookError } from "../base/errors.ts";
import type { AuditReport } from "../views/audit-view.ts";
import type { UsageBlock } from "../views/blocks.ts";
import type { ChangedFile } from "../views/list-rows.ts";
import type { CommandCount } from "../views/command-counts.ts";
import type { DecisionView } from "../views/decision-view.ts";
import type { LimitView } from "../views/limit-view.ts";
import type { LostPrompt } from "../views/lost-view.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { UsageReport } from "../views/usage-view.ts";
import type { CommitView, FileView } from "./blame/file-view.ts";
import type { BlameView } from "./blame/view.ts";
import type { AgentTrace } from "./agent-trace.ts";
import { noBookForMarksError } from "./answer-context.ts";
import type { BookHealth, DoctorAnswer } from "./doctor.ts";
import type { Freshness } from "./current-snapshot.ts";
import { Engine } from "./engine.ts";
import type { Exported, ExportVisitor, ExportedWhole } from "./exporting.ts";
import { noSessionError } from "./find.ts";
import { forgetPlan, forgottenViews, type ForgetPlan, type ForgetQuery, type ForgottenView } from "./forgetting.ts";
import { Inside } from "./inside.ts";
import { resolveMarkPlace, wishesOf, type LabelCount, type MarkDemand, type MarkedView } from "./marking.ts";
import type {
  BlameQuery,
  DaybookOptions,
  HandoffQuery,
  PlainDaybookOptions,
  Query,
  ReportQuery,
  WorkChoice,
} from "./questions.ts";
import type { RecallOptions, TextQuery } from "./texts.ts";
import type { IndexedText, NumberedAnswer, ReportedFacts, StoredContents, BookStamps } from "./session-contents.ts";
import type { ChangeStamp } from "../index/tables/queries.ts";
import { sessions as sessionsIn } from "./lists.ts";
import type { Changes, WatchOptions } from "./watch.ts";
import type { LogRecord } from "../record/record.ts";
import { sessionKey } from "../record/session-key.ts";
import { doctor, labels, marked } from "./questions/book.ts";
import { blame, commits, file } from "./questions/code.ts";
import { audit, context, decisions, lost, report } from "./questions/days.ts";
import { commands, files, sessions, tools, turns } from "./questions/lists.ts";
import { explain, find, handoff, resume } from "./questions/one-session.ts";
import { askQuestion, type Asked } from "./questions/question.ts";
import { recall, search } from "./questions/texts.ts";
import { blocks, limits, usage } from "./questions/usage.ts";
import { QUESTIONS, type AnswerTo, type QueryFor, type QuestionName } from "./questions/table.ts";
import type { Explanation } from "../book/reading/explain.ts";
import { logRecords } from "../book/reading/records.ts";
import type { ResumeView } from "../book/reading/resume.ts";
import { sourceIds } from "../book/reading/source-ids.ts";
import type { Validation } from "../book/reading/validate.ts";
import { Redactor } from "../base/redact/redact.ts";
import type { FoundTarget } from "./find.ts";
import type { ContextView } from "./report/context-view.ts";
import type { Handoff } from "./report/handoff/model.ts";
import type { DayReport } from "./report/model.ts";
import type { Diagnostic } from "../agents/contract.ts";
import { changeMarks } from "../index/marks/change-marks.ts";
import type { RecallAnswer } from "../index/search/recall/model.ts";
import type { SearchResult } from "../index/search/search.ts";
import type { VectorCount, VectorDemand } from "../index/search/vectors/vectors.ts";
import { allowSession, forgetSessions } from "../index/sync/forget.ts";
import type { SyncDemand, SyncReport } from "../index/sync/sync.ts";
import type { WatchedChange } from "../index/tables/changes.ts";
import { parseDay } from "../base/time/range.ts";
import type { Zone } from "../base/time/zone.ts";

export type { AnswerTo, QueryFor, QuestionName, Questions } from "./questions/table.ts";
export type { Inside };
export type { VectorCount, VectorDemand };

export { LockedError } from "../record/write-lock.ts";
export { DamagedIndex } from "../index/tables/damaged-index.ts";
export { SEARCH_KINDS, type DocKind, type SearchKind } from "../index/search/text-kinds.ts";
export { sourceIds };
export { questionHooks } from "../agents/traits.ts";
export {
  isAgentShell,
  mcpCallers,
  mcpInstallable,
  mcpServerList,
  mcpSource,
  mcpStarter,
  sessionVariables,
} from "../book/reading/source-ids.ts";
export type { InstructionPlace, InstructionPlaces, SearchFound, SearchResult } from "../index/search/search.ts";
export type {
  RecallAnswer,
  RecallEmbeddings,
  RecallField,
  RecallLikeness,
  RecallMatch,
  RecallResult,
} from "../index/search/recall/model.ts";
export { includesList, REMOTE_LISTS, type RemoteDemand, type RemoteList } from "../index/tables/remote-demand.ts";
export type { RemoteCall, RemoteFacts, RemoteRows, RemoteSum, RemoteText } from "../index/tables/remote-rows.ts";
export type { TextCounts } from "../index/words/match.ts";
export type { Snippet } from "../index/search/snippet.ts";
export type { DamagedPage } from "../index/sync/rebuild.ts";
export type { DoctorReport, Probed, SourceHealth } from "../book/reading/doctor.ts";
export type { Explanation } from "../book/reading/explain.ts";
export type { RecordOutline } from "../book/reading/session-outline.ts";
export type { EmbeddingSettings } from "../index/search/vectors/embedder.ts";
export type { Progress } from "../book/reading/pool.ts";
export type { Validation, ValidationProblem } from "../book/reading/validate.ts";
export type { NewerVersion } from "../book/reading/versions.ts";
export type {
  AgentTrace,
  BlameQuery,
  BlameView,
  BookHealth,
  DoctorAnswer,
  CommitView,
  FileView,
  Changes,
  DaybookOptions,
  Exported,
  ExportVisitor,
  ForgetPlan,
  ForgetQuery,
  ForgottenView,
  Freshness,
  Handoff,
  HandoffQuery,
  LabelCount,
  MarkDemand,
  MarkedView,
  Query,
  RecallOptions,
  ReportQuery,
  ResumeView,
  WatchedChange,
  IndexedText,
  NumberedAnswer,
  PlainDaybookOptions,
  ReportedFacts,
  WorkChoice,
  StoredContents,
  ChangeStamp,
  BookStamps,
  SyncDemand,
  SyncReport,
  TextQuery,
  WatchOptions,
  ExportedWhole,
};

/** How long a change of the book waits for another process that holds the write lock, in ms. */
const LOCK_WAIT_MS = 5000;

let insideOf: (daybook: Daybook) => Inside;

/**
 * Everything that can be asked of coding agents' sessions, for one question or for days. Every question is answered
 * from one consistent snapshot, even while a sync writes; `sync` and `watch` move on to the next snapshot.
 */
export class Daybook {
  readonly #engine: Engine;
  readonly #inside: Inside;

  static {
    insideOf = (daybook) => daybook.#inside;
  }

  constructor(options: DaybookOptions = {}) {
    this.#engine = new Engine(options);
    this.#inside = new Inside(this.#engine);
  }

  /** The time zone of days. */
  get zone(): Zone {
    return this.#engine.zone;
  }

  /** Hides secrets in what is printed or written. */
  get redactor(): Redactor {
    return this.#engine.redactor;
  }

  /** The time questions are asked at, in ms. */
  get now(): number {
    return this.#engine.now;
  }

  /** Asks any question by its name; each of the methods below asks one of them. */
  async ask<Name extends QuestionName>(name: Name, query: QueryFor<Name>): Promise<AnswerTo<Name>> {
    return this.#ask<QueryFor<Name>, AnswerTo<Name>>(QUESTIONS[name], query);
  }

  async #ask<Query, Answer>(question: Asked<Query, Answer>, query: Query): Promise<Answer> {
    return askQuestion(this.#engine, question, query);
  }

  /** Sessions, newest first. */
  async sessions(query: QueryFor<"sessions"> = {}): Promise<SessionView[]> {
    return this.#ask(sessions, query);
  }

  /** Turns: what was asked and what came of it, in order of time; with a limit, the newest. */
  async turns(query: QueryFor<"turns"> = {}): Promise<TurnView[]> {
    return this.#ask(turns, query);
  }

  /** Tool calls and how they ended. */
  async tools(query: QueryFor<"tools"> = {}): Promise<ToolView[]> {
    return this.#ask(tools, query);
  }

  /** Tool calls counted by the command that was run. */
  async commands(query: QueryFor<"commands"> = {}): Promise<CommandCount[]> {
    return this.#ask(commands, query);
  }

  /** Files changed by turns, last changed first, and their total number ignoring `offset` and `limit`. */
  async files(query: QueryFor<"files"> = {}): Promise<{ files: ChangedFile[]; total: number }> {
    return this.#ask(files, query);
  }

  /** Tokens and cost, each token counted once. */
  async usage(query: QueryFor<"usage">): Promise<UsageReport> {
    return this.#ask(usage, query);
  }

  /** Blocks of hours as providers count their limits, with the rate of the running one. */
  async blocks(query: QueryFor<"blocks">): Promise<UsageBlock[]> {
    return this.#ask(blocks, query);
  }

  /** The rate limits each agent recorded last, newest first. */
  async limits(): Promise<LimitView[]> {
    return this.#ask(limits, {});
  }

  /** The report of a day, a week or any span of days; the newest day with work when none is named. */
  async report(query: QueryFor<"report"> = {}): Promise<DayReport> {
    return this.#ask(report, query);
  }

  /** The settings of each turn (instructions, model, approval, sandbox, place), and where they changed. */
  async context(query: QueryFor<"context"> = {}): Promise<ContextView[]> {
    return this.#ask(context, query);
  }

  /** The questions agents asked the human, in order of time; with a limit, the newest. */
  async decisions(query: QueryFor<"decisions"> = {}): Promise<DecisionView[]> {
    return this.#ask(decisions, query);
  }

  /** Prompts that only an agent's input history has, newest first. */
  async lost(query: QueryFor<"lost"> = {}): Promise<LostPrompt[]> {
    return this.#ask(lost, query);
  }

  /** Audits every session that is partly within the span, as a whole. */
  async audit(query: QueryFor<"audit"> = {}): Promise<AuditReport> {
    return this.#ask(audit, query);
  }

  /** Full-text search: the best matches, 20 by default. */
  async search(words: string, query: Omit<QueryFor<"search">, "words"> = {}): Promise<SearchResult[]> {
    return (await this.#ask(search, { isCounted: false, ...query, words })).results;
  }

  /** The turns that best answer a question in any words, five by default; `answered` says whether any of them does. */
  async recall(question: string, options: Omit<QueryFor<"recall">, "question"> = {}): Promise<RecallAnswer> {
    return this.#ask(recall, { ...options, question });
  }

  /**
   * Makes the vectors that turns lack, for `recall` with `embeddings`, until all have them or the signal stops it. Null
   * without a model or a book, or while another process makes them.
   */
  async makeVectors(how: VectorDemand = {}): Promise<VectorCount | null> {
    return this.#inside.makeVectors(how);
  }

  /** A session, with the turn and the lines that the target names: `SESSION[/TURN][:LINE[-LINE]]`, as answers cite. */
  async find(target: string): Promise<FoundTarget> {
    return this.#ask(find, { target });
  }

  /** The records of one session, of one of its turns or of the cited lines, as canonical log records. */
  async *records(target: string): AsyncGenerator<LogRecord, void, undefined> {
    const { session, turn, lines } = await this.find(target);
    for (const record of logRecords(session)) {
      const line = record.origin.line ?? record.origin.row ?? 0;
      if (lines !== null && (line < lines[0] || line > lines[1])) continue;
      if (turn === null || record.turn_id === turn.ref) yield record;
    }
  }

  /** How one native line was understood, and why: `SESSION:LINE`. */
  async explain(target: string): Promise<Explanation[]> {
    return this.#ask(explain, { target });
  }

  /** How the session's agent can resume it, or why it cannot. */
  async resume(target: string): Promise<ResumeView> {
    return this.#ask(resume, { target });
  }

  /** A brief from which another agent can continue; up to a turn if the target names one. */
  async handoff(target: string, query: HandoffQuery = {}): Promise<Handoff> {
    return this.#ask(handoff, { ...query, target });
  }

  /** Which request wrote each line of a file: `FILE[:LINE[-LINE]]`, relative to a directory. */
  async blame(target: string, query: BlameQuery = {}): Promise<BlameView> {
    return this.#ask(blame, { ...query, target });
  }

  /** The turns that touched a file, under any of its names, in order of time. */
  async file(path: string, query: Omit<QueryFor<"file">, "path"> = {}): Promise<FileView> {
    return this.#ask(file, { ...query, path });
  }

  /** The turns behind a commit, or each commit of a range: those that made it, and those that wrote its lines. */
  async commits(range: string, query: Omit<QueryFor<"commits">, "range"> = {}): Promise<CommitView[]> {
    return this.#ask(commits, { ...query, range });
  }

  /** Every marked session and turn; the most recently started sessions first. */
  async marked(query: QueryFor<"marked"> = {}): Promise<MarkedView[]> {
    return this.#ask(marked, query);
  }

  /** All labels, and the number of sessions and turns that have each. */
  async labels(query: QueryFor<"labels"> = {}): Promise<LabelCount[]> {
    return this.#ask(labels, query);
  }

  /** Sources, versions, format drift, the book, and what could not be read. */
  async doctor(): Promise<DoctorAnswer> {
    return this.#ask(doctor, {});
  }

  /** Problems so far: missing roots, unreadable files, foreign files. */
  async problems(): Promise<Diagnostic[]> {
    return this.#engine.snapshot.problems();
  }

  /** Reads what is new into the book and the index. Questions asked meanwhile are answered from the previous state. */
  async sync(how: SyncDemand = {}): Promise<SyncReport> {
    this.#engine.refuseStore("the agents' files");
    return this.#engine.current.sync(how);
  }

  /**
   * Follows the agents' files: looks for changes, reads them, and yields which sessions changed, including those read
   * by another process. Looking for changes reads no session file. A consumer that is slow gets all changes since its
   * last read in one batch.
   */
  watch(options: WatchOptions = {}): AsyncGenerator<Changes, void, undefined> {
    return this.#engine.current.watch(options);
  }

  /** Closes the index. The next question opens it again, after looking for changed files. */
  close(): void {
    this.#engine.close();
  }

  /**
   * Puts a star, labels or a note on a session (`SESSION`) or one of its turns (`SESSION/T0001`), or removes them,
   * and returns the resulting marks. Written to the book, never to the agents' files.
   */
  async mark(target: string, demand: MarkDemand): Promise<MarkedView> {
    const { options, current } = this.#engine;
    if (options.book === undefined) throw noBookForMarksError(options);
    const wishes = wishesOf(demand);
    const place = await this.#engine.ask(async (ctx) => resolveMarkPlace(ctx, target));
    if (demand.closed === true && place.turn === null)
      throw new DaybookError("a turn leaves something open, not a session", {
        code: "usage",
        op: "mark session",
        hint: "name the turn: SESSION/T0001",
      });
    const how = this.#writing(options.book);
    await current.oneAtATime(() => changeMarks(place, wishes, how));
    const [view] = await this.#inside.markedAt(target);
    if (!view) throw noSessionError(target);
    return view;
  }

  /**
   * What `forget` would remove from the book: the named sessions, those that ended before a day, those of a project,
   * with their sub-agents.
   */
  async forgetPlan(query: ForgetQuery): Promise<ForgetPlan> {
    const { sessions: wanted = [], before, project } = query;
    const { zone, now } = this.#engine;
    const named = new Set<SessionView>();
    const all = await this.sessions({ project, own: true });
    for (const session of wanted)
      for (const view of await this.sessions({ session }))
        for (const one of all) if (one.source === view.source && one.session_id === view.session_id) named.add(one);
    const end = before === undefined ? null : zone.startOfDay(parseDay(before, zone, now));
    const chosen = (wanted.length > 0 ? [...named] : all).filter(
      ({ ended_at }) => end === null || (ended_at !== null && Date.parse(ended_at) < end),
    );
    return this.#engine.ask(async (ctx) =>
      forgetPlan(chosen, await sessionsIn(ctx, { own: true }), ctx.snapshot.index?.store ?? null),
    );
  }

  /** Removes them for good: pages, rows and search index. The agents' files are left alone, and not read again. */
  async forget(plan: ForgetPlan): Promise<void> {
    const { options, current } = this.#engine;
    if (options.book === undefined)
      throw new DaybookError("there is no book to forget from", { code: "usage", op: "forget" });
    const keys = plan.sessions.map(sessionKey);
    this.close();
    const how = { ...this.#writing(options.book), naming: this.#engine.snapshot.naming };
    await current.oneAtATime(() => forgetSessions(keys, how));
  }

  /** Forgotten sessions, last forgotten first. */
  forgotten(): ForgottenView[] {
    const { snapshot } = this.#engine;
    return forgottenViews(snapshot.forgotten, snapshot.found());
  }

  /** Allows a forgotten session to be read again: with the next question, if its agent still has it. */
  async allow(wanted: string): Promise<ForgottenView> {
    const { book } = this.#engine.options;
    const meant = this.forgotten().filter(({ session_id }) => session_id.startsWith(wanted));
    const one = meant.find(({ session_id }) => session_id === wanted) ?? (meant.length === 1 ? meant[0] : undefined);
    if (!one || book === undefined)
      throw new DaybookError(`${meant.length === 0 ? "no" : "more than one"} forgotten session ${wanted}`, {
        code: "not_found",
        op: "allow",
        hint: "`daybook forget --list` lists them",
      });
    await allowSession(one, this.#writing(book));
    this.close();
    return one;
  }

  /** How the book is changed. */
  #writing(home: string): { home: string; patience: number; now: string } {
    return { home, patience: LOCK_WAIT_MS, now: new Date(this.now).toISOString() };
  }
}

/** What our own doors may ask of a Daybook, beyond what the library offers. */
export function inside(daybook: Daybook): Inside {
  return insideOf(daybook);
}

/** Answers from a book that another thread keeps up to date. */
export function fromPlain({ redaction, ...options }: PlainDaybookOptions): Daybook {
  return new Daybook({ ...options, redactor: new Redactor(redaction), noSync: true, inBackground: true });
}

/** Checks a canonical log or a native session file for unknown types, fields and versions, and unreadable lines. */
export async function validateFile(path: string): Promise<Validation> {
  // Imported here because the schema is large, and no other question needs it.
  const { validateFile: validate } = await import("../book/reading/validate.ts");
  return validate(path);
}
