import type { RemovedDays } from "../../views/not-pushed.ts";
import type { AgedKind } from "../retention/policy.ts";
import { removedBefore, removedDays, type RemovedBefore } from "../retention/removed.ts";
import { addDays, Zone } from "../../base/time/zone.ts";
import { LEVELS, type Level } from "../../views/push-level.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { ToolCounts, TurnView } from "../../views/turn-view.ts";
import { PriceTable } from "../../views/pricing/price-table.ts";
import type { CountedResponse } from "../../views/response.ts";
import type { UsageView } from "../../views/usage-sum.ts";
import type { DecisionView } from "../../views/decision-view.ts";
import {
  includesList,
  SEARCH_KINDS,
  type DocKind,
  type RemoteCall,
  type RemoteDemand,
  type RemoteFacts,
  type RemoteList,
  type RemoteRows,
  type RemoteSum,
  type RemoteText,
  type TextCounts,
} from "../../answers/daybook.ts";
import type { SessionRef } from "../../record/record.ts";
import { DOC_KINDS, WEIGHTS } from "../../index/search/text-kinds.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { addTo } from "../../base/maps.ts";
import type { ReportedBody } from "../rows/session-rows.ts";
import { DETAIL_KINDS, NO_DAY, type DetailKind } from "../rows/tables.ts";
import { termPhrases, termQuery } from "../rows/search-terms.ts";
import type { Sql } from "../store/transaction.ts";
import { withFamilies, sessionsIn } from "./meant-sessions.ts";
import { storedSums } from "./spent-sums.ts";
import { spentTokens, sumOf, type StoredSum, type StoredTokens } from "./stored-sums.ts";
import {
  callOfNumbers,
  decisionOfNumbers,
  refOf,
  sessionOfNumbers,
  turnOfNumbers,
  type StoredCall,
  type StoredDecision,
  type StoredHead,
  type StoredRequest,
} from "./numbers-only.ts";
import { parseSessionKey, sessionKey, turnKeyIn } from "../../record/session-key.ts";

/** Rows fetched at once. */
const AT_ONCE = 2000;
/** Sessions whose responses are added up at once. */
const SESSIONS_AT_ONCE = 500;

/** How a search weighs a text, by the number of its kind. */
const WEIGHT_OF_KIND = `CASE kind ${DOC_KINDS.map((kind, i) => `WHEN ${i} THEN ${WEIGHTS[kind]}`).join(" ")} ELSE 0 END`;

/** An SQL condition on texts, and the values of its parameters. */
interface TextCondition {
  where: string;
  values: string[];
}

/** Sorts before all others. */
const FIRST = "00000000-0000-0000-0000-000000000000";

interface PushedHead {
  key: string;
  level: Level;
  view: SessionView;
  /** The session that started this one, and the turn in it. */
  parent: string | null;
  parent_turn: number | null;
}

/** The rows of one person in a store: finished views, or numbers only for sessions pushed without them. */
export class StoreRows implements RemoteRows {
  readonly #sql: Sql;
  readonly #owner: string;
  readonly #about: RemoteDemand;
  /** By the session id in the store. */
  readonly #known = new Map<string, PushedHead>();
  /** Sessions whose rows were requested; null: all. */
  #selected: ReadonlySet<string> | null = null;
  /** The same for responses. */
  #selectedSpending: ReadonlySet<string> | null = null;
  /** What retention removed: of some sessions, turns and calls only numbers or sums are left. */
  #removedBefore: RemovedBefore | null = null;
  #removedDays: RemovedDays | null = null;
  readonly #prices = new PriceTable();

  constructor(sql: Sql, owner: string, about: RemoteDemand) {
    this.#sql = sql;
    this.#owner = owner;
    this.#about = about;
  }

