import type { SessionAudit } from "../../views/audit-view.ts";
import type { ProjectNaming } from "../../views/projects/projects.ts";
import type { Recording } from "../../views/recorded.ts";
import type {
  AnswerRows,
  CallGlance,
  ReportRow,
  ReportRows,
  ReportSessionRow,
  SessionDetail,
  CallOutcomes,
  TurnRow,
  ViewRow,
  SettingsChange,
} from "../../views/rows.ts";
import type { SessionView } from "../../views/session-view.ts";
import { troubleOf } from "../../views/list-filter.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { UsageItem } from "../../views/usage-view.ts";
import type { Row } from "../../base/io/sqlite.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { addTo } from "../../base/maps.ts";
import type { OpenIndex } from "../open-index.ts";
import { parseRow } from "./damaged-index.ts";
import type { IndexStore } from "./index-store.ts";
import type { IndexQueries, KeyFilter } from "./queries.ts";
import { settingsIn } from "./turn-row.ts";
import { numberOrNull } from "./usage-rows.ts";
import { sessionKey } from "../../record/session-key.ts";

/** Calls below this value had trouble. */
const NO_TROUBLE = troubleOf({ status: "ok" });

/** The rows that reports are made from, read from the index: no session is assembled. */
export class IndexRows implements AnswerRows {
  readonly #index: OpenIndex;
  readonly #store: IndexStore;
  readonly #queries: IndexQueries;
  readonly #filter: KeyFilter;
  /** Null: all sessions of the index. */
  readonly #requested: ReadonlySet<string> | null;
  readonly #sessions = new Map<string, SessionView | null>();

  /** `isLeftOut`: sessions to leave out. */
  constructor(index: OpenIndex, filter: KeyFilter, isLeftOut?: (key: string) => boolean) {
    this.#index = index;
    this.#store = index.store;
    this.#queries = index.queries;
    this.#filter = filter;
    const keys = index.queries.keys(filter, isLeftOut !== undefined);
    this.#requested = isLeftOut ? new Set([...(keys ?? [])].filter((key) => !isLeftOut(key))) : keys;
  }

