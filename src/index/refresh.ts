import { join } from "node:path";
import { generationOf } from "../book/page-format.ts";
import { readPage } from "../book/page-reader.ts";
import type { ReadMeter } from "../io/bytes.ts";
import type { Row } from "../io/sqlite.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import type { Project } from "../projects/project.ts";
import type { Drift, Entry } from "../sources/source.ts";
import { assemble, type Assembly } from "../turns/assemble.ts";
import { DraftBuilder, type SavedBuilder } from "../turns/builder.ts";
import type { FileDraft } from "../turns/model.ts";
import { sessionKey, turnName, type Session } from "../turns/session.ts";
import { auditSession } from "../view/audit-view.ts";
import { sessionView } from "../view/session-view.ts";
import { toolView } from "../view/tool-view.ts";
import { turnView } from "../view/turn-view.ts";
import { bookLoader, type Loaded } from "./copies.ts";
import { familiesOf } from "./families.ts";
import { keepRest, keptRest, ownLines } from "./generations.ts";
import { unpackText } from "./packed-text.ts";
import { toUnit, type IndexStore, type Unit } from "./store.ts";
import { keptTitles, type Titles } from "./titles.ts";
import { forgetDocs, staleSessions } from "./units.ts";

/** What the index must be told to describe a session: names and prices are not in its files. */
export interface Describe {
  project(session: Session): Project;
  /** `kept`: titles that were stated once. */
  title(session: Session, kept: Titles): string | null;
  /** Titles the agents keep beside their sessions now. */
  titles(): Titles;
  prices: PriceTable;
}

type Described = Omit<Describe, "title"> & { title(session: Session): string | null };

const BUILD = { ledger: false, toolDetail: true } as const;

/** Puts together every session that is not what its files say. Returns how many were looked at, and the rows written. */
export function refreshStale(
  store: IndexStore,
  describe: Describe,
  meter: ReadMeter,
): { sessions: number; rows: number } {
  const done = { sessions: 0, rows: 0 };
  const kept = keptTitles(store);
  const told = { ...describe, title: (session: Session) => describe.title(session, kept) };
  for (const family of familiesOf(store, staleSessions(store))) {
    done.rows += refreshFamily(store, family, told, meter);
    done.sessions += family.length;
  }
  store.commit();
  return done;
}

function refreshFamily(store: IndexStore, keys: readonly string[], describe: Described, meter: ReadMeter): number {
  const members = new Set(keys);
  let drafts = loadDrafts(store, members, true);
  // A response that another session holds as well makes the two one family: only together can it be counted once.
  for (;;) {
    const others = sharers(store, drafts, members);
    if (others.length === 0) break;
    for (const family of familiesOf(store, others)) for (const key of family) members.add(key);
    drafts = loadDrafts(store, members, true);
  }
  const { sessions } = assemble([...drafts.keys()], bookLoader(drafts, meter));
  return store.batched(() => {
    let written = 0;
    const present = new Set(sessions.map(sessionKey));
    for (const key of members) {
      if (!present.has(key)) written += dropSession(store, key);
      const slash = key.indexOf("/");
      store.run(
        "UPDATE unit SET stale = 0 WHERE source = ? AND session_id = ? AND stale = 1",
        key.slice(0, slash),
        key.slice(slash + 1),
      );
    }
    for (const session of sessions) written += writeSession(store, session, describe);
    return written;
  });
}

/** Every session of the index, or those in scope, put together from the book's own memory: no native file is read. */
export function assembleAll(store: IndexStore, scope: ReadonlySet<string> | null): Assembly {
  const rows = store.all("SELECT DISTINCT source || '/' || session_id AS k FROM unit");
  const keys = new Set(rows.map((row) => String(row["k"])).filter((key) => scope === null || scope.has(key)));
  const drafts = loadDrafts(store, keys, false);
  return assemble([...drafts.keys()], bookLoader(drafts, null));
}

/** `writing`: what is known of rewritten files is brought up to date as well. */
function loadDrafts(store: IndexStore, keys: ReadonlySet<string>, writing: boolean): Map<FileDraft, Loaded> {
  const drafts = new Map<FileDraft, Loaded>();
  for (const key of keys) {
    const slash = key.indexOf("/");
    const rows = store
      .all(
        "SELECT * FROM unit WHERE source = ? AND session_id = ? ORDER BY path, key, id",
        key.slice(0, slash),
        key.slice(slash + 1),
      )
      .map((row) => ({ row, unit: toUnit(row) }));
    for (const { row, unit } of rows) {
      const page = join(store.home, unit.page);
      const newer = unit.superseded ? newerPages(unit, rows) : [];
      const draft = newer.length > 0 ? draftOfRest(store, unit, writing ? newer : null) : draftOf(unit, page, row);
      if (!draft) continue;
      const memory = `${unpackText(row["saved"])}${String(row["tail"])}`;
      drafts.set(draft, { page: draft.page ?? page, memory, gone: unit.gone });
    }
  }
  return drafts;
}

function draftOf(unit: Unit, page: string, row: Row): FileDraft {
  const saved = JSON.parse(unpackText(row["saved"])) as SavedBuilder;
  const builder = new DraftBuilder(unit.ref, unit.session_id, BUILD, saved);
  for (const entry of JSON.parse(String(row["tail"])) as Entry[]) builder.push(entry);
  const [drift] = JSON.parse(String(row["drift"])) as [Drift, Drift];
  return { ...builder.finish(drift), page };
}

function newerPages(unit: Unit, rows: readonly { unit: Unit }[]): string[] {
  const isNewer = (other: Unit): boolean =>
    generationOf(other.page) > generationOf(unit.page) &&
    other.ref.path === unit.ref.path &&
    other.ref.key === unit.ref.key;
  return rows.filter((row) => isNewer(row.unit)).map((row) => row.unit.page);
}