  /** Increased by every push. */
  async state(): Promise<string> {
    const { rows } = await this.#sql.query<{ seq: string }>("SELECT seq FROM daybook.heads WHERE owner_id = $1", [
      this.#owner,
    ]);
    return rows[0]?.seq ?? "0";
  }

  async lowest(): Promise<Level | null> {
    const { rows } = await this.#sql.query<{ level: number | null }>(
      "SELECT min(level) AS level FROM daybook.sessions WHERE owner_id = $1 AND forgotten IS NULL",
      [this.#owner],
    );
    const level = rows[0]?.level ?? null;
    return level === null ? null : (LEVELS[level] ?? "totals");
  }

  async removed(): Promise<RemovedDays | null> {
    return (this.#removedDays ??= await removedDays(this.#sql));
  }

  /** What ranks the texts that a question asks for. */
  async textCounts(): Promise<TextCounts | null> {
    const phrases = termPhrases(this.#about.words ?? "");
    if (phrases.length === 0) return null;
    const { rows } = await this.#sql.query<{ texts: string; words: string; holders: string[] }>(
      "SELECT texts, words, holders FROM daybook_ask.text_counts($1)",
      [phrases],
    );
    const { texts = "0", words = "0", holders = [] } = rows[0] ?? {};
    return { texts: Number(texts), words: Number(words), holders: holders.map(Number) };
  }

  async *sums(): AsyncGenerator<readonly RemoteSum[], void, undefined> {
    const { sumsIn, range } = this.#about;
    if (sumsIn !== undefined) yield await storedSums(this.#sql, this.#owner, new Zone(sumsIn), range);
  }

  async sessions(): Promise<readonly SessionView[]> {
    if (this.#about.sumsIn !== undefined) return [];
    this.#removedBefore = await removedBefore(this.#sql);
    this.#removedDays = await removedDays(this.#sql);
    const { rows } = await this.#sql.query<Omit<StoredHead, "level"> & { level: number }>(
      `SELECT session_id, source, project, level, started, ended, turns, kind, parent, parent_turn FROM daybook.sessions
       WHERE owner_id = $1 AND forgotten IS NULL ORDER BY session_id`,
      [this.#owner],
    );
    const said = new Map<string, SessionView>();
    for await (const some of this.#details("session"))
      for (const { id, body } of some) said.set(id, JSON.parse(body) as SessionView);
    const isSilent = rows.some(({ session_id }) => !said.has(session_id));
    const [sums, calls, silent] = isSilent
      ? [await this.#spent("session"), await this.#callCounts("session"), await this.#unstated()]
      : [new Map(), new Map(), new Map()];
    const names = new Map(
      rows.map(({ session_id, source }): [string, SessionRef] => {
        const { session_id: own = session_id } = said.get(session_id) ?? {};
        return [session_id, { source, session_id: own }];
      }),
    );
    for (const row of rows) {
      const level = LEVELS[row.level] ?? "totals";
      const { session_id: id, parent, parent_turn } = row;
      const numbers = (): SessionView => {
        const sum = usageIn(sums, id, this.#prices);
        const isUnstated = sum.models.length === 0 && [...(silent.get(id) ?? [])].length > 0;
        const usage = isUnstated ? { ...sum, cost_usd: null } : sum;
        const above = parent === null ? null : (names.get(parent) ?? null);
        const counts = { usage, tools: calls.get(id) ?? NO_CALLS, parent: above };
        // As much is left as of a session pushed at level `totals`.
        const gone = level === "totals" ? null : this.#removedDays;
        return sessionOfNumbers({ ...row, level: gone === null ? level : "totals" }, counts, gone);
      };
      const view = said.get(id) ?? numbers();
      this.#known.set(id, { key: sessionKey(view), level, view, parent, parent_turn });
    }
    const { range, spent, lists } = this.#about;
    // Texts are selected by their own times.
    if (lists?.length !== 0) {
      const meant = async (times: TimeRange | undefined): Promise<ReadonlySet<string> | null> =>
        times === undefined || (times.start === null && times.end === null)
          ? null
          : withFamilies(this.#known, await sessionsIn(this.#sql, this.#owner, rows, times));
      this.#selected = await meant(range);
      this.#selectedSpending = spent === undefined ? this.#selected : await meant(spent);
    }
    return [...this.#known.values()].map(({ view }) => view);
  }

  async *turns(): AsyncGenerator<readonly TurnView[], void, undefined> {
    if (!this.#isRequested("turns")) {
      for await (const some of this.#turnsOfTexts()) yield some;
      return;
    }
    for await (const some of this.#details("turn")) yield this.#turnsIn(some);
    if (!this.#hasBelow("turns") && !this.#hasRemovedTexts) return;
    const [spent, inSessions] = [await this.#spent("turn"), await this.#spent("session")];
    const calls = await this.#callCounts("turn");
    const below = this.#descendants();
    for await (const some of this.#pages<StoredRequest>(
      `SELECT ${TURN_COLUMNS} FROM daybook.turns`,
      this.#withoutDetail("turns", "turn"),
    ))
      yield some.flatMap((row) => {
        const known = this.#known.get(row.session_id);
        if (!known || (known.level !== "totals" && !this.#hasRemovedTexts)) return [];
        const name = `${row.session_id}/${row.n}`;
        const caused = below(name).flatMap((id) => inSessions.get(id) ?? []);
        const usage = sumOf(spent.get(name) ?? [], this.#prices);
        const all = sumOf([...(spent.get(name) ?? []), ...caused], this.#prices);
        const isGone = this.#isGone("calls", row.ts);
        const isSilent = isGone || isUnstated(row, usage);
        const counted = {
          // The row holds the model that answered if none was set, so which of the two it is cannot be told.
          tools: calls.get(name) ?? NO_CALLS,
          model: null,
          usage: isSilent ? { ...usage, cost_usd: null } : usage,
          usage_with_children: isSilent && caused.length === 0 ? { ...all, cost_usd: null } : all,
        };
        const removed = {
          days: known.level === "totals" && !isGone ? null : this.#removedDays,
          fields: isGone ? ["tools", "usage", "usage_with_children"] : [],
        };
        const { source, session_id, project, project_key } = known.view;
        // With the names of its session, which may still be there.
        return [{ ...turnOfNumbers(row, "totals", counted, removed), source, session_id, project, project_key }];
      });
  }

  /** A text names its turn; where that turn begins and ends is only in the turn itself. */
  async *#turnsOfTexts(): AsyncGenerator<readonly TurnView[], void, undefined> {
    const found = await this.#requestedTexts();
    if (found === null) return;
    const turns = `(session_id, n) IN (SELECT session_id, turn FROM daybook.texts WHERE owner_id = $1 AND ${found.where})`;
    for await (const some of this.#details("turn", turns, found.values)) yield this.#turnsIn(some);
  }

  #turnsIn(details: readonly { id: string; body: string }[]): TurnView[] {
    return details.filter(({ id }) => this.#known.has(id)).map(({ body }) => JSON.parse(body) as TurnView);
  }

  async *times(): AsyncGenerator<readonly (readonly [turn: string, time: number | null])[], void, undefined> {
    if (this.#isRequested("turns") || !this.#isRequested("responses") || this.#about.together === "spent") return;
    for await (const some of this.#pages<Pick<StoredRequest, "session_id" | "n" | "ts">>(
      "SELECT session_id, n, ts FROM daybook.turns",
    ))
      yield some.flatMap(({ session_id, n, ts }) => {
        const known = this.#known.get(session_id);
        return known ? [[turnKeyIn(known.key, refOf(n)), ts?.getTime() ?? null] as const] : [];
      });
  }

  /** Whether finished views and facts may be missing for single turns and calls. */
  get #hasRemovedTexts(): boolean {
    return (this.#removedBefore?.marks.texts ?? null) !== null;
  }

  /**
   * Matches rows whose finished view was removed; all rows if nothing was ever removed, since then the level of their
   * session decides.
   */
  #withoutDetail(table: string, kind: DetailKind): string {
    if (!this.#hasRemovedTexts) return "true";
    return `NOT EXISTS (SELECT 1 FROM daybook.details d WHERE d.owner_id = $1 AND d.session_id = ${table}.session_id
      AND d.kind = ${DETAIL_KINDS.indexOf(kind)} AND d.n = ${table}.n)`;
  }

  #isGone(aged: AgedKind, time: Date | null): boolean {
    const mark = this.#removedBefore?.marks[aged] ?? null;
    return mark !== null && time !== null && time < mark;
  }

  #isRequested(list: RemoteList): boolean {
    return includesList(this.#about, list);
  }

  /** The sessions a turn started, including their descendants. */
  #descendants(): (turn: string) => string[] {
    const children = new Map<string, string[]>();
    for (const [id, { parent, parent_turn }] of this.#known) {
      if (parent === null) continue;
      const above = parent_turn === null ? parent : `${parent}/${parent_turn}`;
      addTo(children, above, id);
    }
    return (turn) => {
      const found = new Set(children.get(turn));
      // A set yields entries that are added during iteration.
      for (const id of found) for (const one of children.get(id) ?? []) found.add(one);
      return [...found];
    };
  }

  async *calls(): AsyncGenerator<readonly RemoteCall[], void, undefined> {
    if (!this.#isRequested("calls")) return;
    for await (const some of this.#details("call"))
      yield some.flatMap(({ id, n, body }) => {
        const known = this.#known.get(id);
        const view = JSON.parse(body) as ToolView;
        const [nested, risky] = [view.parent_call_id !== null, (view.risks ?? []).length > 0];
        return known ? [{ key: known.key, n, view, nested, risky }] : [];
      });
    if (!this.#hasBelow("full") && !this.#hasRemovedTexts) return;
    const columns = "session_id, n, turn, ts, took, trouble, risky, status, name, nested";
    const unsaid = this.#withoutDetail("tool_calls", "call");
    for await (const some of this.#pages<StoredCall>(`SELECT ${columns} FROM daybook.tool_calls`, unsaid))
      yield some.flatMap((row) => {
        const known = this.#known.get(row.session_id);
        if (!known || (known.level === "full" && !this.#hasRemovedTexts)) return [];
        const { n, nested, risky } = row;
        const [level, gone] = known.level === "full" ? (["turns", this.#removedDays] as const) : [known.level, null];
        return [{ key: known.key, n, view: callOfNumbers(row, level, known.view, gone), nested, risky }];
      });
  }

  async *facts(): AsyncGenerator<readonly RemoteFacts[], void, undefined> {
    if (!this.#isRequested("facts")) return;
    const select = "SELECT session_id, n, body FROM daybook.facts";
    const told = new Set<string>();
    for await (const some of this.#pages<{ session_id: string; n: number; body: string }>(select))
      yield some.flatMap(({ session_id, n, body }) => {
        const known = this.#known.get(session_id);
        if (!known || known.level === "totals") return [];
        told.add(session_id);
        return [{ key: known.key, ref: n === 0 ? "" : refOf(n), ...(JSON.parse(body) as ReportedBody) }];
      });
    if (!this.#hasBelow("turns") && !this.#hasRemovedTexts) return;
    // Every session gets an entry, even without turns: otherwise it would look like one in which nothing was found.
    const rest = new Map(
      [...this.#known].filter(([id, { level }]) => level === "totals" || (this.#hasRemovedTexts && !told.has(id))),
    );
    const whole = (id: string): RemoteFacts[] => {
      const known = rest.get(id);
      rest.delete(id);
      return known ? [{ key: known.key, ref: "", facts: null, counted: null }] : [];
    };
    for await (const some of this.#pages<StoredRequest>(`SELECT ${TURN_COLUMNS} FROM daybook.turns`))
      yield some.flatMap(({ session_id, n, commits, children, unproven }): RemoteFacts[] => {
        const known = this.#known.get(session_id);
        if (!known || (known.level !== "totals" && (!this.#hasRemovedTexts || told.has(session_id)))) return [];
        const counted = { commits, children, unproven };
        return [...whole(session_id), { key: known.key, ref: refOf(n), facts: null, counted }];
      });
    yield [...rest.keys()].flatMap(whole);
  }

  async *responses(): AsyncGenerator<readonly RemoteResponse[], void, undefined> {
    if (!this.#isRequested("responses")) return;
    if (this.#about.together === undefined) yield* this.#eachResponse();
    else yield* this.#responsesTogether();
    yield await this.#removedResponses();
  }

  /** Added up by the database, some sessions at a time. Those without a price are apart: their sum has none either. */
  async *#responsesTogether(): AsyncGenerator<readonly RemoteResponse[], void, undefined> {
    const ids = [...(this.#selectedSpending ?? this.#known.keys())];
    for (let at = 0; at < ids.length; at += SESSIONS_AT_ONCE) {
      const { rows } = await this.#sql.query<StoredResponse>(
        `SELECT session_id, min(response_id::text) AS response_id, min(ts) AS ts, turn, model, sum(input) AS input, sum(cached) AS cached,
           sum(written) AS written, sum(written_1h) AS written_1h, sum(output) AS output, sum(reasoning) AS reasoning, sum(pico) AS pico
         FROM daybook.usage_responses WHERE owner_id = $1 AND counted AND session_id = ANY ($2::uuid[])
         GROUP BY session_id, turn, model, pico IS NULL, floor(extract(epoch FROM ts) / 900) ORDER BY 1, 2`,
        [this.#owner, ids.slice(at, at + SESSIONS_AT_ONCE)],
      );
      yield rows.flatMap((row) => this.#response(row));
    }
  }

  async *#eachResponse(): AsyncGenerator<readonly RemoteResponse[], void, undefined> {
    const meant = this.#selectedSpending;
    // In the order of the table's primary key, which is also that of the index they are put into.
    for (let last = { session_id: FIRST, response_id: FIRST }; ;) {
      const { rows } = await this.#sql.query<StoredResponse>(
        `SELECT session_id, response_id, ts, turn, model, input, cached, written, written_1h, output, reasoning, pico
         FROM daybook.usage_responses WHERE owner_id = $1 AND counted AND (response_id, session_id) > ($2, $3)
         ${meant === null ? "" : "AND session_id = ANY ($4::uuid[])"} ORDER BY response_id, session_id LIMIT ${AT_ONCE}`,
        [this.#owner, last.response_id, last.session_id, ...(meant === null ? [] : [[...meant]])],
      );
      yield rows.flatMap((row) => this.#response(row));
      const end = rows.at(-1);
      if (!end || rows.length < AT_ONCE) return;
      last = end;
    }
  }

  /** What is left of removed responses: their sums, dated noon of the store's day. */
  async #removedResponses(): Promise<RemoteResponse[]> {
    const { rows } = await this.#sql.query<StoredDay>(
      `SELECT d.session_id, d.day::text AS day, d.model, d.priced, d.input, d.cached, d.written, d.written_1h, d.output, d.reasoning,
         d.pico, s.zone
       FROM daybook.session_days d, daybook.stores s WHERE d.owner_id = $1 AND d.responses > 0
       ORDER BY d.session_id, d.day, d.model, d.priced`,
      [this.#owner],
    );
    const [{ zone: name } = { zone: "UTC" }] = rows;
    const zone = new Zone(name);
    return rows
      .filter(({ session_id }) => this.#selectedSpending === null || this.#selectedSpending.has(session_id))
      .flatMap(({ day, priced, pico, ...row }) => {
        const ts = day === NO_DAY ? null : new Date((zone.startOfDay(day) + zone.startOfDay(addDays(day, 1))) / 2);
        const response_id = `removed/${day}/${row.model}/${priced ? "priced" : "unpriced"}`;
        return this.#response({ ...row, response_id, ts, turn: null, pico: priced ? pico : null });
      });
  }

  #response(row: StoredResponse): RemoteResponse[] {
    const known = this.#known.get(row.session_id);
    if (!known) return [];
    return [
      {
        ...parseSessionKey(known.key),
        response_id: row.response_id,
        ...spentTokens(row, row.ts?.getTime() ?? null),
        owner: row.turn === null ? null : turnKeyIn(known.key, refOf(row.turn)),
        pico: row.pico === null ? null : Number(row.pico),
      },
    ];
  }

  async *asked(): AsyncGenerator<readonly { key: string; asked: object }[], void, undefined> {
    if (!this.#isRequested("asked")) return;
    for await (const some of this.#details("decision"))
      yield some.flatMap(({ id, body }) => {
        const known = this.#known.get(id);
        return known ? [{ key: known.key, asked: askedOf(JSON.parse(body) as DecisionView) }] : [];
      });
    if (!this.#hasBelow("turns") && !this.#hasRemovedTexts) return;
    const columns = "session_id, n, ts, turn, tier, answered, followed";
    const unsaid = this.#withoutDetail("decisions", "decision");
    for await (const some of this.#pages<StoredDecision>(`SELECT ${columns} FROM daybook.decisions`, unsaid))
      yield some.flatMap((row) => {
        const known = this.#known.get(row.session_id);
        if (!known || (known.level !== "totals" && !this.#hasRemovedTexts)) return [];
        const gone = known.level === "totals" ? null : this.#removedDays;
        return [{ key: known.key, asked: askedOf(decisionOfNumbers(row, "totals", known.view, gone)) }];
      });
  }

  /**
   * The words of a search may be in different texts of one turn: every text with one of them is fetched, using the
   * database's index.
   */
  async *texts(): AsyncGenerator<readonly RemoteText[], void, undefined> {
    const found = await this.#requestedTexts();
    if (found === null) return;
    const select = "SELECT session_id, n, turn, line, kind, ts, body FROM daybook.texts";
    for await (const some of this.#pages<StoredText>(select, found.where, found.values))
      yield some.flatMap(({ session_id, turn, line, kind: number, ts, body: text }) => {
        const known = this.#known.get(session_id);
        const kind = SEARCH_KINDS[number] as DocKind | undefined;
        if (!known || kind === undefined) return [];
        return [
          { key: known.key, kind, line, turn: turn === null ? null : refOf(turn), time: ts?.getTime() ?? null, text },
        ];
      });
  }

  /** The condition for the requested texts, in addition to those of `#pages`; null if none are requested. */
  async #requestedTexts(): Promise<TextCondition | null> {
    const { words = "", mostTexts } = this.#about;
    const all = termQuery(words);
    if (all === "") return null;
    if (mostTexts === undefined || (await this.#countTexts(all, mostTexts)) < mostTexts)
      return this.#textsWith(all.replaceAll(" & ", " | "), 4);
    const { where, values } = this.#textsWith(all, 4);
    const best = `SELECT session_id, n FROM daybook.texts WHERE owner_id = $1 AND ${where}
      ORDER BY ${WEIGHT_OF_KIND} DESC, ts DESC NULLS LAST, session_id, n LIMIT ${mostTexts}`;
    return { where: `(session_id, n) IN (${best})`, values };
  }

  /** How many texts contain all these terms; `most` for that many or more. */
  async #countTexts(terms: string, most: number): Promise<number> {
    const { where, values } = this.#textsWith(terms, 2);
    const { rows } = await this.#sql.query<{ n: number }>(
      `SELECT count(*)::int4 AS n FROM (SELECT 1 FROM daybook.texts WHERE owner_id = $1 AND ${where} LIMIT ${most}) AS matching`,
      [this.#owner, ...values],
    );
    return rows[0]?.n ?? 0;
  }

  /** Texts within the range that match a `tsquery`. `first` is the number of the first value. */
  #textsWith(terms: string, first: number): TextCondition {
    const { range } = this.#about;
    const [where, values] = [[`terms @@ $${first}::tsquery`], [terms]];
    for (const [time, sign] of [[range?.start, ">="] as const, [range?.end, "<"] as const]) {
      if (time === null || time === undefined) continue;
      values.push(String(time));
      where.push(`ts ${sign} to_timestamp($${first + values.length - 1}::float8 / 1000)`);
    }
    return { where: where.join(" AND "), values };
  }

  /** Whether sessions were pushed at a lower level than this. */
  #hasBelow(level: Level): boolean {
    return [...this.#known.values()].some((one) => LEVELS.indexOf(one.level) < LEVELS.indexOf(level));
  }

  async *#details(
    kind: DetailKind,
    where = "true",
    values: readonly string[] = [],
  ): AsyncGenerator<{ id: string; n: number; body: string }[], void, undefined> {
    const sql = `SELECT session_id, n, body FROM daybook.details`;
    const only = `kind = ${DETAIL_KINDS.indexOf(kind)} AND ${where}`;
    for await (const some of this.#pages<{ session_id: string; n: number; body: string }>(sql, only, values))
      yield some.map(({ session_id: id, n, body }) => ({ id, n, body }));
  }

  /** Rows of a table in batches, in the order of its key. `where` refers to its values from `$4` on. */
  async *#pages<Row extends { session_id: string; n: number }>(
    select: string,
    where = "true",
    given: readonly string[] = [],
  ): AsyncGenerator<Row[], void, undefined> {
    const values: unknown[] = this.#selected === null ? [...given] : [...given, [...this.#selected]];
    const meant = this.#selected === null ? "" : `AND session_id = ANY ($${values.length + 3}::uuid[])`;
    for (let last = { session_id: FIRST, n: -1 }; ;) {
      const { rows } = await this.#sql.query<Row>(
        `${select} WHERE owner_id = $1 AND ${where} ${meant} AND (session_id, n) > ($2, $3) ORDER BY session_id, n LIMIT ${AT_ONCE}`,
        [this.#owner, last.session_id, last.n, ...values],
      );
      if (rows.length > 0) yield rows;
      const end = rows.at(-1);
      if (!end || rows.length < AT_ONCE) return;
      last = end;
    }
  }

  /** How the calls of sessions or turns ended; calls made by other calls are not counted. */
  async #callCounts(by: "session" | "turn"): Promise<Map<string, ToolCounts>> {
    const turn = by === "turn" ? "turn" : "NULL::int4";
    const { rows } = await this.#sql.query<{ session_id: string; turn: number | null; status: string; n: number }>(
      `SELECT session_id, ${turn} AS turn, status, count(*)::int4 AS n FROM daybook.tool_calls
       WHERE owner_id = $1 AND NOT nested GROUP BY 1, 2, 3`,
      [this.#owner],
    );
    const counts = new Map<string, ToolCounts>();
    for (const row of rows) {
      const name = by === "turn" ? `${row.session_id}/${row.turn}` : row.session_id;
      const known = counts.get(name) ?? NO_CALLS;
      const status = row.status as ToolView["status"];
      counts.set(name, { ...known, total: known.total + row.n, [status]: known[status] + row.n });
    }
    return counts;
  }

  /** What sessions spent in responses that were removed. */
  async #removedSums(): Promise<StoredSum[]> {
    const { rows } = await this.#sql.query<StoredSum>(
      `SELECT session_id, NULL::int4 AS turn, model, sum(input) AS input, sum(cached) AS cached, sum(written) AS written,
         sum(written_1h) AS written_1h, sum(output) AS output, sum(reasoning) AS reasoning,
         sum(CASE WHEN priced THEN pico END) AS pico, sum(CASE WHEN priced THEN 0 ELSE responses END) AS unpriced
       FROM daybook.session_days WHERE owner_id = $1 AND responses > 0 GROUP BY session_id, model ORDER BY session_id, model`,
      [this.#owner],
    );
    return rows;
  }

  /** Turns in which an agent worked but no usage is stated, by session. */
  async #unstated(): Promise<Map<string, number[]>> {
    const { rows } = await this.#sql.query<{ session_id: string; n: number }>(
      `SELECT t.session_id, t.n FROM daybook.turns t WHERE t.owner_id = $1 AND t.kind <> 'shell' AND t.children = 0
         AND ($2::timestamptz IS NULL OR t.ts >= $2)
         AND NOT EXISTS (SELECT 1 FROM daybook.usage_responses u
           WHERE u.owner_id = $1 AND u.session_id = t.session_id AND u.turn = t.n AND u.counted)`,
      [this.#owner, this.#removedBefore?.marks.calls ?? null],
    );
    const turns = new Map<string, number[]>();
    for (const { session_id, n } of rows) addTo(turns, session_id, n);
    return turns;
  }

  /** What sessions or turns spent, for those with numbers only. */
  async #spent(by: "session" | "turn"): Promise<Map<string, StoredSum[]>> {
    const turn = by === "turn" ? "turn" : "NULL::int4 AS turn";
    const { rows } = await this.#sql.query<StoredSum>(
      `SELECT session_id, ${turn}, model, sum(input) AS input, sum(cached) AS cached, sum(written) AS written,
         sum(written_1h) AS written_1h, sum(output) AS output, sum(reasoning) AS reasoning, sum(pico) AS pico,
         count(*) - count(pico) AS unpriced
       FROM daybook.usage_responses WHERE owner_id = $1 AND counted
       GROUP BY session_id, model${by === "turn" ? ", turn" : ""} ORDER BY session_id, model`,
      [this.#owner],
    );
    const sums = new Map<string, StoredSum[]>();
    for (const row of by === "turn" ? rows : [...rows, ...(await this.#removedSums())]) {
      const name = by === "turn" ? `${row.session_id}/${row.turn}` : row.session_id;
      addTo(sums, name, row);
    }
    return sums;
  }
}

/** The sums of one day of a session that retention kept. */
interface StoredDay extends Omit<StoredTokens, "turn"> {
  day: string;
  priced: boolean;
  zone: string;
}

const NO_CALLS: ToolCounts = { total: 0, ok: 0, failed: 0, interrupted: 0, denied: 0, pending: 0 };

const TURN_COLUMNS =
  "session_id, n, ts, ended, status, source, project, took, kind, taken_back, commits, children, unproven";

/** What the question log needs besides the decision is not pushed. */
function askedOf(decision: DecisionView): object {
  return { decision, kind: "question", call_id: null, cwd: null, unknown_answer: false };
}

/** A model worked, but no usage is stated. */
function isUnstated({ kind, children }: StoredRequest, { models }: UsageView): boolean {
  return models.length === 0 && kind !== "shell" && children === 0;
}

interface StoredText {
  session_id: string;
  n: number;
  turn: number | null;
  line: number | null;
  kind: number;
  ts: Date | null;
  body: string;
}

type RemoteResponse = Omit<CountedResponse, "owner_time">;

interface StoredResponse extends StoredTokens {
  response_id: string;
  ts: Date | null;
}

function usageIn(sums: ReadonlyMap<string, StoredSum[]>, name: string, prices: PriceTable): UsageView {
  return sumOf(sums.get(name) ?? [], prices);
}
