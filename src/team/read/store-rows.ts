import { LEVELS, type Level } from "../../answers/push-level.ts";
import type { SessionView } from "../../answers/session-view.ts";
import type { ToolView } from "../../answers/tool-view.ts";
import type { TurnView } from "../../answers/turn-view.ts";
import { splitCost } from "../../answers/pricing/cost.ts";
import { PriceTable } from "../../answers/pricing/price-table.ts";
import { UsageSum, type UsageView } from "../../answers/usage-sum.ts";
import type { Asked, Decision } from "../../decisions/model.ts";
import {
  SEARCH_KINDS,
  type DocKind,
  type GivenDemand,
  type GivenList,
  type GivenResponse,
  type GivenRows,
  type GivenText,
  type TurnTime,
} from "../../daybook.ts";
import { sessionKey } from "../../turns/session.ts";
import { DETAIL_KINDS, type DetailKind } from "../rows/tables.ts";
import { termQuery } from "../rows/search-terms.ts";
import type { Sql } from "../store/transaction.ts";
import { familiesOf, sessionsIn } from "./meant-sessions.ts";
import {
  callOfNumbers,
  refOf,
  sessionOfNumbers,
  turnOfNumbers,
  type StoredCall,
  type StoredSession,
  type StoredTurn,
} from "./numbers-only.ts";

/** Rows that are asked for at once. */
const AT_ONCE = 2000;

/** One that stands before all others. */
const FIRST = "00000000-0000-0000-0000-000000000000";

interface Known {
  key: string;
  level: Level;
  view: SessionView;
}

/** What a store has of one person, in finished answers; of sessions that were pushed without them, in numbers. */
export class StoreRows implements GivenRows {
  readonly #sql: Sql;
  readonly #owner: string;
  readonly #about: GivenDemand;
  /** By the name the store has for a session. */
  readonly #known = new Map<string, Known>();
  /** Those of them whose rows are asked for; null: all. */
  #meant: ReadonlySet<string> | null = null;
  readonly #prices = new PriceTable();

  constructor(sql: Sql, owner: string, about: GivenDemand) {
    this.#sql = sql;
    this.#owner = owner;
    this.#about = about;
  }

