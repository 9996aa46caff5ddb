import type { RemovedDays } from "../../views/not-pushed.ts";
import type { SessionAudit } from "../../views/audit-view.ts";
import type { ContextShift } from "../../views/context-trail.ts";
import type { Level } from "../../views/push-level.ts";
import type { SessionDetail } from "../../views/rows.ts";
import type { CountedResponse } from "../../views/response.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { TurnView } from "../../views/turn-view.ts";
import type { Progress } from "../../book/reading/pool.ts";
import type { IndexOrigin } from "../origin.ts";
import type { DocKind } from "../search/text-kinds.ts";
import { DocWriter } from "./doc-rows.ts";
import { REMOTE_LISTS, includesList, rangeOf, type RemoteDemand, type RemoteList } from "./remote-demand.ts";
import { IndexStore } from "./index-store.ts";
import { packText } from "./packed-text.ts";
import { cachedFacts } from "./fact-cache.ts";
import { insertSession, putAudit, putCall } from "./session-rows.ts";
import { insertTurn } from "./turn-row.ts";
import type { TextCounts } from "../words/match.ts";
import { addSum, UsageWriter } from "./usage-rows.ts";
import { MICRO } from "../../views/pricing/cost.ts";
import { QUARTER } from "../../base/time/zone.ts";
import { parseSessionKey, sessionKey, turnKey } from "../../record/session-key.ts";
import { addTo } from "../../base/maps.ts";

export interface RemoteText {
  /** The key of its session. */
  key: string;
  kind: DocKind;
  /** Null where only its turn is known. */
  line: number | null;
  turn: string | null;
  time: number | null;
  text: string;
}

/** A call with its index columns, which are known even where the view lacks them. */
export interface RemoteCall {
  /** The key of its session. */
  key: string;
  n: number;
  view: ToolView;
  nested: boolean;
  risky: boolean;
}

/** What was spent in a day, or a quarter of an hour, by one agent with one model. Sums are whole numbers of any length. */
export interface RemoteSum {
  source: string;
  /** When it began; null for what has no time. */
  time: number | null;
  model: string | null;
  responses: number;
  unpriced: number;
  /** In the order of `TOKENS`. */
  tokens: readonly number[];
  /** Of the responses that have a price. */
  pico: string;
}

/** What reports find about a turn beyond its view. */
export interface RemoteFacts {
  key: string;
  /** Empty: for work that no turn of a human requested, and for the session as a whole. */
  ref: string;
  /** Null where nothing was found, or where its records were not pushed. */
  facts: object | null;
  /** Only where records were not pushed: what was counted in them; null for the whole session. */
  counted?: object | null;
  changes?: readonly ContextShift[];
  detail?: SessionDetail;
  audit?: SessionAudit | null;
}

/**
 * Finished answers from a team store, without a book. Lists arrive in batches, and must be read in the order they are
 * declared here, because they may come over one connection. The rows are what an index would contain, so an index built
 * from them answers like a book.
 */
export interface RemoteRows {
  /** Changes whenever anything was written there. */
  state: () => Promise<string>;
  /** The lowest level at which any session was pushed; null without sessions. */
  lowest: () => Promise<Level | null>;
  /** What retention removed there; null where nothing was. */
  removed: () => Promise<RemovedDays | null>;
  /** What ranks the texts; null if none are asked for. */
  textCounts: () => Promise<TextCounts | null>;
  /** All that comes if only sums are asked for. */
  sums: () => AsyncIterable<readonly RemoteSum[]>;
  sessions: () => Promise<readonly SessionView[]>;
  turns: () => AsyncIterable<readonly TurnView[]>;
  /** Times of turns by `turnKey`, if responses are wanted and turns are not: a response counts for the day of its turn. */
  times: () => AsyncIterable<readonly (readonly [turn: string, time: number | null])[]>;
  calls: () => AsyncIterable<readonly RemoteCall[]>;
  /** Those of one session are consecutive. */
  facts: () => AsyncIterable<readonly RemoteFacts[]>;
  /** A response without an owner belongs to the turn that started its session. */
  responses: () => AsyncIterable<readonly Omit<CountedResponse, "owner_time">[]>;
  /** Texts to search: all that may contain a match. */
  texts: () => AsyncIterable<readonly RemoteText[]>;
  /** Questions put to the human, as in the facts of a session. */
  asked: () => AsyncIterable<readonly { key: string; asked: object }[]>;
}

