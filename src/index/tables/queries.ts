import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import type { StatedLimit } from "../../views/limit-view.ts";
import { statedLimit } from "./limit-rows.ts";
import { sessionByPrefix, shortId } from "./session-prefix.ts";
import {
  holdsText,
  inputHolds,
  troubleOf,
  type ListFilter,
  type ListOrder,
  type ToolChoice,
  type ToolOrder,
} from "../../views/list-filter.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { QUARTER, type Zone } from "../../base/time/zone.ts";
import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import type { SessionAudit } from "../../views/audit-view.ts";
import type { MarkFilter } from "../../views/marks.ts";
import type { SessionView } from "../../views/session-view.ts";
import { addCounts, type CommandCount } from "../../views/command-counts.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { ChangedFile, KindCount, ProjectWork, TurnGlance } from "../../views/list-rows.ts";
import type { TurnView } from "../../views/turn-view.ts";
import type { UsageItem } from "../../views/usage-view.ts";
import type { ProjectNaming } from "../../views/projects/projects.ts";
import { BookMarks } from "../marks/marks-file.ts";
import {
  caseSafePart,
  FIRST_REQUEST,
  SESSION_ORDER,
  sessionConditions,
  turnConditions,
  type Conditions,
} from "./list-conditions.ts";
import { localDay } from "./local-day.ts";
import { projectCondition } from "./project-names.ts";
import type { IndexStore } from "./index-store.ts";
import { changedFileRows, type ChangeWhere } from "./changed-file-rows.ts";
import { responseRows, usageGroups, type SumQuery } from "./usage-sums.ts";
import type { CountedResponse } from "../../views/response.ts";
import { SUM_COLUMNS, costOf, numberOrNull, spentTokens } from "./usage-rows.ts";
import type { JsonValue } from "../../base/redact/redact.ts";
import { groupBy } from "../../base/maps.ts";
import { parseRow } from "./damaged-index.ts";
import { keyOfSession, parseSessionKey, sessionKeySql } from "../../record/session-key.ts";

export interface IndexFilter extends ListOrder {
  project?: string | undefined;
  session?: string | undefined;
  /** One session by its exact key, without a lookup. */
  key?: string | undefined;
  /** Only sessions and turns with these marks. */
  marked?: MarkFilter | undefined;
  /** All but these, by their keys. */
  without?: ReadonlySet<string> | undefined;
  range: TimeRange;
  limit?: number | undefined;
  /** Filters of lists of sessions and of turns; no other question looks at them. */
  listed?: ListFilter | undefined;
}

/** A session of the book, with a number that changes whenever anything about it changes. */
export interface ChangeStamp {
  key: string;
  source: string;
  session_id: string;
  change: number;
}

/** The conditions that select sessions; the others select within them. */
export type KeyFilter = Pick<IndexFilter, "project" | "session" | "key" | "marked" | "without">;

/** Lists straight from the index: rows hold finished answers, and a query only selects among them. */
export class IndexQueries {
  readonly #store: IndexStore;
  /** Null: everything in the index is in scope. */
  readonly #scope: ReadonlySet<string> | null;
  /** Marks of sessions and turns, which are not part of the rows. */
  readonly #marks: BookMarks;

  constructor(store: IndexStore, scope: ReadonlySet<string> | null, marks: BookMarks = new BookMarks(undefined)) {
    this.#store = store;
    this.#scope = scope;
    this.#marks = marks;
  }

  /** A session's row as an answer: with its marks. */
  sessionFrom(key: string, view: unknown): SessionView {
    const marks = this.#marks.ofSession(key);
    const stored = parseRow(view) as SessionView;
    return marks ? { ...stored, marks } : stored;
  }

  turnFrom(key: string, ref: string, view: unknown): TurnView {
    const marks = this.#marks.ofTurn(key, ref);
    const stored = parseRow(view) as TurnView;
    return marks ? { ...stored, marks } : stored;
  }

  /** Runs several queries on the same state. */
  inSnapshot<T>(ask: () => T): T {
    return this.#store.snapshot(ask);
  }

  /** Each is parsed when the iterator reaches it. */
  sessions(filter: IndexFilter): Iterable<SessionView> {
    return parseRows(this.sessionTexts(filter).map(({ json }) => json));
  }

