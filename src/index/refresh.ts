import { existsSync } from "node:fs";
import { pagePaths } from "../book/page-format.ts";
import { PageWriter } from "../book/page.ts";
import { readPage } from "../book/page-reader.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import type { Project } from "../projects/project.ts";
import { fileLoader } from "../reading/library.ts";
import { sourceOf } from "../reading/read-file.ts";
import type { Drift, Entry } from "../sources/source.ts";
import { assemble, type Assembly } from "../turns/assemble.ts";
import { DraftBuilder, type SavedBuilder } from "../turns/builder.ts";
import type { FileDraft } from "../turns/model.ts";
import type { DraftLoader } from "../turns/parts.ts";
import { sessionKey, turnName, type Session } from "../turns/session.ts";
import { auditSession } from "../view/audit-view.ts";
import { sessionView } from "../view/session-view.ts";
import { toolView } from "../view/tool-view.ts";
import { turnView } from "../view/turn-view.ts";
import { familiesOf } from "./families.ts";
import { withInherited } from "../turns/inherited.ts";
import { unpackText } from "./packed-text.ts";
import { toUnit, type IndexStore } from "./store.ts";

/** What the index must be told to describe a session: names and prices are not in its files. */
export interface Describe {
  project(session: Session): Project;
  title(session: Session): string | null;
  prices: PriceTable;
}

const LARGE = 256 * 1024;
const FULL = { detail: "full", ledger: false, toolDetail: true } as const;

/** Puts the sessions of a family together again and writes what changed of their rows. Returns how many rows that were. */
export function refreshFamily(store: IndexStore, keys: readonly string[], describe: Describe): number {
  const members = new Set(keys);
  let drafts = loadDrafts(store, members);
  // A response that another session holds as well makes the two one family: only together can it be counted once.
  for (;;) {
    const others = sharers(store, drafts, members);
    if (others.length === 0) break;
    for (const family of familiesOf(store, others)) for (const key of family) members.add(key);
    drafts = loadDrafts(store, members);
  }
  const { sessions } = assemble([...drafts.keys()], bookLoader(drafts));
  return store.batched(() => {
    let written = 0;
    const present = new Set(sessions.map(sessionKey));
    for (const key of members) if (!present.has(key)) written += dropSession(store, key);
    for (const session of sessions) written += writeSession(store, session, describe);
    return written;
  });
}

interface Loaded {
  page: string;
  saved: string;
  gone: boolean;
}

/** Every session of the index, or those in scope, put together from the book's own memory: no native file is read. */
export function assembleAll(store: IndexStore, scope: ReadonlySet<string> | null): Assembly {
  const rows = store.all("SELECT DISTINCT source || '/' || session_id AS k FROM unit");
  const keys = new Set(rows.map((row) => String(row["k"])).filter((key) => scope === null || scope.has(key)));
  const drafts = loadDrafts(store, keys);
  return assemble([...drafts.keys()], bookLoader(drafts));
}