/** The tables each list is stored in. */
const TABLES: Readonly<Record<RemoteList, readonly string[]>> = {
  turns: ["turn", "changed_file"],
  calls: ["call"],
  responses: ["usage", "owner_sum"],
  asked: ["with_questions", "facts"],
  facts: ["session_detail", "audit"],
};

/** Builds an unnamed index from remote rows, without pages. */
export async function buildRemoteIndex(
  rows: RemoteRows,
  about: RemoteDemand,
  progress?: Progress,
): Promise<IndexStore> {
  const store = IndexStore.unnamed();
  try {
    await inBulk(store, () => fill(store, rows, about, progress));
    // A query for a list that was not fetched must fail instead of returning nothing.
    for (const list of REMOTE_LISTS) {
      const isPartial = list === "turns" && about.words !== undefined;
      if (!includesList(about, list) && !isPartial) for (const table of TABLES[list]) store.run(`DROP TABLE ${table}`);
    }
    return store;
  } catch (error) {
    // Long-lived processes retry, and need the memory.
    store.close();
    throw error;
  }
}

/** Creating the indexes at the end takes half the time of updating them with every row. Unique indexes stay. */
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
  rows: RemoteRows,
  about: RemoteDemand,
  progress: Progress = () => undefined,
): Promise<void> {
  if (about.sumsIn !== undefined) {
    await takeSums(store, rows);
    return;
  }
  const family = new Family(await rows.sessions());
  const of = estimateRows(family.sessions, about);
  let count = 0;
  const taken = (some: number): void => {
    count += some;
    // The number of texts is not known in advance.
    const all = Math.max(of, count);
    progress({ files: count, of: all, bytes: count, ofBytes: all, things: "rows" });
  };
  /** Stores each batch of a list in one transaction. */
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
  for await (const some of rows.times()) for (const [turn, time] of some) times.set(turn, time);
  await take(rows.calls(), ({ key, n, view, nested, risky }) =>
    putCall(store, { key, n, time: msOf(view.started_at), tool: view, view: JSON.stringify(view), nested, risky }),
  );
  await takeFacts(store, rows, taken);
  const usage = new UsageWriter(store);
  await take(rows.responses(), (response) => {
    const owner = response.owner ?? family.cause(sessionKey(response));
    usage.add({ ...response, owner, owner_time: owner === null ? null : (times.get(owner) ?? null) });
  });
  store.transaction(() => usage.finish());
  const counts = await rows.textCounts();
  if (counts) store.run("INSERT INTO kept_text (hash, text) VALUES (?, ?)", COUNTS, JSON.stringify(counts));
  const texts = new RemoteTexts(store);
  await take(rows.texts(), (text) => texts.add(text));
  texts.finish();
  const asked = new Map<string, object[]>();
  for await (const some of rows.asked()) for (const { key, asked: one } of some) addTo(asked, key, one);
  store.transaction(() => {
    for (const [key, all] of asked) {
      store.run("INSERT INTO with_questions (session) VALUES (?)", key);
      const known = JSON.parse(cachedFacts(store, key) ?? NO_FACTS) as object;
      putFacts(store, key, { ...known, asked: all });
    }
  });
}

/** Days begin with a quarter of an hour in every zone: a sum of a day is kept at its first. */
async function takeSums(store: IndexStore, rows: RemoteRows): Promise<void> {
  for await (const some of rows.sums())
    store.transaction(() => {
      for (const { source, time, model, responses, unpriced, tokens, pico } of some) {
        // Of many digits: the two parts are exact where one number would not be.
        const [micro, rest] = [Number(pico.slice(0, -MICRO_DIGITS)), Number(pico.slice(-MICRO_DIGITS))];
        addSum(
          store,
          [source, time === null ? null : Math.floor(time / QUARTER), model],
          [responses, ...tokens, micro, rest, unpriced],
        );
      }
    });
}

const MICRO_DIGITS = String(MICRO).length - 1;

/** Approximate number of rows to come, from the counts in the sessions. */
function estimateRows(sessions: readonly SessionView[], about: RemoteDemand): number {
  let sum = 0;
  for (const { turns, tools, started_at, ended_at } of sessions) {
    // Sessions do not state their number of responses; most responses make a call, and one ends each turn.
    const counts = { turns, calls: tools.total, responses: turns + tools.total, asked: 0, facts: turns };
    for (const list of REMOTE_LISTS) {
      const { start, end } = rangeOf(about, list);
      const isBefore = start !== null && ended_at !== null && Date.parse(ended_at) < start;
      const isAfter = end !== null && started_at !== null && Date.parse(started_at) >= end;
      if (includesList(about, list) && !isBefore && !isAfter) sum += counts[list];
    }
  }
  return sum;
}