  /** The same rows with fewer sessions. */
  without(isLeftOut: (key: string) => boolean): IndexRows {
    return new IndexRows(this.#index, this.#filter, isLeftOut);
  }

  isRequested(key: string): boolean {
    return this.#requested?.has(key) !== false;
  }

  session(key: string): SessionView | null {
    let view = this.#sessions.get(key);
    if (view === undefined) {
      const row = this.#queries.isInScope(key) && this.#store.get("SELECT view FROM session WHERE key = ?", key);
      this.#sessions.set(key, (view = row ? this.#queries.sessionFrom(key, row["view"]) : null));
    }
    return view;
  }

  shortId(key: string): string {
    return this.#queries.shortId(key);
  }

  detail(key: string): SessionDetail {
    const row = this.#store.get("SELECT files, diagnostics FROM session_detail WHERE session = ?", key);
    return {
      files: parseRow(row?.["files"] ?? "[]") as SessionDetail["files"],
      diagnostics: parseRow(row?.["diagnostics"] ?? "[]") as SessionDetail["diagnostics"],
    };
  }

  audit(key: string): SessionAudit | null {
    const row = this.#store.get("SELECT view FROM audit WHERE session = ?", key);
    return row ? (parseRow(row["view"]) as SessionAudit) : null;
  }

  turnsIn(range: TimeRange): TurnRow[] {
    return this.#queries
      .turnsIn({ ...this.#filter, range })
      .filter(({ key }) => this.isRequested(String(key)))
      .map(rowOf);
  }

  reported(listed: readonly TurnRow[]): ReportRows {
    const calls = this.#callsOf(listed);
    const turns = this.viewed(listed).map((turn): ReportRow => {
      return { ...turn, calls: callsFrom(calls.get(turn.session)?.get(turn.ref) ?? []) };
    });
    const named = turns.flatMap(({ session, below, view }) => [
      session,
      ...below,
      ...(view.children ?? []).map(sessionKey),
    ]);
    const sessions = [...new Set(named)].map((key): [string, ReportSessionRow] => {
      const view = this.session(key);
      return [key, { view, files: this.detail(key).files, expected_exit: view ? this.#expectedExits(key) : 0 }];
    });
    return { turns, sessions: new Map(sessions) };
  }

  /** The calls of turns in order, by session and turn; with their views where they had trouble. */
  #callsOf(turns: readonly TurnRow[]): Map<string, Map<string, Row[]>> {
    const refs = refsBySession(turns);
    const sql = `SELECT turn, status, trouble, CASE WHEN trouble < ? THEN view END AS view FROM call
       WHERE session = ? AND turn IN (SELECT value FROM json_each(?)) AND top = 1 ORDER BY n`;
    const calls = [...refs].map(([session, own]): [string, Map<string, Row[]>] => {
      const byTurn = new Map(own.map((ref): [string, Row[]] => [ref, []]));
      for (const row of this.#store.all(sql, NO_TROUBLE, session, JSON.stringify(own)))
        byTurn.get(String(row["turn"]))?.push(row);
      return [session, byTurn];
    });
    return new Map(calls);
  }

  #expectedExits(key: string): number {
    const sql = "SELECT count(*) AS n FROM call WHERE session = ? AND top = 1 AND status = 'failed' AND trouble = ?";
    return Number(this.#store.get(sql, key, NO_TROUBLE)?.["n"] ?? 0);
  }

  untimed(): { session: string; turns: number }[] {
    const rows = this.#store.all("SELECT session, count(*) AS n FROM turn WHERE time IS NULL GROUP BY session");
    return rows
      .map((row) => ({ session: String(row["session"]), turns: Number(row["n"]) }))
      .filter(({ session }) => this.isRequested(session) && this.#queries.isInScope(session));
  }

  turn(key: string, ref: string): ViewRow | null {
    const sql = `SELECT t.session AS key, t.ref, t.time, s.project, s.project_key FROM turn t JOIN session s ON s.key = t.session
       WHERE t.session = ? AND t.ref = ?`;
    const row = this.#store.get(sql, key, ref);
    return (row && this.viewed([rowOf(row)])[0]) ?? null;
  }

  viewed(turns: readonly TurnRow[]): ViewRow[] {
    const sql = "SELECT ref, view, below FROM turn WHERE session = ? AND ref IN (SELECT value FROM json_each(?))";
    const rows = new Map<string, ReadonlyMap<string, Row>>();
    for (const [session, refs] of refsBySession(turns)) {
      const own = this.#store.all(sql, session, JSON.stringify(refs));
      rows.set(session, new Map(own.map((row) => [String(row["ref"]), row])));
    }
    return turns.map((turn) => {
      const { view, below = null } = rows.get(turn.session)?.get(turn.ref) ?? {};
      const keys = below === null ? [] : (parseRow(below) as string[]);
      return {
        ...turn,
        view: this.#queries.turnFrom(turn.session, turn.ref, view),
        below: keys.filter((key) => this.#queries.isInScope(key)),
      };
    });
  }

  settings(key: string): (ref: string) => Required<SettingsChange> {
    return settingsIn(this.#store, key);
  }

  callGlance(key: string, ref: string): CallGlance {
    const sql = "SELECT name, status, trouble, top FROM call WHERE session = ? AND turn = ? ORDER BY n";
    const rows = this.#store.all(sql, key, ref);
    return {
      names: new Set(rows.map(({ name }) => String(name))),
      fails: isFailure(rows.findLast(({ top }) => Number(top) === 1)),
    };
  }

  usage(range: TimeRange): UsageItem[] {
    const { marked } = this.#filter;
    const all = this.#queries.usage({ range }, { group: "turn", by: "trigger", timed: true });
    if (!marked) return all;
    // If only some turns of a session were asked for, what its other turns spent is not part of the answer.
    const isMeant = ({ session, owner }: UsageItem): boolean =>
      session === null ||
      !marked.partialSessions.has(sessionKey(session)) ||
      (owner !== null && marked.turns.has(owner.name));
    return all.filter(isMeant);
  }

  workTimes(): { first: number | null; newest: number | null } {
    return this.#queries.workTimes(this.#filter);
  }

  sessionsWithQuestions(range: TimeRange): string[] {
    return this.#queries.sessionsWithQuestions(range).filter((key) => this.isRequested(key));
  }

  recordedSession(key: string): Recording | null {
    const session = this.session(key);
    return session && this.#index.recordedSession(session);
  }

  namings(): ProjectNaming[] {
    return this.#queries.namings();
  }
}

function rowOf({ key, ref, time, project, project_key }: Row): TurnRow {
  return {
    session: String(key),
    ref: String(ref),
    time: numberOrNull(time),
    project: String(project),
    project_key: String(project_key),
  };
}

function refsBySession(turns: readonly TurnRow[]): Map<string, string[]> {
  const refs = new Map<string, string[]>();
  for (const { session, ref } of turns) addTo(refs, session, ref);
  return refs;
}

function callsFrom(rows: readonly Row[]): CallOutcomes {
  return {
    expected_exit: rows.filter(isExpected).length,
    problems: rows.flatMap(({ view }) => (view === null ? [] : [parseRow(view) as ToolView])),
    fails: isFailure(rows.at(-1)),
  };
}

function isFailure(row: Row | undefined): boolean {
  return row?.["status"] === "failed" && !isExpected(row);
}

/** It failed with an exit code that is an ordinary result. */
function isExpected({ status, trouble }: Row): boolean {
  return status === "failed" && trouble === NO_TROUBLE;
}
