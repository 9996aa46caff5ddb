import type { StatedLimit } from "../../answers/limit-view.ts";
import { statedLimit } from "./limit-rows.ts";
import { sessionBegun } from "../../answers/filter.ts";
import type { TimeRange } from "../../time/range.ts";
import { QUARTER, type Zone } from "../../time/zone.ts";
import type { Row, SqlValue } from "../../io/sqlite.ts";
import type { SessionAudit } from "../../answers/audit-view.ts";
import type { Marked } from "../../answers/marks.ts";
import type { SessionView } from "../../answers/session-view.ts";
import { holdsText, troubleOf, type ToolChoice, type ToolOrder } from "../../answers/tool-list.ts";
import { addCounts, type CommandCount } from "../../answers/command-counts.ts";
import type { ChangedFile, FileChoice } from "../../answers/changed-files.ts";
import type { ToolView } from "../../answers/tool-view.ts";
import {
  countKinds,
  type ProjectWork,
  type SessionEnds,
  type SessionKinds,
  type TurnGlance,
} from "../../answers/glance.ts";
import type { TurnView } from "../../answers/turn-view.ts";
import type { UsageItem } from "../../answers/usage-view.ts";
import type { Naming } from "../../answers/projects/projects.ts";
import { BookMarks } from "../marks/marks-file.ts";
import { localDay } from "./local-day.ts";
import { inProject } from "./project-names.ts";
import type { IndexStore } from "./index-store.ts";
import { touchedFiles, type ChangeWhere } from "./touched-files.ts";
import { responseRows, usageGroups, type SumQuery } from "./usage-sums.ts";
import type { OwnedResponse } from "../../answers/usage-response.ts";
import { ADDED, costOf, eventOf, numberOr } from "./usage-rows.ts";
import type { JsonValue } from "../../redact/redact.ts";
import { parseRow } from "./damaged-index.ts";

export interface IndexFilter {
  project?: string | undefined;
  session?: string | undefined;
  /** One session, by its key: nobody has to find out which is meant. */
  key?: string | undefined;
  /** Only what people marked so. */
  marked?: Marked | undefined;
  range: TimeRange;
  limit?: number | undefined;
}

/** What chooses among sessions; the rest among what is in them. */
export type SessionFilter = Pick<IndexFilter, "project" | "session" | "key" | "marked">;

/** Lists straight from the index: the rows hold the finished answers, a query only chooses among them. */
export class IndexQueries {
  readonly #store: IndexStore;
  /** Null = everything in the index is meant. */
  readonly #scope: ReadonlySet<string> | null;
  /** What people put on sessions and turns: it is no part of the rows. */
  readonly #marks: BookMarks;

  constructor(store: IndexStore, scope: ReadonlySet<string> | null, marks: BookMarks = new BookMarks(undefined)) {
    this.#store = store;
    this.#scope = scope;
    this.#marks = marks;
  }

  /** A row as it is answered: with what people put on it. */
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

  /** Several questions, one moment. */
  atOnce<T>(ask: () => T): T {
    return this.#store.snapshot(ask);
  }

  /** Each is put together when it is its turn. */
  sessions(filter: IndexFilter): Iterable<SessionView> {
    return parsed(this.sessionTexts(filter).map(({ json }) => json));
  }

