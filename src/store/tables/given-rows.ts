import type { RemovedDays } from "../../answers/not-pushed.ts";
import type { SessionAudit } from "../../answers/audit-view.ts";
import type { ContextShift } from "../../answers/context-trail.ts";
import type { Level } from "../../answers/push-level.ts";
import type { SessionDetail } from "../../answers/rows.ts";
import type { SessionView } from "../../answers/session-view.ts";
import type { ToolView } from "../../answers/tool-view.ts";
import type { TurnView } from "../../answers/turn-view.ts";
import { refOf, sessionKey, turnKey } from "../../turns/session.ts";
import type { Progress } from "../../reading/pool.ts";
import type { FoundTexts } from "../search/search.ts";
import { indexed } from "../search/terms.ts";
import type { DocKind } from "../search/text-kinds.ts";
import { DocWriter } from "./file-rows.ts";
import { GIVEN_LISTS, has, timesOf, type GivenDemand, type GivenList } from "./given-demand.ts";
import { IndexStore } from "./index-store.ts";
import { packText } from "./packed-text.ts";
import { cachedFacts } from "./fact-cache.ts";
import { insertSession, putAudit, putCall } from "./session-rows.ts";
import { insertTurn } from "./turn-row.ts";
import { UsageWriter } from "./usage-rows.ts";

/** A response that counts, of the session with this key. `turn`: the one of its own session that answers for it. */
export interface GivenResponse {
  session: string;
  response: string;
  turn: string | null;
  time: number | null;
  model: string | null;
  input: number;
  cached: number;
  written: number;
  written_1h: number;
  output: number;
  reasoning: number;
  /** Cost in pico-dollars; null when the model has no price. */
  pico: number | null;
}

/** `turn`: as `turnKey` names it. */
export interface TurnTime {
  turn: string;
  time: number | null;
}

export interface GivenText {
  /** The key of its session. */
  key: string;
  kind: DocKind;
  /** Null where only its turn is known. */
  line: number | null;
  turn: string | null;
  time: number | null;
  text: string;
}

/** A call, and what the index sorts it by: known also where the answer does not say it. */
export interface GivenCall {
  /** The key of its session. */
  key: string;
  n: number;
  view: ToolView;
  nested: boolean;
  risky: boolean;
}

/** What reports find of a turn beyond its answer. */
export interface GivenFacts {
  key: string;
  /** Empty: of work that no turn of a human asked for, and of the session as a whole. */
  ref: string;
  /** Null where there was nothing to find, or where its records were not pushed. */
  facts: object | null;
  /** Only where records were not pushed: what was counted in them; null of the whole. */
  counted?: object | null;
  changes?: readonly ContextShift[];
  detail?: SessionDetail;
  audit?: SessionAudit | null;
}

/**
 * Finished answers that no book here keeps, as another store has them. Lists come some at a time, and are asked for in the order in which
 * they stand here, as they may come over one line. What is said of each is what an index would say, so an index made of them answers as
 * a book does.
 */
export interface GivenRows {
  /** Another text whenever anything was written there. */
  state: () => Promise<string>;
  /** The lowest level at which one of the sessions was pushed; null where there is none. */
  lowest: () => Promise<Level | null>;
  /** What was removed there because it was old; null where nothing was. */
  removed: () => Promise<RemovedDays | null>;
  sessions: () => Promise<readonly SessionView[]>;
  turns: () => AsyncIterable<readonly TurnView[]>;
  /** When turns were asked for, where responses are wanted and turns are not: a response counts for the day of its turn. */
  times: () => AsyncIterable<readonly TurnTime[]>;
  calls: () => AsyncIterable<readonly GivenCall[]>;
  /** Those of one session stand together. */
  facts: () => AsyncIterable<readonly GivenFacts[]>;
  responses: () => AsyncIterable<readonly GivenResponse[]>;
  /** Texts that are looked through by a search: all that may hold what is searched for. */
  texts: () => AsyncIterable<readonly GivenText[]>;
  /** Questions put to the human, as facts of a session hold them. */
  asked: () => AsyncIterable<readonly { key: string; asked: object }[]>;
}

/** What each list is put into. */
const TABLES: Readonly<Record<GivenList, readonly string[]>> = {
  turns: ["turn", "touched"],
  calls: ["call"],
  responses: ["usage", "usage_sum", "owner_sum"],
  asked: ["asking", "facts"],
  facts: ["session_detail", "audit"],
};

/** An index of answers that were given, without a name and without a page behind it. */
export async function indexOfGiven(rows: GivenRows, about: GivenDemand, progress?: Progress): Promise<IndexStore> {
  const store = IndexStore.unnamed();
  try {
    await inBulk(store, () => fill(store, rows, about, progress));
    // A question that looks at what was not asked for fails, where it would be answered from nothing.
    for (const list of GIVEN_LISTS) {
      const isPartial = list === "turns" && about.words !== undefined;
      if (!has(about, list) && !isPartial) for (const table of TABLES[list]) store.run(`DROP TABLE ${table}`);
    }
    return store;
  } catch (error) {
    // Whoever lives long tries again, and needs its room.
    store.close();
    throw error;
  }
}