  /** Every push raises it. */
  async state(): Promise<string> {
    const { rows } = await this.#sql.query<{ seq: string }>("SELECT seq FROM daybook.heads WHERE owner_id = $1", [
      this.#owner,
    ]);
    return rows[0]?.seq ?? "0";
  }

  async sessions(): Promise<readonly SessionView[]> {
    const { rows } = await this.#sql.query<Omit<StoredSession, "level"> & { level: number }>(
      `SELECT session_id, source, project, level, started, ended, turns FROM daybook.sessions
       WHERE owner_id = $1 AND forgotten IS NULL ORDER BY session_id`,
      [this.#owner],
    );
    const said = new Map<string, SessionView>();
    for await (const some of this.#details("session"))
      for (const { id, body } of some) said.set(id, JSON.parse(body) as SessionView);
    const isSilent = rows.some(({ session_id }) => !said.has(session_id));
    const [spent, calls] = isSilent
      ? [await this.#spent("session"), await this.#callsBySession()]
      : [new Map(), new Map()];
    for (const row of rows) {
      const level = LEVELS[row.level] ?? "totals";
      const id = row.session_id;
      const view =
        said.get(id) ??
        sessionOfNumbers({ ...row, level }, usageIn(spent, id, this.#prices), calls.get(id) ?? NO_CALLS);
      this.#known.set(id, { key: sessionKey(view), level, view });
    }
    const { range, lists } = this.#about;
    // Texts are chosen by their own times.
    if (range !== undefined && (range.start !== null || range.end !== null) && lists?.length !== 0)
      this.#meant = familiesOf(this.#known, await sessionsIn(this.#sql, this.#owner, rows, range));
    return [...this.#known.values()].map(({ view }) => view);
  }

  async *turns(): AsyncGenerator<readonly TurnView[], void, undefined> {
    if (!this.#isAsked("turns")) {
      for await (const some of this.#turnsOfTexts()) yield some;
      return;
    }
    for await (const some of this.#details("turn")) yield this.#turnsIn(some);
    if (!this.#hasBelow("turns")) return;
    const spent = await this.#spent("turn");
    const columns = "session_id, n, ts, ended, calls, failed, status, source, project, model";
    for await (const some of this.#pages<StoredTurn>(`SELECT ${columns} FROM daybook.turns`))
      yield some.flatMap((row) => {
        const known = this.#known.get(row.session_id);
        if (known?.level !== "totals") return [];
        return [turnOfNumbers(row, known.level, usageIn(spent, `${row.session_id}/${row.n}`, this.#prices))];
      });
  }

  /** A text says in which turn it stands; where that begins and ends the turn says. */
  async *#turnsOfTexts(): AsyncGenerator<readonly TurnView[], void, undefined> {
    const found = this.#found();
    if (found === null) return;
    const turns = `(session_id, n) IN (SELECT session_id, turn FROM daybook.texts WHERE owner_id = $1 AND ${found.where})`;
    for await (const some of this.#details("turn", turns, found.values)) yield this.#turnsIn(some);
  }

  #turnsIn(details: readonly { id: string; body: string }[]): TurnView[] {
    return details.filter(({ id }) => this.#known.has(id)).map(({ body }) => JSON.parse(body) as TurnView);
  }

  async *times(): AsyncGenerator<readonly TurnTime[], void, undefined> {
    if (this.#isAsked("turns") || !this.#isAsked("responses")) return;
    for await (const some of this.#pages<Pick<StoredTurn, "session_id" | "n" | "ts">>(
      "SELECT session_id, n, ts FROM daybook.turns",
    ))
      yield some.flatMap(({ session_id, n, ts }) => {
        const known = this.#known.get(session_id);
        return known ? [{ turn: `${known.key}/${refOf(n)}`, time: ts?.getTime() ?? null }] : [];
      });
  }

  #isAsked(list: GivenList): boolean {
    return this.#about.lists === undefined || this.#about.lists.includes(list);
  }

  async *calls(): AsyncGenerator<readonly { key: string; n: number; view: ToolView }[], void, undefined> {
    if (!this.#isAsked("calls")) return;
    for await (const some of this.#details("call"))
      yield some.flatMap(({ id, n, body }) => {
        const known = this.#known.get(id);
        return known ? [{ key: known.key, n, view: JSON.parse(body) as ToolView }] : [];
      });
    if (!this.#hasBelow("full")) return;
    const columns = "session_id, n, turn, ts, took, trouble, status, name";
    for await (const some of this.#pages<StoredCall>(`SELECT ${columns} FROM daybook.tool_calls`))
      yield some.flatMap((row) => {
        const known = this.#known.get(row.session_id);
        if (!known || known.level === "full") return [];
        return [{ key: known.key, n: row.n, view: callOfNumbers(row, known.level, known.view) }];
      });
  }

  async *responses(): AsyncGenerator<readonly GivenResponse[], void, undefined> {
    if (!this.#isAsked("responses")) return;
    for (let last = { session_id: FIRST, response_id: FIRST }; ;) {
      const { rows } = await this.#sql.query<StoredResponse>(
        `SELECT session_id, response_id, ts, turn, model, input, cached, written, written_1h, output, reasoning, pico
         FROM daybook.usage_responses WHERE owner_id = $1 AND counted AND (session_id, response_id) > ($2, $3)
         ${this.#meant === null ? "" : "AND session_id = ANY ($4::uuid[])"} ORDER BY session_id, response_id LIMIT ${AT_ONCE}`,
        [this.#owner, last.session_id, last.response_id, ...(this.#meant === null ? [] : [[...this.#meant]])],
      );
      yield rows.flatMap((row) => this.#response(row));
      const end = rows.at(-1);
      if (!end || rows.length < AT_ONCE) return;
      last = end;
    }
  }

  #response(row: StoredResponse): GivenResponse[] {
    const known = this.#known.get(row.session_id);
    if (!known) return [];
    return [
      {
        ...{ session: known.key, response: row.response_id, time: row.ts?.getTime() ?? null },
        ...{ model: row.model === "" ? null : row.model, turn: row.turn === null ? null : refOf(row.turn) },
        ...{ input: Number(row.input), cached: Number(row.cached), written: Number(row.written) },
        ...{ written_1h: Number(row.written_1h), output: Number(row.output), reasoning: Number(row.reasoning) },
        pico: row.pico === null ? null : Number(row.pico),
      },
    ];
  }

  async *asked(): AsyncGenerator<readonly { key: string; asked: Asked }[], void, undefined> {
    if (!this.#isAsked("asked")) return;
    for await (const some of this.#details("decision"))
      yield some.flatMap(({ id, body }) => {
        const known = this.#known.get(id);
        const decision = JSON.parse(body) as Decision;
        // What the question log needs beside it stays where it was asked.
        const asked = { decision, kind: "question" as const, call_id: null, cwd: null, unknown_answer: false };
        return known ? [{ key: known.key, asked }] : [];
      });
  }

  /** Words of a search may stand in several texts of one turn: each that holds one of them is fetched, by the database's own index. */
  async *texts(): AsyncGenerator<readonly GivenText[], void, undefined> {
    const found = this.#found();
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

  /** Which texts are meant, by what `#pages` does not know yet; null where none is. */
  #found(): { where: string; values: string[] } | null {
    const { words = "", range } = this.#about;
    const wanted = termQuery(words).replaceAll(" & ", " | ");
    if (wanted === "") return null;
    const [where, values] = [["terms @@ $4::tsquery"], [wanted]];
    for (const [time, sign] of [[range?.start, ">="] as const, [range?.end, "<"] as const]) {
      if (time === null || time === undefined) continue;
      values.push(String(time));
      where.push(`ts ${sign} to_timestamp($${values.length + 3}::float8 / 1000)`);
    }
    return { where: where.join(" AND "), values };
  }

  /** Sessions were pushed at a lower level than this. */
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

  /** Rows of a table some at a time, in the order of its key. `where` names its values from `$4` on. */
  async *#pages<Row extends { session_id: string; n: number }>(
    select: string,
    where = "true",
    given: readonly string[] = [],
  ): AsyncGenerator<Row[], void, undefined> {
    const values: unknown[] = this.#meant === null ? [...given] : [...given, [...this.#meant]];
    const meant = this.#meant === null ? "" : `AND session_id = ANY ($${values.length + 3}::uuid[])`;
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

  async #callsBySession(): Promise<Map<string, { calls: number; failed: number }>> {
    const { rows } = await this.#sql.query<{ session_id: string; calls: number; failed: number }>(
      `SELECT session_id, sum(calls)::int4 AS calls, sum(failed)::int4 AS failed FROM daybook.turns
       WHERE owner_id = $1 GROUP BY session_id`,
      [this.#owner],
    );
    return new Map(rows.map(({ session_id, calls, failed }) => [session_id, { calls, failed }]));
  }

  /** What was spent by sessions, or by turns, of which only numbers are there. */
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
    for (const row of rows) {
      const name = by === "turn" ? `${row.session_id}/${row.turn}` : row.session_id;
      sums.set(name, [...(sums.get(name) ?? []), row]);
    }
    return sums;
  }
}

const NO_CALLS = { calls: 0, failed: 0 };

interface StoredTokens {
  session_id: string;
  turn: number | null;
  model: string;
  input: string;
  cached: string;
  written: string;
  written_1h: string;
  output: string;
  reasoning: string;
  pico: string | null;
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

interface StoredResponse extends StoredTokens {
  response_id: string;
  ts: Date | null;
}

interface StoredSum extends StoredTokens {
  unpriced: string;
}

function usageIn(sums: ReadonlyMap<string, StoredSum[]>, name: string, prices: PriceTable): UsageView {
  const total = new UsageSum(prices);
  for (const row of sums.get(name) ?? []) {
    const event = {
      ...{ response_id: "", line: 0, turn: null, time: null, model: row.model === "" ? null : row.model },
      ...{ input_tokens: Number(row.input), cached_input_tokens: Number(row.cached) },
      ...{ cache_write_tokens: Number(row.written), cache_write_1h_tokens: Number(row.written_1h) },
      ...{ output_tokens: Number(row.output), reasoning_tokens: Number(row.reasoning) },
    };
    const known = row.pico === null ? null : splitCost(Number(row.pico));
    total.add(event, known && Number(row.unpriced) > 0 ? { ...known, lacking: true } : known);
  }
  return total.view();
}