  /** As JSON, each. */
  sessionTexts(filter: IndexFilter): JsonValue[] {
    const { from, params } = this.#sessionsIn(filter);
    const rows = this.#store.list(
      `SELECT key, view, secret ${from} ORDER BY COALESCE(started, 0) DESC, source DESC, session_id DESC`,
      ...params,
    );
    const scope = this.#scope;
    const chosen = scope === null ? rows : rows.filter(([key]) => scope.has(String(key)));
    return cut(chosen, filter.limit).map(([key, view, secret]) =>
      this.#marks.ofSession(String(key)) === null
        ? { json: String(view), secret: secret !== 0 }
        : { json: JSON.stringify(this.sessionFrom(String(key), view)), secret: true },
    );
  }

  #sessionsIn(filter: IndexFilter): { from: string; params: SqlValue[] } {
    const { sql, params } = this.#where(filter, "session");
    const where = [sql, ...lifeIn(filter.range)].filter((part) => part !== "").join(" AND ");
    return { from: `FROM session ${where === "" ? "" : `WHERE ${where}`}`, params };
  }

  countSessions(filter: IndexFilter): number {
    const { from, params } = this.#sessionsIn(filter);
    return this.#count("session.key", from, params);
  }

  countTurns(filter: IndexFilter): number {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "");
    const from = `FROM turn t JOIN session s ON s.key = t.session ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}`;
    return this.#count("s.key", from, params);
  }

  countTools(filter: IndexFilter, choice: ToolChoice): number {
    const { from, params } = this.#callsIn(filter, choice, "call t");
    return this.#count("t.session", from, params);
  }

  #count(key: string, from: string, params: readonly SqlValue[]): number {
    if (this.#scope === null) return Number(this.#store.get(`SELECT COUNT(*) AS n ${from}`, ...params)?.["n"]);
    return this.#inScope(this.#store.all(`SELECT ${key} AS key ${from}`, ...params), "key").length;
  }

  /** How many there are of each agent and kind. */
  sessionKinds(): SessionKinds[] {
    const rows = this.#store.all("SELECT key, source, kind FROM session INDEXED BY session_counts");
    return countKinds(this.#inScope(rows, "key") as unknown as Pick<SessionView, "source" | "kind">[]);
  }

  sessionIds(): string[] {
    return this.#store.list("SELECT session_id FROM session").map(([id]) => String(id));
  }

  projectNames(): string[] {
    return this.#store.list("SELECT DISTINCT project FROM session ORDER BY project").map(([name]) => String(name));
  }

  /** What a session was first asked for; null when nobody asked it anything. */
  firstRequest({ source, session_id }: Pick<SessionView, "source" | "session_id">): string | null {
    const row = this.#store.get(
      "SELECT view FROM turn WHERE session = ? ORDER BY ref LIMIT 1",
      `${source}/${session_id}`,
    );
    return row ? (parseRow(row["view"]) as TurnView).trigger.text : null;
  }

  turns(filter: IndexFilter): TurnView[] {
    return this.turnTexts(filter).map(({ json }) => parseRow(json) as TurnView);
  }

  /** As JSON, each. */
  turnTexts(filter: IndexFilter): JsonValue[] {
    // As in a direct reading: by time, and within one moment in the order of sessions and turns. The newest are meant by a limit.
    const order = "COALESCE(t.time, 0) DESC, COALESCE(s.started, 0) DESC, s.source DESC, s.session_id DESC, t.ref DESC";
    return this.#turns(filter, order, filter.limit)
      .toReversed()
      .map(({ key, ref, view, secret }) =>
        this.#marks.ofTurn(String(key), String(ref)) === null
          ? { json: String(view), secret: secret !== 0 }
          : { json: JSON.stringify(this.turnFrom(String(key), String(ref), view)), secret: true },
      );
  }

  /** Chosen by short columns; only the calls that are listed are looked at. */
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
      // One that need not be looked at to be left out.
      if (choice.grep === undefined && skip-- > 0) continue;
      const row = this.#store.get("SELECT view FROM call WHERE session = ? AND n = ?", key ?? "", n ?? 0);
      const view = parseRow(row?.["view"]) as ToolView;
      if (holdsText(view, choice.grep) && (choice.grep === undefined || skip-- <= 0)) views.push(view);
    }
    return views;
  }

  /** Counted by what was run, in the short index alone. */
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
        // A store may hold calls without their names.
        ...{
          tool: row["tool"] === "" ? null : String(row["tool"]),
          command: row["command"] === null ? null : String(row["command"]),
        },
        ...{ calls: Number(row["calls"]), failed: Number(row["failed"]), denied: Number(row["denied"]) },
        ...{ duration_ms: Number(row["duration_ms"]), longest_ms: Number(row["longest_ms"]) },
      })),
    );
  }

  /** Files that turns changed, the last changed first, with how many there are. */
  changedFiles(
    filter: IndexFilter,
    choice: FileChoice,
    piece: { offset: number; limit: number | undefined },
  ): { files: ChangedFile[]; total: number } {
    return touchedFiles(this.#store, this.#changesIn(filter), choice, piece);
  }

  /** Turns that changed a file whose path is meant, in order of time. */
  turnsTouching(filter: IndexFilter, isMeant: (path: string) => boolean): TurnGlance[] {
    const { sql, params, scope } = this.#changesIn(filter);
    const paths = this.#store
      .list("SELECT DISTINCT path FROM touched")
      .flatMap(([path]) => (isMeant(String(path)) ? [String(path)] : []));
    const rows = this.#store.all(
      `SELECT DISTINCT s.key, s.source, s.session_id, s.project, t.ref, t.time FROM touched t JOIN session s ON s.key = t.session
       WHERE t.path IN (SELECT value FROM json_each(?))${sql === "" ? "" : ` AND ${sql}`}
       ORDER BY COALESCE(t.time, 0), COALESCE(s.started, 0), s.source, s.session_id, t.ref`,
      ...[JSON.stringify(paths), ...params],
    );
    return rows.filter(({ key }) => scope === null || scope.has(String(key))).map((row) => glance(row, []));
  }

  #changesIn(filter: IndexFilter): ChangeWhere {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "").join(" AND ");
    return { sql: where, params, scope: this.#scope };
  }

  /** Calls that came to an end and whose row holds one of these texts: all that are meant, and some more. Only their rows are taken apart. */
  callsHolding(filter: IndexFilter, texts: readonly string[]): ToolView[] {
    // Sessions first: what all calls were given is read for nothing where few sessions are meant.
    const { from, params } = this.#callsIn(filter, {}, "session s CROSS JOIN call t");
    // Several times faster than `instr`.
    const holds = texts.map(() => "t.view GLOB ?").join(" OR ");
    const rows = this.#store.all(
      `SELECT t.session AS key, t.view ${from} ${from.includes(" WHERE ") ? "AND" : "WHERE"} t.status IN ('ok', 'failed') AND (${holds})
       ORDER BY COALESCE(s.started, 0), s.source, s.session_id, t.n`,
      ...[...params, ...texts.map(globOf)],
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
    // What ended otherwise than well and is no trouble.
    if (choice.unexpected === true) where.push(`NOT (t.trouble = ${troubleOf({ status: "ok" })} AND t.status <> 'ok')`);
    const certain = choice.grep === undefined ? "" : certainPart(choice.grep);
    if (certain !== "") {
      where.push("t.view LIKE ?");
      params.push(`%${certain}%`);
    }
    const all = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
    // Most questions are answered by the short index of calls: then nothing is looked up in other tables.
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

  /** Sums over the days of a zone: what weeks, months and models need too. Null when the question is narrower than that. */
  usageSums(filter: IndexFilter, zone: Zone): UsageItem[] | null {
    if (this.#scope !== null || filter.project !== undefined || filter.session !== undefined) return null;
    if (filter.marked) return null;
    return this.atOnce(() => {
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
          `SELECT MIN(quarter) AS quarter, source, model, ${ADDED.map((name) => `SUM(${name}) AS ${name}`).join(", ")} FROM usage_sum
           ${within.length === 0 ? "" : `WHERE ${within.join(" AND ")}`}
           GROUP BY ${localDay(
             zone,
             days.map(([day]) => Number(day)),
           )}, source, model`,
        )
        .map(toSum);
    });
  }

  /** Counted responses, added up as far as the question allows. */
  usage(filter: IndexFilter, query: SumQuery): UsageItem[] {
    const where = this.#where(filter, "s", OWNER);
    return usageGroups(this.#store, query, { range: filter.range, where, scope: this.#scope });
  }

  /** Counted responses, each by itself. */
  responses(filter: IndexFilter): OwnedResponse[] {
    const where = this.#where(filter, "s", OWNER);
    return responseRows(this.#store, { range: filter.range, where, scope: this.#scope });
  }

  #turns(filter: IndexFilter, order: string, limit?: number): Row[] {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "");
    const from = (): string =>
      `FROM turn t JOIN session s ON s.key = t.session ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}`;
    const early = limit !== undefined && limit > 0 && this.#scope === null;
    if (early) {
      // The time of the last that is wanted, found in the short index: so no other turn is looked at.
      const last = `SELECT t.time ${from()} ORDER BY t.time DESC LIMIT 1 OFFSET ${limit - 1}`;
      const time = numberOr(this.#store.get(last, ...params)?.["time"]);
      if (time !== null && time > 0) where.push(`t.time >= ${time}`);
    }
    const rows = this.#store.all(
      `SELECT t.view, t.secret, t.ref, s.key ${from()} ORDER BY ${order}${early ? ` LIMIT ${limit}` : ""}`,
      ...params,
    );
    const chosen = this.#inScope(rows, "key");
    return limit === undefined ? chosen : chosen.slice(0, limit);
  }

  /** All that the sessions spent of which some part is in the range, whenever they did. */
  usageOfAlive(filter: IndexFilter, query: SumQuery): UsageItem[] {
    const range = { start: null, end: null };
    return usageGroups(this.#store, query, { range, where: this.#whereAlive(filter), scope: this.#scope });
  }

  #whereAlive(filter: IndexFilter): { sql: string; params: SqlValue[] } {
    const { sql, params } = this.#where(filter, "s");
    return { sql: [sql, ...lifeIn(filter.range)].filter((part) => part !== "").join(" AND "), params };
  }

  /** `turn`: how a row names its turn, so that turns which are meant alone are told from the others of their session. */
  #where(filter: SessionFilter, alias: string, turn?: string): { sql: string; params: SqlValue[] } {
    const parts: string[] = [];
    const params: SqlValue[] = [];
    if (filter.project !== undefined) {
      const chosen = inProject(alias, filter.project);
      parts.push(chosen.sql);
      params.push(...chosen.params);
    }
    if (filter.key !== undefined) {
      parts.push(`${alias}.key = ?`);
      params.push(filter.key);
    }
    if (filter.session !== undefined) {
      const keys = this.find(filter.session);
      parts.push(`${alias}.key IN (${keys.map(() => "?").join(", ")})`);
      params.push(...keys);
    }
    if (filter.marked) {
      const { whole, turns, partly } = filter.marked;
      const isIn = "IN (SELECT value FROM json_each(?))";
      parts.push(`(${alias}.key ${isIn} OR ${turn ?? `${alias}.key`} ${isIn})`);
      params.push(JSON.stringify([...whole]), JSON.stringify([...(turn === undefined ? partly : turns)]));
    }
    return { sql: parts.join(" AND "), params };
  }

  /** Where the turns of a range stand, in order of time. */
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

  /** The sessions a filter chooses; null for all, unless all are to be named. */
  keys(filter: SessionFilter, isNamed: boolean): ReadonlySet<string> | null {
    const { sql, params } = this.#where(filter, "s");
    if (sql === "" && this.#scope === null && !isNamed) return null;
    const rows = this.#store.all(`SELECT key FROM session s ${sql === "" ? "" : `WHERE ${sql}`}`, ...params);
    return new Set(this.#inScope(rows, "key").map((row) => String(row["key"])));
  }

  isInScope(key: string): boolean {
    return this.#scope === null || this.#scope.has(key);
  }

  /** In order of time. What each changed is looked up only where it is asked for. */
  glances(filter: IndexFilter, withFiles: boolean): TurnGlance[] {
    const { sql, params } = this.#where(filter, "s", TURN);
    const where = [sql, ...startedIn(filter.range)].filter((part) => part !== "");
    const rows = this.#store.all(
      `SELECT s.key, s.source, s.session_id, s.project, t.ref, t.time, ${withFiles ? "json_extract(t.view, '$.files')" : "'[]'"} AS files
       FROM turn t JOIN session s ON s.key = t.session ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}
       ORDER BY COALESCE(t.time, 0), COALESCE(s.started, 0), s.source, s.session_id, t.ref`,
      ...params,
    );
    return this.#inScope(rows, "key").map((row) =>
      glance(row, row["files"] === "[]" ? [] : (parseRow(row["files"]) as TurnGlance["files"])),
    );
  }

  /** How much was asked for in each project; by the short indexes alone. */
  projectWork(): ProjectWork[] {
    const rows = this.#store.all(
      `SELECT key, project, turns, (SELECT MAX(time) FROM turn WHERE session = s.key) AS last
       FROM session s INDEXED BY session_counts WHERE turns > 0`,
    );
    const work = new Map<string, ProjectWork>();
    for (const row of this.#inScope(rows, "key")) {
      const [project, time] = [String(row["project"]), numberOr(row["last"])];
      const sum = work.get(project) ?? { project, sessions: 0, turns: 0, last: null };
      sum.sessions++;
      sum.turns += Number(row["turns"]);
      if (time !== null) sum.last = Math.max(sum.last ?? -Infinity, time);
      work.set(project, sum);
    }
    return [...work.values()];
  }

  /** How many turns were asked for in each quarter of an hour; days of every zone begin with one. */
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

  /** A number that is another one whenever any row of the session was written; null where there is no such session. */
  changeOf(key: string): number | null {
    return numberOr(this.#store.get("SELECT n FROM change WHERE session = ?", key)?.["n"]);
  }

  turnAt(key: string, ref: string): TurnView | null {
    const row = this.#store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", key, ref);
    return row === undefined ? null : this.turnFrom(key, ref, row["view"]);
  }

  /** Of one session, by its key. */
  endsOf(key: string): SessionEnds {
    const end = (order: "ASC" | "DESC"): TurnView | null => {
      const row = this.#store.get(`SELECT ref, view FROM turn WHERE session = ? ORDER BY ref ${order} LIMIT 1`, key);
      return row === undefined ? null : this.turnFrom(key, String(row["ref"]), row["view"]);
    };
    return { first: end("ASC"), last: end("DESC") };
  }

  /** Sessions some part of whose life is in the range; null when it has no bounds. */
  alive(range: TimeRange): string[] | null {
    const where = lifeIn(range);
    return where.length === 0 ? null : this.#keys(`SELECT key FROM session WHERE ${where.join(" AND ")}`);
  }

  /** Those of them in which the human was asked something. */
  asking(range: TimeRange): string[] {
    const where = ["key IN (SELECT session FROM asking)", ...lifeIn(range)];
    return this.#keys(
      `SELECT key FROM session WHERE ${where.join(" AND ")} ORDER BY COALESCE(started, 0), source, session_id`,
    );
  }

  /** Sessions that were asked for something in the range, or spent something that counts there. */
  busy(range: TimeRange): string[] {
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

  /** When the last session ended, or the last began of which no end is known. */
  newestLife(): number | null {
    return numberOr(this.#store.get("SELECT MAX(COALESCE(ended, started)) AS time FROM session")?.["time"]);
  }

  /** First and newest trigger of what is asked about. */
  workTimes(filter: SessionFilter & { before?: number }): { first: number | null; newest: number | null } {
    const { sql, params } = this.#where(filter, "s", TURN);
    const narrow = sql !== "" || this.#scope !== null;
    const from = `turn t${narrow ? " JOIN session s ON s.key = t.session" : ""} WHERE t.time IS NOT NULL${sql === "" ? "" : ` AND ${sql}`}${filter.before === undefined ? "" : ` AND t.time < ${filter.before}`}`;
    const end = (order: string): number | null => {
      if (this.#scope === null)
        return numberOr(
          this.#store.get(`SELECT t.time FROM ${from} ORDER BY t.time ${order} LIMIT 1`, ...params)?.["time"],
        );
      const rows = this.#store.all(`SELECT t.time, s.key FROM ${from} ORDER BY t.time ${order}`, ...params);
      return numberOr(this.#inScope(rows, "key")[0]?.["time"]);
    };
    return { first: end("ASC"), newest: end("DESC") };
  }

  /** Names of all projects, with the sessions that know them best. */
  namings(): Naming[] {
    // A session without a place shares its project with nobody.
    const rows =
      this.#scope === null
        ? this.#store.all("SELECT DISTINCT project, project_key, named FROM place")
        : this.#store.all(
            "SELECT s.key, p.project, p.project_key, p.named FROM session s JOIN place p ON p.id = s.place",
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
        : "SELECT v.source, v.version, u.source || '/' || u.session_id FROM version v JOIN unit u ON u.id = v.unit",
    );
    const scope = this.#scope;
    const chosen = scope === null ? rows : rows.filter(([, , key]) => scope.has(String(key)));
    return chosen.map(([source, version]) => [String(source), String(version)]);
  }

  /** Of which sessions there is a transcript, here or with the agent, asked about or not. */
  transcripts(): ReadonlySet<string> {
    const rows = this.#store.list("SELECT DISTINCT source, session_id FROM unit");
    return new Set(rows.map(([source, id]) => `${String(source)}/${String(id)}`));
  }

  #keys(sql: string): string[] {
    return this.#inScope(this.#store.all(sql), "key").map((row) => String(row["key"]));
  }

  /** Rate limits as each session stated them last, in the order in which they began. */
  limits(): StatedLimit[] {
    const rows = this.#store.all(
      `SELECT l.session AS key, l.time, l.view FROM rate_limit l JOIN session s ON s.key = l.session
       ORDER BY COALESCE(s.started, 0), s.source, s.session_id, l.line`,
    );
    return this.#inScope(rows, "key").map(statedLimit);
  }

  /** By full id, `source/id`, path, file name, or an unambiguous beginning of the id. */
  find(wanted: string): string[] {
    const tail = `%/${wanted.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}`;
    const exact = this.#inScope(
      this.#store.all(
        "SELECT key FROM session WHERE session_id = ? OR key = ? UNION SELECT source || '/' || session_id FROM unit WHERE path = ? OR path LIKE ? ESCAPE '\\'",
        ...[wanted, wanted, wanted, tail],
      ),
      "key",
    ).map((row) => String(row["key"]));
    if (exact.length > 0) return exact;
    const all = this.#inScope(this.#store.all("SELECT key, session_id FROM session"), "key");
    const known = all.map((row) => ({ key: String(row["key"]), session_id: String(row["session_id"]) }));
    return [sessionBegun(known, wanted).key];
  }

  #inScope(rows: Row[], column: string): Row[] {
    const scope = this.#scope;
    return scope === null ? rows : rows.filter((row) => scope.has(String(row[column])));
  }
}