/** Made at the end, an index takes half of what it takes to be brought up to date with every row. What keeps rows apart stays. */
async function inBulk(store: IndexStore, work: () => Promise<void>): Promise<void> {
  const tables = Object.values(TABLES).flat();
  const indexes = store
    .all("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE INDEX %'")
    .filter((row) => tables.includes(String(row["tbl_name"])));
  for (const { name } of indexes) store.run(`DROP INDEX ${String(name)}`);
  await work();
  for (const { sql } of indexes) store.run(String(sql));
}

async function fill(
  store: IndexStore,
  rows: GivenRows,
  about: GivenDemand,
  progress: Progress = () => undefined,
): Promise<void> {
  const family = new Family(await rows.sessions());
  const of = expected(family.sessions, about);
  let count = 0;
  const taken = (some: number): void => {
    count += some;
    // Nobody knows how many texts will come.
    const all = Math.max(of, count);
    progress({ files: count, of: all, bytes: count, ofBytes: all, things: "rows" });
  };
  /** Each list some at a time, whole or not at all. */
  const take = async <T>(lists: AsyncIterable<readonly T[]>, put: (one: T) => void): Promise<void> => {
    for await (const some of lists) {
      store.transaction(() => {
        for (const one of some) put(one);
      });
      taken(some.length);
    }
  };
  store.transaction(() => {
    for (const view of family.sessions) takeSession(store, view);
  });
  const times = new Map<string, number | null>();
  await take(rows.turns(), (view) => {
    times.set(turnKey(view), msOf(view.trigger.time));
    takeTurn(store, view, family.below(view));
  });
  for await (const some of rows.times()) for (const { turn, time } of some) times.set(turn, time);
  await take(rows.calls(), ({ key, n, view, nested, risky }) =>
    putCall(store, { key, n, time: msOf(view.started_at), tool: view, view: JSON.stringify(view), nested, risky }),
  );
  await takeFacts(store, rows, taken);
  const usage = new UsageWriter(store);
  await take(rows.responses(), (row) => {
    const { session, response, time, model, input, cached, written, written_1h, output, reasoning, pico } = row;
    const owner = row.turn === null ? family.cause(session) : `${session}/${row.turn}`;
    const owner_time = owner === null ? null : (times.get(owner) ?? null);
    const source = session.slice(0, session.indexOf("/"));
    const tokens = { input, cached, written, written_1h, output, reasoning };
    usage.add({ session, response, source, time, model, ...tokens, line: 0, owner, owner_time, pico });
  });
  store.transaction(() => usage.finish());
  const texts = new GivenTexts(store);
  await take(rows.texts(), (text) => texts.add(text));
  const asked = new Map<string, object[]>();
  for await (const some of rows.asked())
    for (const { key, asked: one } of some) asked.set(key, [...(asked.get(key) ?? []), one]);
  store.transaction(() => {
    for (const [key, all] of asked) {
      store.run("INSERT INTO asking (session) VALUES (?)", key);
      const known = JSON.parse(cachedFacts(store, key) ?? NO_FACTS) as object;
      putFacts(store, key, { ...known, asked: all });
    }
  });
}

/** How many rows will come, about, by what sessions say of themselves. */
function expected(sessions: readonly SessionView[], about: GivenDemand): number {
  let sum = 0;
  for (const { turns, tools, started_at, ended_at } of sessions) {
    // Of responses a session does not say how many there were; most make a call, and one ends each turn.
    const counts = { turns, calls: tools.total, responses: turns + tools.total, asked: 0, facts: turns };
    for (const list of GIVEN_LISTS) {
      const { start, end } = timesOf(about, list);
      const isBefore = start !== null && ended_at !== null && Date.parse(ended_at) < start;
      const isAfter = end !== null && started_at !== null && Date.parse(started_at) >= end;
      if (has(about, list) && !isBefore && !isAfter) sum += counts[list];
    }
  }
  return sum;
}

const NO_FACTS = JSON.stringify({ turns: [], asked: [] });

/** Facts as the index keeps them after a report: nobody has the records they would be read from. */
async function takeFacts(store: IndexStore, rows: GivenRows, taken: (some: number) => void): Promise<void> {
  let last: GivenFacts[] = [];
  const write = (): void => {
    const [first] = last;
    if (first) takeSessionFacts(store, first.key, last);
    last = [];
  };
  for await (const some of rows.facts()) {
    store.transaction(() => {
      for (const one of some) {
        if (last[0] && last[0].key !== one.key) write();
        last.push(one);
      }
    });
    taken(some.length);
  }
  store.transaction(write);
}