function loadDrafts(store: IndexStore, keys: ReadonlySet<string>): Map<FileDraft, Loaded> {
  const drafts = new Map<FileDraft, Loaded>();
  for (const key of keys) {
    const slash = key.indexOf("/");
    const rows = store.all(
      "SELECT * FROM unit WHERE source = ? AND session_id = ? ORDER BY id",
      key.slice(0, slash),
      key.slice(slash + 1),
    );
    for (const row of rows) {
      const unit = toUnit(row);
      // An earlier generation keeps its native path for people; the suffix only kept the table's key unique.
      const ref = { ...unit.ref, path: Number(row["gone"]) === 2 ? unit.ref.path.replace(/#\d+$/, "") : unit.ref.path };
      const saved = unpackText(row["saved"]);
      const builder = new DraftBuilder(
        ref,
        unit.session_id,
        { ledger: false, toolDetail: true },
        JSON.parse(saved) as SavedBuilder,
      );
      for (const entry of JSON.parse(String(row["tail"])) as Entry[]) builder.push(entry);
      const draft = { ...builder.finish(JSON.parse(String(row["drift"])) as Drift), page: unit.page };
      drafts.set(draft, { page: unit.page, saved, gone: unit.gone || Number(row["gone"]) === 2 });
    }
  }
  return drafts;
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

/** Reads from the native file while it is there, from the book's page when it is not. */
function bookLoader(drafts: ReadonlyMap<FileDraft, Loaded>): DraftLoader {
  const files = fileLoader(FULL);
  const there = (draft: FileDraft): boolean => drafts.get(draft)?.gone === false && existsSync(draft.path);
  return {
    identities(draft) {
      if (there(draft)) return files.identities(draft);
      const page = drafts.get(draft)?.page;
      return page === undefined
        ? []
        : [...readPage(page).entries()].map(({ identity, time }) => ({ identity: identity ?? null, time }));
    },
    readInherited(draft, inherited) {
      const page = drafts.get(draft)?.page;
      if (page === undefined) return draft;
      const own = `${page}.own`;
      const entries = there(draft) ? keepOwn(own, draft, inherited) : ownEntries(own, page, inherited);
      const builder = new DraftBuilder(draft.ref, draft.session_id, { ledger: false, toolDetail: true });
      for (const entry of entries) builder.push(entry);
      return { ...builder.finish(draft.drift), page: own };
    },
    sameBytes: (a, b) => drafts.get(a)?.saved === drafts.get(b)?.saved,
    identifies: (source) => files.identifies(source),
  };
}

/**
 * A file that repeats another session is understood only together with the other. What is then known of it is kept in a page
 * of its own, so that it stays known when both files are gone.
 */
function* keepOwn(own: string, draft: FileDraft, inherited: ReadonlySet<string>): Generator<Entry, void, undefined> {
  const reading = sourceOf(draft.ref).read(draft.ref, null, { detail: "full", inherited });
  const writer = new PageWriter(own, draft.session_id, draft.ref.size > LARGE);
  try {
    const tail: Entry[] = [];
    for (const entry of reading) {
      if (entry.tentative || tail.length > 0) tail.push(entry);
      else writer.add(entry);
      yield entry;
    }
    writer.commit(reading.cursor(), tail, false);
  } finally {
    writer.close();
  }
}

function ownEntries(own: string, page: string, inherited: ReadonlySet<string>): Iterable<Entry> {
  return existsSync(pagePaths(own).ledger)
    ? readPage(own).entries()
    : withInherited(readPage(page).entries(), inherited);
}

function dropSession(store: IndexStore, key: string): number {
  for (const table of ["turn", "call", "usage"]) store.run(`DELETE FROM ${table} WHERE session = ?`, key);
  store.run("DELETE FROM session WHERE key = ?", key);
  return 1;
}

function writeSession(store: IndexStore, session: Session, describe: Describe): number {
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

function writeTurns(store: IndexStore, key: string, session: Session, describe: Describe, project: Project): number {
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
  const known = new Map(
    store
      .all("SELECT response, input, cached, written, output, owner FROM usage WHERE session = ?", key)
      .map((row) => [row["response"], row]),
  );
  let written = 0;
  for (const { event: e, owner } of session.usage) {
    const before = known.get(e.response_id);
    known.delete(e.response_id);
    const name = owner ? turnName(owner) : null;
    const same =
      before?.["input"] === e.input_tokens &&
      before["cached"] === e.cached_input_tokens &&
      before["written"] === e.cache_write_tokens &&
      before["output"] === e.output_tokens &&
      before["owner"] === name;
    if (same) continue;
    store.run(
      "INSERT OR REPLACE INTO usage (session, response, source, time, model, input, cached, written, written_1h, output, reasoning, line, owner, owner_time, pico) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[
        key,
        e.response_id,
        session.source,
        e.time,
        e.model,
        e.input_tokens,
        e.cached_input_tokens,
        e.cache_write_tokens,
      ],
      ...[
        e.cache_write_1h_tokens,
        e.output_tokens,
        e.reasoning_tokens,
        e.line,
        name,
        owner?.draft.trigger.time ?? null,
        prices.cost(e.model, e, e.time),
      ],
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