/** Names of turns, as rows have them; of a response the one that answers for it, where that is one of its own session. */
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

/**
 * The longest part of a text that stands in the JSON of whatever holds it, in any case: letters that others are the small form of, white space
 * and what JSON escapes are no part of it.
 */
function certainPart(text: string): string {
  return text
    .split(/[^a-hjl-z0-9./:=-]+/i)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

function glance(row: Row, files: TurnGlance["files"]): TurnGlance {
  return {
    ...{ source: String(row["source"]), session_id: String(row["session_id"]), project: String(row["project"]) },
    ...{ turn_ref: String(row["ref"]), time: numberOr(row["time"]), files },
  };
}

function* parsed<T>(views: readonly string[]): Generator<T, void, undefined> {
  for (const view of views) yield parseRow(view) as T;
}

function startedIn({ start, end }: TimeRange): string[] {
  return [...(start === null ? [] : [`t.time >= ${start}`]), ...(end === null ? [] : [`t.time < ${end}`])];
}

function lifeIn({ start, end }: TimeRange): string[] {
  return [
    ...(end === null ? [] : [`COALESCE(started, ended) < ${end}`]),
    ...(start === null ? [] : [`COALESCE(ended, started) >= ${start}`]),
  ];
}

function toSum(row: Row): UsageItem {
  const quarter = numberOr(row["quarter"]);
  const event = eventOf(row, quarter === null ? null : quarter * QUARTER);
  return { event, session: null, source: String(row["source"]), owner: null, cost: costOf(row) };
}

function cut<T>(list: T[], limit: number | undefined): T[] {
  return limit === undefined ? list : list.slice(0, limit);
}

/** Rows of JSON that hold a text anywhere. */
function globOf(text: string): string {
  const inJson = JSON.stringify(text).slice(1, -1);
  return `*${inJson.replace(/[*?[]/g, "[$&]")}*`;
}