  /** Each as JSON. */
  sessionTexts(filter: IndexFilter): JsonValue[] {
    const { from, params, text } = this.#sessionsIn(filter);
    const { limit = Infinity, offset = 0 } = filter;
    const isWhole = this.#scope !== null || text !== undefined;
    const early = isWhole || (limit === Infinity && offset === 0) ? "" : ` LIMIT ${sqlLimit(limit)} OFFSET ${offset}`;
    const rows = this.#store.list(
      `SELECT s.key, s.view, s.secret${text === undefined ? "" : SESSION_TEXTS} ${from}
       ORDER BY ${SESSION_ORDER[filter.sort ?? "newest"]}${early}`,
      ...params,
    );
    const scope = this.#scope;
    const chosen = rows.filter(
      ([key, , , ...texts]) => (scope === null || scope.has(String(key))) && isSaid(texts, text),
    );
    return (early === "" ? chosen.slice(offset, offset + limit) : chosen).map(([key, view, secret]) =>
      this.#marks.ofSession(String(key)) === null
        ? { json: String(view), secret: secret !== 0 }
        : { json: JSON.stringify(this.sessionFrom(String(key), view)), secret: true },
    );
  }

  /** `text`: what rows must be checked for, in addition to the conditions. */
  #sessionsIn(filter: IndexFilter): { from: string; params: SqlValue[]; text: string | undefined } {
    const { sql, params } = this.#where(filter, "s");
    const listed = sessionConditions(filter.listed ?? {});
    const where = [sql, ...activeIn(filter.range), ...listed.where].filter((part) => part !== "").join(" AND ");
    const from = `FROM session s ${where === "" ? "" : `WHERE ${where}`}`;
    return { from, params: [...params, ...listed.params], text: filter.listed?.text };
  }

  countSessions(filter: IndexFilter): number {
    const { from, params, text } = this.#sessionsIn(filter);
    return this.#count(`s.key${text === undefined ? "" : SESSION_TEXTS}`, from, params, text);
  }

  countTurns(filter: IndexFilter): number {
    const { from, params, text } = this.#turnsOf(filter);
    return this.#count(`s.key${text === undefined ? "" : TURN_TEXTS}`, from, params, text);
  }

  /** Turns `t` of sessions `s`. */
  #turnsOf(filter: IndexFilter): Conditions & { from: string; text: string | undefined } {
    const { sql, params } = this.#where(filter, "s", TURN);
    const listed = turnConditions(filter.listed ?? {});
    const where = [sql, ...startedIn(filter.range), ...listed.where].filter((part) => part !== "");
    const from = `FROM turn t JOIN session s ON s.key = t.session ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}`;
    return { from, where, params: [...params, ...listed.params], text: filter.listed?.text };
  }

  countTools(filter: IndexFilter, choice: ToolChoice): number {
    const { from, params } = this.#callsIn(filter, choice, "call t");
    return this.#count("t.session", from, params);
  }

  /** The first column is the key of a session; the others are looked at for a text. */
  #count(columns: string, from: string, params: readonly SqlValue[], text?: string): number {
    const scope = this.#scope;
    if (scope === null && text === undefined)
      return Number(this.#store.get(`SELECT COUNT(*) AS n ${from}`, ...params)?.["n"]);
    const rows = this.#store.list(`SELECT ${columns} ${from}`, ...params);
    return rows.filter(([key, ...texts]) => (scope === null || scope.has(String(key))) && isSaid(texts, text)).length;
  }

  /** Number of sessions by agent and kind. */
  sessionKinds(without: ReadonlySet<string>): KindCount[] {
    const rows = this.#store.all("SELECT key, source, kind FROM session INDEXED BY session_counts");
    const meant = this.#inScope(rows, "key").filter(({ key }) => !without.has(String(key)));
    const kinds = groupBy(
      meant as unknown as Pick<SessionView, "source" | "kind">[],
      (one) => `${one.source} ${one.kind}`,
    );
    return [...kinds.values()].flatMap(([one, ...more]) =>
      one ? [{ source: one.source, kind: one.kind, sessions: more.length + 1 }] : [],
    );
  }

  projectNames(): string[] {
    return this.#store.list("SELECT DISTINCT project FROM session ORDER BY project").map(([name]) => String(name));
  }

  /** The first request of a session; null when it has none. */
  firstRequest({ source, session_id }: Pick<SessionView, "source" | "session_id">): string | null {
    const row = this.#store.get(
      "SELECT view FROM turn WHERE session = ? ORDER BY ref LIMIT 1",
      keyOfSession(source, session_id),
    );
    return row ? (parseRow(row["view"]) as TurnView).trigger.text : null;
  }

  turns(filter: IndexFilter): TurnView[] {
    return this.turnTexts(filter).map(({ json }) => parseRow(json) as TurnView);
  }

  /** Each as JSON. */
  turnTexts(filter: IndexFilter): JsonValue[] {
    // Same order as a direct read: by time, then by session and turn. A limit selects the newest.
    const order = "COALESCE(t.time, 0) DESC, COALESCE(s.started, 0) DESC, s.source DESC, s.session_id DESC, t.ref DESC";
    return this.#turns(filter, order, filter.limit)
      .toReversed()
      .map(({ key, ref, view, secret }) =>
        this.#marks.ofTurn(String(key), String(ref)) === null
          ? { json: String(view), secret: secret !== 0 }
          : { json: JSON.stringify(this.turnFrom(String(key), String(ref), view)), secret: true },
      );
  }

  /** Selected by short columns; only the calls that are returned are parsed. */
  tools(filter: IndexFilter, choice: ToolChoice): ToolView[] {
    const order = CALL_ORDER[choice.order ?? "time"];
    const tables = order.includes(AS_SESSIONS) ? "call t JOIN session s" : "call t";
    const { from, params } = this.#callsIn(filter, choice, tables);
    const { limit = Infinity, offset = 0 } = choice;
    const early = Number.isFinite(limit) && choice.grep === undefined && this.#scope === null;
    const rows = this.#store.all(
      `SELECT t.session AS key, t.n ${from}
       ORDER BY ${order}${early ? ` LIMIT ${limit} OFFSET ${offset}` : ""}`,
      ...params,
    );
    const views: ToolView[] = [];
    let skip = early ? 0 : offset;
    for (const { key, n } of this.#inScope(rows, "key")) {
      if (views.length >= limit) break;
      // Without `grep`, skipped calls need not be parsed.
      if (choice.grep === undefined && skip-- > 0) continue;
      const row = this.#store.get("SELECT view FROM call WHERE session = ? AND n = ?", key ?? "", n ?? 0);
      const view = parseRow(row?.["view"]) as ToolView;
      if (inputHolds(view, choice.grep) && (choice.grep === undefined || skip-- <= 0)) views.push(view);
    }
    return views;
  }

  /** Counted by program, using the covering index alone. */
  commandCounts(filter: IndexFilter): CommandCount[] {
    const { sql, params } = this.#where(filter, "s", CALLER);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "").join(" AND ");
    const isNarrow = sql !== "" || this.#scope !== null;
    const rows = this.#store.all(
      `SELECT t.name AS tool, t.command, COUNT(*) AS calls, COUNT(CASE WHEN t.trouble = 0 THEN 1 END) AS failed,
         COUNT(CASE WHEN t.status = 'denied' THEN 1 END) AS denied, TOTAL(t.took) AS duration_ms,
         COALESCE(MAX(t.took), 0) AS longest_ms${isNarrow ? ", s.key" : ""}
       FROM call t ${isNarrow ? "JOIN session s ON s.key = t.session" : "INDEXED BY call_command"}
       ${where === "" ? "" : `WHERE ${where}`} GROUP BY t.command, t.name${isNarrow ? ", s.key" : ""}`,
      ...params,
    );
    return addCounts(
      this.#inScope(rows, "key").map((row) => ({
        // A team store may have calls without names.
        tool: row["tool"] === "" ? null : String(row["tool"]),
        command: row["command"] === null ? null : String(row["command"]),
        calls: Number(row["calls"]),
        failed: Number(row["failed"]),
        denied: Number(row["denied"]),
        duration_ms: Number(row["duration_ms"]),
        longest_ms: Number(row["longest_ms"]),
      })),
    );
  }

  /** Files that turns changed, last changed first, and their total number. */
  changedFiles(
    filter: IndexFilter,
    text: string | undefined,
    slice: { offset: number; limit: number | undefined },
  ): { files: ChangedFile[]; total: number } {
    return changedFileRows(this.#store, this.#changesIn(filter), text, slice);
  }

  /** Turns that changed a file whose path matches, in order of time. */
  turnsTouching(filter: IndexFilter, isMeant: (path: string) => boolean): TurnGlance[] {
    const { sql, params, scope } = this.#changesIn(filter);
    const paths = this.#store
      .list("SELECT DISTINCT path FROM changed_file")
      .flatMap(([path]) => (isMeant(String(path)) ? [String(path)] : []));
    const rows = this.#store.all(
      `SELECT DISTINCT s.key, s.source, s.session_id, s.project, t.ref, t.time FROM changed_file t JOIN session s ON s.key = t.session
       WHERE t.path IN (SELECT value FROM json_each(?))${sql === "" ? "" : ` AND ${sql}`}
       ORDER BY COALESCE(t.time, 0), COALESCE(s.started, 0), s.source, s.session_id, t.ref`,
      JSON.stringify(paths),
      ...params,
    );
    return rows.filter(({ key }) => scope === null || scope.has(String(key))).map((row) => toGlance(row, []));
  }

  #changesIn(filter: IndexFilter): ChangeWhere {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "").join(" AND ");
    return { sql: where, params, scope: this.#scope };
  }

  /** Finished calls whose row contains one of these texts: a superset of the matches. Only these rows are parsed. */
  callsContaining(filter: IndexFilter, texts: readonly string[]): ToolView[] {
    // Sessions first: if few are selected, the inputs of all other calls need not be read.
    const { from, params } = this.#callsIn(filter, {}, "session s CROSS JOIN call t");
    // Several times faster than `instr`.
    const holds = texts.map(() => "t.view GLOB ?").join(" OR ");
    const rows = this.#store.all(
      `SELECT t.session AS key, t.view ${from} ${from.includes(" WHERE ") ? "AND" : "WHERE"} t.status IN ('ok', 'failed') AND (${holds})
       ORDER BY COALESCE(s.started, 0), s.source, s.session_id, t.n`,
      ...params,
      ...texts.map(globOf),
    );
    return this.#inScope(rows, "key").map(({ view }) => parseRow(view) as ToolView);
  }

  #callsIn(
    filter: IndexFilter,
    choice: ToolChoice,
    tables: "call t" | "call t JOIN session s" | "session s CROSS JOIN call t",
  ): { from: string; params: SqlValue[] } {
    const { sql, params } = this.#where(filter, "s", CALLER);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "");
    for (const column of ["status", "name"] as const) {
      const wanted = choice[column];
      if (wanted === undefined) continue;
      where.push(`t.${column} = ?`);
      params.push(wanted);
    }
    if (choice.risky === true) where.push("t.risky = 1");
    // Exclude calls that did not end well but are no trouble.
    if (choice.unexpected === true) where.push(`NOT (t.trouble = ${troubleOf({ status: "ok" })} AND t.status <> 'ok')`);
    const certain = choice.grep === undefined ? "" : caseSafePart(choice.grep);
    if (certain !== "") {
      where.push("t.view LIKE ?");
      params.push(`%${certain}%`);
    }
    const all = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
    // Most queries use only the covering index of calls: avoid the join.
    const isAlone = sql === "" && tables === "call t";
    const from = isAlone ? tables : `${tables === "call t" ? "call t JOIN session s" : tables} ON s.key = t.session`;
    return { from: `FROM ${from} ${all}`, params };
  }

  audits(filter: IndexFilter): SessionAudit[] {
    const { sql, params } = this.#whereAlive(filter);
    const rows = this.#store.all(
      `SELECT s.key, a.view FROM session s JOIN audit a ON a.session = s.key ${sql === "" ? "" : `WHERE ${sql}`} ORDER BY COALESCE(s.started, 0), s.source, s.session_id`,
      ...params,
    );
    return this.#inScope(rows, "key").map((row) => parseRow(row["view"]) as SessionAudit);
  }

  /**
   * Sums over the days of a zone, which weeks, months and models are computed from too. Null when the question is
   * narrower.
   */
  usageSums(filter: IndexFilter, zone: Zone): UsageItem[] | null {
    if (this.#scope !== null || filter.project !== undefined || filter.session !== undefined) return null;
    if (filter.marked) return null;
    return this.inSnapshot(() => {
      const days = this.#store.list(
        "SELECT DISTINCT (quarter - (quarter % 96 + 96) % 96) / 96 AS day FROM usage_sum WHERE quarter IS NOT NULL ORDER BY 1",
      );
      const { start, end } = filter.range;
      const within = [
        ...(start === null ? [] : [`quarter * ${QUARTER} >= ${start}`]),
        ...(end === null ? [] : [`quarter * ${QUARTER} < ${end}`]),
      ];
      return this.#store
        .all(
          `SELECT MIN(quarter) AS quarter, source, model, ${SUM_COLUMNS.map((name) => `SUM(${name}) AS ${name}`).join(", ")} FROM usage_sum
           ${within.length === 0 ? "" : `WHERE ${within.join(" AND ")}`}
           GROUP BY ${localDay(
             zone,
             days.map(([day]) => Number(day)),
           )}, source, model`,
        )
        .map(toSum);
    });
  }

  /** Counted responses, summed as far as the question allows. */
  usage(filter: IndexFilter, query: SumQuery): UsageItem[] {
    const where = this.#where(filter, "s", OWNER);
    return usageGroups(this.#store, query, { range: filter.range, where, scope: this.#scope });
  }

  /** Counted responses, each on its own. */
  responses(filter: IndexFilter): CountedResponse[] {
    const where = this.#where(filter, "s", OWNER);
    return responseRows(this.#store, { range: filter.range, where, scope: this.#scope });
  }

  #turns(filter: IndexFilter, order: string, limit?: number): Row[] {
    const { where, params, text } = this.#turnsOf(filter);
    const from = (): string =>
      `FROM turn t JOIN session s ON s.key = t.session ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}`;
    const early = limit !== undefined && limit > 0 && this.#scope === null && text === undefined;
    if (early) {
      // Find the time of the last wanted turn in the short index, so that no other turn is read.
      const last = `SELECT t.time ${from()} ORDER BY t.time DESC LIMIT 1 OFFSET ${limit - 1}`;
      const time = numberOrNull(this.#store.get(last, ...params)?.["time"]);
      if (time !== null && time > 0) where.push(`t.time >= ${time}`);
    }
    const rows = this.#store.all(
      `SELECT t.view, t.secret, t.ref, s.key${text === undefined ? "" : TURN_TEXTS} ${from()}
       ORDER BY ${order}${early ? ` LIMIT ${limit}` : ""}`,
      ...params,
    );
    const chosen = this.#inScope(rows, "key").filter((row) => isSaid(textsOf(row), text));
    return limit === undefined ? chosen : chosen.slice(0, limit);
  }

  /** Everything spent, at any time, by the sessions that were active in the range. */
  usageOfActiveSessions(filter: IndexFilter, query: SumQuery): UsageItem[] {
    const range = { start: null, end: null };
    return usageGroups(this.#store, query, { range, where: this.#whereAlive(filter), scope: this.#scope });
  }

  #whereAlive(filter: IndexFilter): { sql: string; params: SqlValue[] } {
    const { sql, params } = this.#where(filter, "s");
    return { sql: [sql, ...activeIn(filter.range)].filter((part) => part !== "").join(" AND "), params };
  }

  /** `turn`: SQL for the turn's key, to select turns that are marked without their session. */
  #where(filter: KeyFilter, alias: string, turn?: string): { sql: string; params: SqlValue[] } {
    const parts: string[] = [];
    const params: SqlValue[] = [];
    if (filter.project !== undefined) {
      const chosen = projectCondition(alias, filter.project);
      parts.push(chosen.sql);
      params.push(...chosen.params);
    }
    if (filter.key !== undefined) {
      parts.push(`${alias}.key = ?`);
      params.push(filter.key);
    }
    if (filter.session !== undefined) {
      const keys = this.findSessions(filter.session);
      parts.push(`${alias}.key IN (${keys.map(() => "?").join(", ")})`);
      params.push(...keys);
    }
    if (filter.marked) {
      const { wholeSessions: whole, turns, partialSessions: partly } = filter.marked;
      const isIn = "IN (SELECT value FROM json_each(?))";
      parts.push(`(${alias}.key ${isIn} OR ${turn ?? `${alias}.key`} ${isIn})`);
      params.push(JSON.stringify([...whole]), JSON.stringify([...(turn === undefined ? partly : turns)]));
    }
    if (filter.without !== undefined && filter.without.size > 0) {
      parts.push(`${alias}.key NOT IN (SELECT value FROM json_each(?))`);
      params.push(JSON.stringify([...filter.without]));
    }
    return { sql: parts.join(" AND "), params };
  }

  /** The turns of a range, in order of time. */
  turnsIn(filter: IndexFilter): Row[] {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "");
    const rows = this.#store.all(
      `SELECT t.session AS key, t.ref, t.time, s.project, s.project_key FROM turn t JOIN session s ON s.key = t.session
       ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`} ORDER BY t.time, t.session, t.ref`,
      ...params,
    );
    return this.#inScope(rows, "key");
  }

  /** The sessions that a filter selects; null for all, unless `isNamed` asks for the keys. */
  keys(filter: KeyFilter, isNamed: boolean): ReadonlySet<string> | null {
    const { sql, params } = this.#where(filter, "s");
    if (sql === "" && this.#scope === null && !isNamed) return null;
    const rows = this.#store.all(`SELECT key FROM session s ${sql === "" ? "" : `WHERE ${sql}`}`, ...params);
    return new Set(this.#inScope(rows, "key").map((row) => String(row["key"])));
  }

  isInScope(key: string): boolean {
    return this.#scope === null || this.#scope.has(key);
  }

  /** In order of time. Changed files are looked up only on request. */
  glances(filter: IndexFilter, withFiles: boolean): TurnGlance[] {
    const { from, params, text } = this.#turnsOf(filter);
    const rows = this.#store.all(
      `SELECT s.key, s.source, s.session_id, s.project, t.ref, t.time, ${withFiles ? "json_extract(t.view, '$.files')" : "'[]'"} AS files${text === undefined ? "" : TURN_TEXTS}
       ${from} ORDER BY COALESCE(t.time, 0), COALESCE(s.started, 0), s.source, s.session_id, t.ref`,
      ...params,
    );
    const chosen = this.#inScope(rows, "key").filter((row) => isSaid(textsOf(row), text));
    return chosen.map((row) =>
      toGlance(row, row["files"] === "[]" ? [] : (parseRow(row["files"]) as TurnGlance["files"])),
    );
  }

  /** Number of requests in each project, using the covering indexes alone. */
  projectWork(without: ReadonlySet<string>): ProjectWork[] {
    const rows = this.#store.all(
      `SELECT key, project, turns, (SELECT MAX(time) FROM turn WHERE session = s.key) AS last
       FROM session s INDEXED BY session_counts WHERE turns > 0`,
    );
    const work = new Map<string, ProjectWork>();
    for (const row of this.#inScope(rows, "key")) {
      if (without.has(String(row["key"]))) continue;
      const [project, time] = [String(row["project"]), numberOrNull(row["last"])];
      const sum = work.get(project) ?? { project, sessions: 0, turns: 0, last: null };
      sum.sessions++;
      sum.turns += Number(row["turns"]);
      if (time !== null) sum.last = Math.max(sum.last ?? -Infinity, time);
      work.set(project, sum);
    }
    return [...work.values()];
  }

  /** Number of turns in each quarter of an hour; the days of every time zone begin with one. */
  turnQuarters(filter: IndexFilter): { time: number; turns: number }[] {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = ["t.time IS NOT NULL", sql, ...startedIn(filter.range)].filter((part) => part !== "");
    const isNarrow = sql !== "" || this.#scope !== null;
    const quarter = `CAST(FLOOR(t.time / ${QUARTER}) AS INTEGER)`;
    const rows = this.#store.all(
      `SELECT ${quarter} AS quarter, COUNT(*) AS turns ${isNarrow ? ", s.key" : ""} FROM turn t
       ${isNarrow ? "JOIN session s ON s.key = t.session" : ""} WHERE ${where.join(" AND ")} GROUP BY 1 ${isNarrow ? ", s.key" : ""}`,
      ...params,
    );
    return this.#inScope(rows, "key").map((row) => ({
      time: Number(row["quarter"]) * QUARTER,
      turns: Number(row["turns"]),
    }));
  }

  /** A number that changes whenever any row of the session was written; null when there is no such session. */
  changeNumberOf(key: string): number | null {
    return numberOrNull(this.#store.get("SELECT n FROM change WHERE session = ?", key)?.["n"]);
  }

  turnAt(key: string, ref: string): TurnView | null {
    const row = this.#store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", key, ref);
    return row === undefined ? null : this.turnFrom(key, ref, row["view"]);
  }

  /** The first and last turn of a session. */
  firstAndLastTurn(key: string): { first: TurnView | null; last: TurnView | null } {
    const end = (order: "ASC" | "DESC"): TurnView | null => {
      const row = this.#store.get(`SELECT ref, view FROM turn WHERE session = ? ORDER BY ref ${order} LIMIT 1`, key);
      return row === undefined ? null : this.turnFrom(key, String(row["ref"]), row["view"]);
    };
    return { first: end("ASC"), last: end("DESC") };
  }

  /** Sessions that were active in the range; null when it has no bounds. */
  sessionsActiveIn(range: TimeRange): string[] | null {
    const where = activeIn(range);
    return where.length === 0 ? null : this.#keys(`SELECT key FROM session WHERE ${where.join(" AND ")}`);
  }

  /** Sessions that were active in the range and asked the human something. */
  sessionsWithQuestions(range: TimeRange): string[] {
    const where = ["key IN (SELECT session FROM with_questions)", ...activeIn(range)];
    return this.#keys(
      `SELECT key FROM session WHERE ${where.join(" AND ")} ORDER BY COALESCE(started, 0), source, session_id`,
    );
  }

  /** Sessions that have a turn or counted usage in the range. */
  sessionsWithWorkIn(range: TimeRange): string[] {
    const inside = (time: string): string =>
      [
        `${time} IS NOT NULL`,
        ...(range.start === null ? [] : [`${time} >= ${range.start}`]),
        ...(range.end === null ? [] : [`${time} < ${range.end}`]),
      ].join(" AND ");
    return this.#keys(
      `SELECT session AS key FROM turn WHERE ${inside("time")}
       UNION SELECT session FROM usage WHERE ${inside("COALESCE(owner_time, time)")}`,
    );
  }

  /** When the last session ended, or began if its end is unknown. */
  newestActivity(): number | null {
    return numberOrNull(this.#store.get("SELECT MAX(COALESCE(ended, started)) AS time FROM session")?.["time"]);
  }

  /** Sessions, in scope or not, that worked in one of these directories or below it, and began since a time. */
  sessionsInPlaces(places: readonly { dir: string; since: number | null }[]): ReadonlySet<string> {
    // All paths below a directory: the upper bound is its path with the character after the separator.
    const inside = places.map(() => "((cwd = ? OR (cwd >= ? AND cwd < ?)) AND COALESCE(started, 0) >= ?)");
    const bounds = places.flatMap(({ dir, since }) => [
      dir,
      join(dir, sep),
      `${dir}${String.fromCharCode(sep.charCodeAt(0) + 1)}`,
      since ?? 0,
    ]);
    const rows = this.#store.list(`SELECT key FROM session WHERE ${["0", ...inside].join(" OR ")}`, ...bounds);
    return new Set(rows.map(([key]) => String(key)));
  }

  /** When the last request in any other session was made, in scope or not. */
  newestTurnWithout(keys: ReadonlySet<string>): number | null {
    const last = this.#store.get(
      `SELECT time FROM turn WHERE time IS NOT NULL AND session NOT IN (SELECT value FROM json_each(?)) ORDER BY time DESC LIMIT 1`,
      JSON.stringify([...keys]),
    );
    return numberOrNull(last?.["time"]);
  }

  /** Every session, newest first, with a number that changes whenever anything about it changes. */
  stamps(): ChangeStamp[] {
    const rows = this.#store.all(
      `SELECT s.key, s.source, s.session_id, COALESCE(c.n, 0) AS change FROM session s LEFT JOIN change c ON c.session = s.key
       ORDER BY COALESCE(s.ended, s.started, 0) DESC, s.key`,
    );
    return this.#inScope(rows, "key").map(({ key, source, session_id, change }) => ({
      key: String(key),
      source: String(source),
      session_id: String(session_id),
      change: Number(change),
    }));
  }

  /** By session, a digest of its view and those of its turns. */
  digests(): Map<string, string> {
    const digests = new Map<string, string>();
    // One session at a time: the views of all turns together are most of the index.
    for (const { key, view } of this.#inScope(this.#store.all("SELECT key, view FROM session ORDER BY key"), "key")) {
      const digest = createHash("sha1").update(String(view));
      for (const turn of this.#store.all("SELECT view FROM turn WHERE session = ? ORDER BY ref", String(key)))
        digest.update("\n").update(String(turn["view"]));
      digests.set(String(key), digest.digest("base64"));
    }
    return digests;
  }

  /** First and newest trigger among the selected turns. */
  workTimes(filter: KeyFilter & { before?: number }): { first: number | null; newest: number | null } {
    const { sql, params } = this.#where(filter, "s", TURN);
    const narrow = sql !== "" || this.#scope !== null;
    const from = `turn t${narrow ? " JOIN session s ON s.key = t.session" : ""} WHERE t.time IS NOT NULL${sql === "" ? "" : ` AND ${sql}`}${filter.before === undefined ? "" : ` AND t.time < ${filter.before}`}`;
    const end = (order: string): number | null => {
      if (this.#scope === null)
        return numberOrNull(
          this.#store.get(`SELECT t.time FROM ${from} ORDER BY t.time ${order} LIMIT 1`, ...params)?.["time"],
        );
      const rows = this.#store.all(`SELECT t.time, s.key FROM ${from} ORDER BY t.time ${order}`, ...params);
      return numberOrNull(this.#inScope(rows, "key")[0]?.["time"]);
    };
    return { first: end("ASC"), newest: end("DESC") };
  }

  /** Names of all projects, and whether a recorded repository or the user gave them. */
  namings(): ProjectNaming[] {
    // A session without a place shares its project with no other.
    const rows =
      this.#scope === null
        ? this.#store.all("SELECT DISTINCT project, project_key, named FROM location")
        : this.#store.all(
            "SELECT s.key, p.project, p.project_key, p.named FROM session s JOIN location p ON p.id = s.location",
          );
    return this.#inScope(rows, "key").map((row) => ({
      project: String(row["project"]),
      project_key: String(row["project_key"]),
      named: Number(row["named"]) === 1,
    }));
  }

  /** Versions of agents that wrote the sessions, by source. */
  versions(): [source: string, version: string][] {
    const rows = this.#store.list(
      this.#scope === null
        ? "SELECT DISTINCT source, version FROM version"
        : `SELECT v.source, v.version, ${sessionKeySql("u")} FROM version v JOIN file u ON u.id = v.file`,
    );
    const scope = this.#scope;
    const chosen = scope === null ? rows : rows.filter(([, , key]) => scope.has(String(key)));
    return chosen.map(([source, version]) => [String(source), String(version)]);
  }

  /** Keys of all sessions with a transcript, in scope or not. */
  transcripts(): ReadonlySet<string> {
    const rows = this.#store.list("SELECT DISTINCT source, session_id FROM file");
    return new Set(rows.map(([source, id]) => keyOfSession(String(source), String(id))));
  }

  #keys(sql: string): string[] {
    return this.#inScope(this.#store.all(sql), "key").map((row) => String(row["key"]));
  }

  /** Rate limits as each session stated them last, ordered by session start. */
  limits(): StatedLimit[] {
    const rows = this.#store.all(
      `SELECT l.session AS key, l.time, l.view FROM rate_limit l JOIN session s ON s.key = l.session
       ORDER BY COALESCE(s.started, 0), s.source, s.session_id, l.line`,
    );
    return this.#inScope(rows, "key").map(statedLimit);
  }

  /** Finds sessions by full id, `source/id`, path, file name, or an unambiguous prefix of the id; `last` is the newest. */
  findSessions(wanted: string): string[] {
    const tail = `%/${wanted.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}`;
    const exact = this.#inScope(
      this.#store.all(
        `SELECT key FROM session WHERE session_id = ? OR key = ? UNION SELECT ${sessionKeySql("u")} FROM file u WHERE path = ? OR path LIKE ? ESCAPE '\\'`,
        wanted,
        wanted,
        wanted,
        tail,
      ),
      "key",
    ).map((row) => String(row["key"]));
    if (exact.length > 0) return exact;
    if (NEWEST_SESSION.has(wanted)) {
      const newest = "SELECT key FROM session WHERE kind = 'root' ORDER BY COALESCE(ended, started, 0) DESC, key";
      const [row] = this.#inScope(this.#store.all(newest), "key");
      if (row) return [String(row["key"])];
    }
    const all = this.#inScope(this.#store.all("SELECT key, session_id FROM session"), "key");
    const known = all.map((row) => ({ key: String(row["key"]), session_id: String(row["session_id"]) }));
    return [sessionByPrefix(known, wanted).key];
  }

  /**
   * How a session is named in print: the shortest beginning of its id that no other session's id has, so that it can
   * be typed as printed; its key where another agent's session has the same id. All sessions count, in scope or not,
   * so a session has one name in all answers.
   */
  shortId(key: string): string {
    const { session_id: id } = parseSessionKey(key);
    const [before, after, same] =
      this.#store.list(
        `SELECT (SELECT MAX(session_id) FROM session WHERE session_id < ?1), (SELECT MIN(session_id) FROM session WHERE session_id > ?1),
         (SELECT COUNT(*) FROM session WHERE session_id = ?1)`,
        id,
      )[0] ?? [];
    return Number(same) > 1
      ? key
      : shortId(
          id,
          [before, after].filter((other) => typeof other === "string"),
        );
  }

  #inScope(rows: Row[], column: string): Row[] {
    const scope = this.#scope;
    return scope === null ? rows : rows.filter((row) => scope.has(String(row[column])));
  }
}

/** What people call the session that was worked in last. */
const NEWEST_SESSION: ReadonlySet<string> = new Set(["last", "latest", "newest"]);

/** SQL for the key of a row's turn; for a response, of the turn that owns it, if that is in its own session. */
const TURN = "s.key || '/' || t.ref";
const CALLER = "s.key || '/' || t.turn";
const OWNER = "CASE WHEN substr(u.owner, 1, length(s.key) + 1) = s.key || '/' THEN u.owner END";

const AS_SESSIONS = "COALESCE(s.started, 0), s.source, s.session_id, t.n";
const CALL_ORDER: Readonly<Record<ToolOrder, string>> = {
  time: AS_SESSIONS,
  worst: `t.trouble, COALESCE(t.took, -1) DESC, ${AS_SESSIONS}`,
  slow: "COALESCE(t.took, -1) DESC, t.session, t.n",
  recent: "COALESCE(t.time, 0) DESC, t.session, t.n",
};

/** Columns that a text is looked for in: the title, the request, the project, the id. */
const SESSION_TEXTS = `, json_extract(s.view, '$.title') AS said_title, ${FIRST_REQUEST} AS said_request,
  s.project AS said_project, s.session_id AS said_id`;
const TURN_TEXTS = `, json_extract(s.view, '$.title') AS said_title, json_extract(t.view, '$.trigger.text') AS said_request,
  s.project AS said_project, s.session_id AS said_id`;

function textsOf(row: Row): SqlValue[] {
  return ["said_title", "said_request", "said_project", "said_id"].map((name) => row[name] ?? null);
}

/** Whether these texts, in the order of the columns above, contain the wanted one. */
function isSaid([title, request, project, id]: readonly (SqlValue | undefined)[], wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return holdsText(
    { request: textOrNull(request), others: [textOrNull(title), textOrNull(project), textOrNull(id)] },
    wanted,
  );
}

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** SQLite takes a negative limit for none. */
function sqlLimit(limit: number): number {
  return limit === Infinity ? -1 : limit;
}

function toGlance(row: Row, files: TurnGlance["files"]): TurnGlance {
  return {
    source: String(row["source"]),
    session_id: String(row["session_id"]),
    project: String(row["project"]),
    turn_ref: String(row["ref"]),
    time: numberOrNull(row["time"]),
    files,
  };
}

function* parseRows<T>(views: readonly string[]): Generator<T, void, undefined> {
  for (const view of views) yield parseRow(view) as T;
}

function startedIn({ start, end }: TimeRange): string[] {
  return [...(start === null ? [] : [`t.time >= ${start}`]), ...(end === null ? [] : [`t.time < ${end}`])];
}

function activeIn({ start, end }: TimeRange): string[] {
  return [
    ...(end === null ? [] : [`COALESCE(started, ended) < ${end}`]),
    ...(start === null ? [] : [`COALESCE(ended, started) >= ${start}`]),
  ];
}

function toSum(row: Row): UsageItem {
  const quarter = numberOrNull(row["quarter"]);
  const event = spentTokens(row, quarter === null ? null : quarter * QUARTER);
  return { event, session: null, source: String(row["source"]), owner: null, cost: costOf(row) };
}

/** A GLOB pattern for JSON that contains a text anywhere. */
function globOf(text: string): string {
  const inJson = JSON.stringify(text).slice(1, -1);
  return `*${inJson.replace(/[*?[]/g, "[$&]")}*`;
}