function takeSessionFacts(store: IndexStore, key: string, all: readonly GivenFacts[]): void {
  const turns = all.flatMap(({ ref, facts }) => (facts === null ? [] : [[ref, facts]]));
  const counted = all.flatMap((one) => (one.counted ? [[one.ref, one.counted]] : []));
  const isCounted = all.some((one) => one.counted !== undefined);
  putFacts(store, key, { turns, asked: [], ...(isCounted ? { counted } : {}) });
  for (const { ref, changes, detail, audit } of all) {
    if (changes)
      store.run("UPDATE turn SET settings = ? WHERE session = ? AND ref = ?", JSON.stringify({ changes }), key, ref);
    if (audit) putAudit(store, key, JSON.stringify(audit));
    if (detail)
      store.run(
        "INSERT INTO session_detail (session, parts, files, diagnostics) VALUES (?, '[]', ?, ?)",
        ...[key, JSON.stringify(detail.files), JSON.stringify(detail.diagnostics)],
      );
  }
}

function putFacts(store: IndexStore, key: string, facts: object): void {
  store.run("INSERT OR REPLACE INTO facts (session, found) VALUES (?, ?)", key, packText(JSON.stringify(facts)));
}

/** Texts by the number they came in, which stands where a page would say where they are. */
class GivenTexts {
  readonly #store: IndexStore;
  readonly #docs: DocWriter;
  #count = 0;

  constructor(store: IndexStore) {
    this.#store = store;
    this.#docs = new DocWriter(store);
  }

  add({ key, kind, line, turn, time, text }: GivenText): void {
    const { source, session_id } = refOf(key);
    const unit = this.#store.get("SELECT id FROM unit WHERE source = ? AND session_id = ? LIMIT 1", source, session_id);
    const last = this.#store.get("SELECT last FROM turn WHERE session = ? AND ref = ?", key, turn ?? "");
    if (!unit) return;
    const at = this.#count++;
    this.#store.run("INSERT INTO given (hash, text) VALUES (?, ?)", String(at), text);
    const place = line ?? Number(last?.["last"] ?? 0);
    this.#docs.add(Number(unit["id"]), [place, kind, time, at, 0, indexed(text)]);
  }
}

/** What a search shows of texts that were given. Instructions are not among them. */
export function givenTexts(store: IndexStore): FoundTexts {
  const textAt = (at: unknown): string =>
    String(store.get("SELECT text FROM given WHERE hash = ?", String(at))?.["text"] ?? "");
  return { store, texts: (rows) => rows.map(({ at }) => textAt(at)), instruction: () => null };
}

/** Which sessions caused which. */
class Family {
  readonly sessions: readonly SessionView[];
  readonly #known: ReadonlyMap<string, SessionView>;
  readonly #children = new Map<string, string[]>();

  constructor(sessions: readonly SessionView[]) {
    this.sessions = sessions;
    this.#known = new Map(sessions.map((view) => [sessionKey(view), view]));
    for (const view of sessions) {
      if (view.parent === null) continue;
      const above = sessionKey(view.parent) + (view.parent_turn === null ? "" : `/${view.parent_turn}`);
      this.#children.set(above, [...(this.#children.get(above) ?? []), sessionKey(view)]);
    }
  }

  /** The human's turn that answers for all of a session; null where none does. */
  cause(key: string): string | null {
    const seen = new Set<string>();
    for (let view = this.#known.get(key); view?.parent && !seen.has(sessionKey(view));) {
      seen.add(sessionKey(view));
      const parent = sessionKey(view.parent);
      if (view.parent_turn !== null) return `${parent}/${view.parent_turn}`;
      view = this.#known.get(parent);
    }
    return null;
  }

  /** Sessions a turn caused, and those they caused. */
  below(turn: TurnView): string[] {
    const found = new Set(this.#children.get(turnKey(turn)));
    // What is added is gone through as well.
    for (const key of found) for (const one of this.#children.get(key) ?? []) found.add(one);
    return [...found];
  }
}

function takeSession(store: IndexStore, view: SessionView): void {
  const { source, session_id, project, project_key, started_at, ended_at, session_paths } = view;
  insertSession(store, {
    ...{ ...view, place: project_key, started: msOf(started_at), ended: msOf(ended_at) },
    ...{ view: JSON.stringify(view), copied: false },
  });
  store.run(
    "INSERT OR IGNORE INTO place (id, stated, project, project_key, root, named) VALUES (?, '', ?, ?, '', 1)",
    ...[project_key, project, project_key],
  );
  // By the names of its files it is found as well; texts of a session stand in one.
  for (const [n, path] of (session_paths ?? [""]).entries())
    store.run(
      "INSERT INTO unit (source, path, session_id, container, size, mtime, page, lines, problems, stale) VALUES (?, ?, ?, '', 0, 0, ?, 0, '[]', 0)",
      ...[source, path, session_id, `${sessionKey(view)}#${n}`],
    );
}

function takeTurn(store: IndexStore, view: TurnView, below: readonly string[]): void {
  const { turn_ref: ref, trigger, session_path: path, start_line: first, end_line: last, files } = view;
  const lines = { path: path ?? "", first: first ?? 0, last: last ?? 0 };
  const place = { ref, time: msOf(trigger.time), ...lines, records: 0, files: files ?? [] };
  const columns = below.length === 0 ? {} : { below: JSON.stringify(below) };
  insertTurn(store, sessionKey(view), place, JSON.stringify(view), columns);
}

function msOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