function draftOfRest(store: IndexStore, unit: Unit, newer: readonly string[] | null): FileDraft | null {
  const page = join(store.home, unit.page);
  const others = newer?.map((other) => join(store.home, other));
  const rest = others ? keepRest(page, others, unit.ref, unit.session_id) : keptRest(page);
  const lines = rest === null ? new Set<number>() : ownLines(rest);
  // What both pages say is found once, on the newer one.
  if (newer) store.batched(() => forgetDocs(store, unit.id, (doc) => !lines.has(doc.line)));
  if (rest === null) return null;
  const builder = new DraftBuilder(unit.ref, unit.session_id, BUILD);
  for (const entry of readPage(rest).entries()) builder.push(entry);
  return { ...builder.finish({ versions: {}, unknownTypes: {}, unknownFields: {} }), page: rest };
}

function sharers(store: IndexStore, drafts: ReadonlyMap<FileDraft, Loaded>, members: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const draft of drafts.keys()) {
    for (const { response_id: id } of draft.usage) {
      for (const row of store.all("SELECT session FROM usage WHERE source = ? AND response = ?", draft.source, id)) {
        const key = String(row["session"]);
        if (!members.has(key)) found.add(key);
      }
    }
  }
  return [...found];
}

function dropSession(store: IndexStore, key: string): number {
  if (!store.get("SELECT 1 FROM session WHERE key = ?", key)) return 0;
  for (const table of ["turn", "call", "usage"]) store.run(`DELETE FROM ${table} WHERE session = ?`, key);
  store.run("DELETE FROM session WHERE key = ?", key);
  return 1;
}

function writeSession(store: IndexStore, session: Session, describe: Described): number {
  const key = sessionKey(session);
  const project = describe.project(session);
  const view = JSON.stringify(sessionView(session, project, describe.title(session), describe.prices));
  const audit = JSON.stringify(auditSession(session));
  let written = 0;
  const before = store.get("SELECT view, audit FROM session WHERE key = ?", key);
  if (before?.["view"] !== view || before["audit"] !== audit) {
    const { source, session_id, meta, started_at, ended_at } = session;
    store.run(
      "INSERT OR REPLACE INTO session (key, source, session_id, project, project_key, cwd, started, ended, view, audit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[key, source, session_id, project.project, project.project_key, meta.cwd, started_at, ended_at, view, audit],
    );
    written++;
  }
  written += writeTurns(store, key, session, describe, project);
  written += writeCalls(store, key, session);
  written += writeUsage(store, key, session, describe.prices);
  return written;
}

function writeTurns(store: IndexStore, key: string, session: Session, describe: Described, project: Project): number {
  const known = new Map(
    store.all("SELECT ref, view FROM turn WHERE session = ?", key).map((row) => [row["ref"], row["view"]]),
  );
  let written = 0;
  for (const turn of session.turns) {
    const view = JSON.stringify(turnView(turn, project, describe.prices));
    if (known.get(turn.ref) !== view) {
      const { trigger, start_line, end_line } = turn.draft;
      store.run(
        "INSERT OR REPLACE INTO turn (session, ref, time, path, first, last, view) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...[key, turn.ref, trigger.time, turn.part.path, start_line, end_line, view],
      );
      written++;
    }
    known.delete(turn.ref);
  }
  for (const ref of known.keys()) store.run("DELETE FROM turn WHERE session = ? AND ref = ?", key, ref ?? "");
  return written + known.size;
}

function writeCalls(store: IndexStore, key: string, session: Session): number {
  const known = new Map(
    store.all("SELECT n, view FROM call WHERE session = ?", key).map((row) => [row["n"], row["view"]]),
  );
  let written = 0;
  for (const [n, owned] of session.tools.entries()) {
    const view = JSON.stringify(toolView(session, owned));
    if (known.get(n) === view) continue;
    const { started_at, status, name } = owned.call;
    store.run(
      "INSERT OR REPLACE INTO call (session, n, time, status, name, view) VALUES (?, ?, ?, ?, ?, ?)",
      key,
      n,
      started_at,
      status,
      name,
      view,
    );
    written++;
  }
  if (known.size > session.tools.length)
    store.run("DELETE FROM call WHERE session = ? AND n >= ?", key, session.tools.length);
  return written;
}

function writeUsage(store: IndexStore, key: string, session: Session, prices: PriceTable): number {
  const known = new Map(store.all("SELECT * FROM usage WHERE session = ?", key).map((row) => [row["response"], row]));
  let written = 0;
  for (const { event: e, owner } of session.usage) {
    const before = known.get(e.response_id);
    known.delete(e.response_id);
    const row = {
      session: key,
      response: e.response_id,
      source: session.source,
      time: e.time,
      model: e.model,
      input: e.input_tokens,
      cached: e.cached_input_tokens,
      written: e.cache_write_tokens,
      written_1h: e.cache_write_1h_tokens,
      output: e.output_tokens,
      reasoning: e.reasoning_tokens,
      line: e.line,
      owner: owner ? turnName(owner) : null,
      owner_time: owner?.draft.trigger.time ?? null,
      pico: prices.cost(e.model, e, e.time),
    };
    const columns = Object.keys(row);
    // Every column is compared: one left out would keep its old value in silence.
    if (before && Object.entries(row).every(([column, value]) => before[column] === value)) continue;
    store.run(
      `INSERT OR REPLACE INTO usage (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      ...Object.values(row),
    );
    written++;
  }
  for (const response of known.keys())
    store.run(
      "DELETE FROM usage WHERE source = ? AND response = ? AND session = ?",
      session.source,
      response ?? "",
      key,
    );
  return written + known.size;
}
