import { auditSession } from "../answers/audit-view.ts";
import { callGlance, sessionDetail, settingsByTurn, turnCalls, turnDetails } from "../answers/details.ts";
import { inRange } from "../answers/filter.ts";
import type { PriceTable } from "../answers/pricing/price-table.ts";
import type { Project } from "../answers/projects/project.ts";
import type { ProjectNaming } from "../answers/projects/projects.ts";
import type { RecordedSession } from "../answers/recorded.ts";
import type {
  AnswerRows,
  CallGlance,
  SettingsInForce,
  SessionDetail,
  TurnCalls,
  TurnDetail,
  TurnRow,
} from "../answers/rows.ts";
import type { StatedTitle } from "../answers/title.ts";
import { sessionView, type SessionView } from "../answers/session-view.ts";
import { turnView, type TurnView } from "../answers/turn-view.ts";
import { itemsOf, type UsageItem } from "../answers/usage-view.ts";
import type { SessionAudit } from "../answers/audit-view.ts";
import { within, type TimeRange } from "../time/range.ts";
import { turnIndexOf, type Session, type Turn } from "../turns/session.ts";
import { fileEntries } from "./file-entries.ts";
import { sessionKey } from "../format/session-key.ts";

/** Names of sessions and of their projects. */
export interface SessionNames {
  projectOf: (session: Session) => Project;
  titleOf: (session: Session) => StatedTitle | null;
  namingsOf: (sessions: readonly Session[]) => Iterable<ProjectNaming>;
}

/** The rows that an index would have of these sessions, each computed on demand. */
export class SessionRows implements AnswerRows {
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #requested: ReadonlySet<string>;
  readonly #names: SessionNames;
  readonly #prices: PriceTable;
  readonly #details = new Map<string, TurnDetail[]>();
  readonly #viewsByKey = new Map<string, SessionView>();
  readonly #views = new Map<Turn, TurnView>();

  /** `meant`: the sessions that were asked for. */
  constructor(sessions: readonly Session[], meant: readonly Session[], names: SessionNames, prices: PriceTable) {
    this.#sessions = new Map(sessions.map((session) => [sessionKey(session), session]));
    this.#requested = new Set(meant.map(sessionKey));
    this.#names = names;
    this.#prices = prices;
  }

  /** The same rows with fewer sessions asked for. */
  without(isLeftOut: (key: string) => boolean): SessionRows {
    const meant = this.#requestedSessions().filter((session) => !isLeftOut(sessionKey(session)));
    return new SessionRows([...this.#sessions.values()], meant, this.#names, this.#prices);
  }

  isRequested(key: string): boolean {
    return this.#requested.has(key);
  }

  session(key: string): SessionView | null {
    const session = this.#sessions.get(key);
    if (!session) return null;
    let view = this.#viewsByKey.get(key);
    if (!view) {
      const [project, title] = [this.#names.projectOf(session), this.#names.titleOf(session)];
      this.#viewsByKey.set(key, (view = sessionView(session, project, title, this.#prices)));
    }
    return view;
  }

  detail(key: string): SessionDetail {
    const session = this.#sessions.get(key);
    return session ? sessionDetail(session) : { files: [], diagnostics: [] };
  }

  audit(key: string): SessionAudit | null {
    const session = this.#sessions.get(key);
    return session ? auditSession(session) : null;
  }

  turnsIn(range: TimeRange): TurnRow[] {
    return this.#requestedSessions()
      .flatMap((session) => session.turns.filter(({ draft }) => within(range, draft.trigger.time)))
      .map((turn) => this.#row(turn))
      .toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0));
  }

  untimed(): { session: string; turns: number }[] {
    return this.#requestedSessions().flatMap((session) => {
      const turns = session.turns.filter(({ draft }) => draft.trigger.time === null).length;
      return turns === 0 ? [] : [{ session: sessionKey(session), turns }];
    });
  }

  turn(key: string, ref: string): TurnRow | null {
    const turn = this.#turn(key, ref);
    return turn ? this.#row(turn) : null;
  }

  descendants(key: string, ref: string): readonly string[] {
    return this.#detailsOf(key)[turnIndexOf(ref)]?.below ?? [];
  }

  settings(key: string): (ref: string) => SettingsInForce {
    return settingsByTurn(
      this.#detailsOf(key).flatMap(({ settings }, place) => (settings ? [[place, settings] as const] : [])),
    );
  }

  calls(key: string, ref: string): TurnCalls {
    const turn = this.#turn(key, ref);
    return turn ? turnCalls(turn.session, turn.calls) : { expected_exit: 0, problems: [], fails: false };
  }

  callGlance(key: string, ref: string): CallGlance {
    const turn = this.#turn(key, ref);
    return turn ? callGlance(turn.session, turn.calls) : { names: new Set(), fails: false };
  }

  expectedExits(key: string): number {
    const session = this.#sessions.get(key);
    return session ? turnCalls(session, session.tools).expected_exit : 0;
  }

  usage(): Iterable<UsageItem> {
    return itemsOf([...this.#sessions.values()]);
  }

  workTimes(): { first: number | null; newest: number | null } {
    const times = this.#requestedSessions().flatMap(({ turns }) =>
      turns.flatMap(({ draft }) => draft.trigger.time ?? []),
    );
    return {
      first: times.reduce<number | null>((min, time) => (min === null || time < min ? time : min), null),
      newest: times.reduce<number | null>((max, time) => (max === null || time > max ? time : max), null),
    };
  }

  sessionsWithQuestions(range: TimeRange): string[] {
    return this.#requestedSessions()
      .filter((session) => inRange(session, range) && session.parts.some((part) => part.questions.length > 0))
      .map(sessionKey);
  }

  recordedSession(key: string): RecordedSession | null {
    const session = this.#sessions.get(key);
    if (!session) return null;
    const { source, session_id, meta } = session;
    const parts = session.parts.map((part) => ({
      path: part.path,
      entries: () => fileEntries(part),
      turns: session.turns.filter((turn) => turn.part === part).map((turn) => ({ ...turn, lines: turn.draft.lines })),
    }));
    return { source, session_id, cwd: meta.cwd, kind: meta.kind, parts };
  }

  namings(): Iterable<ProjectNaming> {
    return this.#names.namingsOf([...this.#sessions.values()]);
  }

  #requestedSessions(): Session[] {
    return [...this.#sessions].flatMap(([key, session]) => (this.#requested.has(key) ? [session] : []));
  }

  #turn(key: string, ref: string): Turn | null {
    return this.#sessions.get(key)?.turns[turnIndexOf(ref)] ?? null;
  }

  #row(turn: Turn): TurnRow {
    const { session, ref, draft } = turn;
    const project = this.#names.projectOf(session);
    const view = (): TurnView => {
      let known = this.#views.get(turn);
      if (!known) this.#views.set(turn, (known = turnView(turn, project, this.#prices)));
      return known;
    };
    return { session: sessionKey(session), ref, time: draft.trigger.time, ...project, view };
  }

  #detailsOf(key: string): TurnDetail[] {
    let details = this.#details.get(key);
    const session = this.#sessions.get(key);
    if (!details) this.#details.set(key, (details = session ? turnDetails(session).map(([, detail]) => detail) : []));
    return details;
  }
}