const NO_FACTS = JSON.stringify({ turns: [], asked: [] });

/** Stores facts in the form a report would cache them: the records they come from are not available. */
async function takeFacts(store: IndexStore, rows: RemoteRows, taken: (some: number) => void): Promise<void> {
  let last: RemoteFacts[] = [];
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

function takeSessionFacts(store: IndexStore, key: string, all: readonly RemoteFacts[]): void {
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
        key,
        JSON.stringify(detail.files),
        JSON.stringify(detail.diagnostics),
      );
  }
}

function putFacts(store: IndexStore, key: string, facts: object): void {
  store.run("INSERT OR REPLACE INTO facts (session, found) VALUES (?, ?)", key, packText(JSON.stringify(facts)));
}

/** Indexes texts by arrival number, which takes the place of the offset in a page. */
class RemoteTexts {
  readonly #store: IndexStore;
  readonly #docs: DocWriter;
  #count = 0;

  constructor(store: IndexStore) {
    this.#store = store;
    this.#docs = new DocWriter(store);
  }

  add({ key, kind, line, turn, time, text }: RemoteText): void {
    const { source, session_id } = parseSessionKey(key);
    const file = this.#store.get("SELECT id FROM file WHERE source = ? AND session_id = ? LIMIT 1", source, session_id);
    const last = this.#store.get("SELECT last FROM turn WHERE session = ? AND ref = ?", key, turn ?? "");
    if (!file) return;
    const at = this.#count++;
    this.#store.run("INSERT INTO kept_text (hash, text) VALUES (?, ?)", String(at), text);
    const place = line ?? Number(last?.["last"] ?? 0);
    this.#docs.add(Number(file["id"]), { line: place, kind, time, at, bytes: 0 }, text);
  }

  finish(): void {
    this.#docs.finish();
  }
}

/** Among the numbers of texts. */
const COUNTS = "counts";

/** Rows of a team store: of what they leave out there are only the fetched texts, without instructions. */
export function remoteOrigin(store: IndexStore): IndexOrigin {
  const textAt = (at: unknown): string =>
    String(store.get("SELECT text FROM kept_text WHERE hash = ?", String(at))?.["text"] ?? "");
  return {
    texts: () => ({
      store,
      texts: (rows) => rows.map(({ at }) => textAt(at)),
      instruction: () => null,
      counts: () => JSON.parse(textAt(COUNTS) || "null") as TextCounts | null,
    }),
    recordedSession: () => null,
    outputs: () => [],
    assemble: () => ({ sessions: [], byKey: new Map(), sharing: [], diagnostics: [] }),
  };
}

/** Which sessions started which. */
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
      addTo(this.#children, above, sessionKey(view));
    }
  }

  /** The human's turn that all work of a session belongs to; null where there is none. */
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

  /** Sessions that a turn started, and those they started. */
  below(turn: TurnView): string[] {
    const found = new Set(this.#children.get(turnKey(turn)));
    // Iterating a set includes elements added meanwhile.
    for (const key of found) for (const one of this.#children.get(key) ?? []) found.add(one);
    return [...found];
  }
}

function takeSession(store: IndexStore, view: SessionView): void {
  const { source, session_id, project, project_key, started_at, ended_at, session_paths } = view;
  insertSession(store, {
    ...view,
    location: project_key,
    started: msOf(started_at),
    ended: msOf(ended_at),
    view: JSON.stringify(view),
    copied: false,
  });
  store.run(
    "INSERT OR IGNORE INTO location (id, stated, project, project_key, root, named) VALUES (?, '', ?, ?, '', 1)",
    project_key,
    project,
    project_key,
  );
  // Sessions are also found by the names of their files; texts refer to one of these rows.
  for (const [n, path] of (session_paths ?? [""]).entries())
    store.run(
      "INSERT INTO file (source, path, session_id, container, size, mtime, page, lines, problems, stale) VALUES (?, ?, ?, '', 0, 0, ?, 0, '[]', 0)",
      source,
      path,
      session_id,
      `${sessionKey(view)}#${n}`,
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
