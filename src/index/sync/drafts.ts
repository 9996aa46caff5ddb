import { join } from "node:path";
import { generationOf } from "../../book/pages/page-format.ts";
import { readPage } from "../../book/pages/page-reader.ts";
import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import { isLocal } from "../../base/errors.ts";
import type { Diagnostic, Drift, Entry } from "../../agents/contract.ts";
import { assemble, leftOutDiagnostic, type Assembly } from "../../turns/assemble.ts";
import { DraftBuilder } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import { bookLoader, type DraftOrigin } from "./copies.ts";
import { familiesOf } from "./families.ts";
import { writeRemainder, readRemainder, ownLines } from "./generations.ts";
import { applyRulings } from "../tables/prompts.ts";
import { wakeState, type PackedState } from "../tables/packed-state.ts";
import { DamagedIndex, parseRow } from "../tables/damaged-index.ts";
import { toStoredFile, type IndexStore, type StoredFile } from "../tables/index-store.ts";
import { keepDocs } from "../tables/doc-rows.ts";
import { savedState } from "../tables/file-rows.ts";
import { parseSessionKey, sessionKeySql } from "../../record/session-key.ts";

const BUILD = { ledger: false, toolDetail: true } as const;

/** Assembles every session of the index, or those in scope, from stored state: no native file is read. */
export function assembleAll(store: IndexStore, scope: ReadonlySet<string> | null): Assembly {
  const rows = store.all(`SELECT DISTINCT ${sessionKeySql("u")} AS k FROM file u`);
  const keys = new Set(rows.map((row) => String(row["k"])).filter((key) => scope === null || scope.has(key)));
  const failed: Diagnostic[] = [];
  const drafts = loadDrafts(store, keys, false, failed);
  return withRulings(store, assemble([...drafts.keys()], bookLoader(drafts, null)), failed);
}

function withRulings(store: IndexStore, assembly: Assembly, failed: readonly Diagnostic[]): Assembly {
  applyRulings(store, assembly.sessions);
  return { ...assembly, diagnostics: [...assembly.diagnostics, ...failed] };
}

/** Assembles the named sessions with all that can affect them; the result is the same as from assembling everything. */
export function assembleSome(
  store: IndexStore,
  wanted: readonly string[],
  scope: ReadonlySet<string> | null,
): Assembly {
  const keys = familiesOf(store, wanted).flat();
  const failed: Diagnostic[] = [];
  const { drafts } = loadFamily(store, keys, false, scope, failed);
  return withRulings(store, assemble([...drafts.keys()], bookLoader(drafts, null)), failed);
}

/** The given sessions, and those that contain the same responses: only together can each response be counted once. */
export function loadFamily(
  store: IndexStore,
  keys: readonly string[],
  writing: boolean,
  scope: ReadonlySet<string> | null = null,
  failed: Diagnostic[] | null = null,
): { members: Set<string>; drafts: Map<FileDraft, DraftOrigin> } {
  const isMeant = (key: string): boolean => scope === null || scope.has(key);
  const members = new Set(keys.filter(isMeant));
  const drafts = loadDrafts(store, members, writing, failed);
  for (let latest: ReadonlyMap<FileDraft, DraftOrigin> = drafts; ;) {
    const others = familiesOf(store, sessionsSharing(store, latest, members)).flat();
    const added = new Set(others.filter((key) => !members.has(key) && isMeant(key)));
    if (added.size === 0) return { members, drafts };
    latest = loadDrafts(store, added, writing, failed);
    for (const key of added) members.add(key);
    for (const [draft, loaded] of latest) drafts.set(draft, loaded);
  }
}

/**
 * `writing`: also update what is stored about rewritten files. With `failed`, a file that cannot be loaded is reported
 * there and left out; without it, the error fails its whole family.
 */
function loadDrafts(
  store: IndexStore,
  keys: ReadonlySet<string>,
  writing: boolean,
  failed: Diagnostic[] | null,
): Map<FileDraft, DraftOrigin> {
  const drafts = new Map<FileDraft, DraftOrigin>();
  for (const key of keys) {
    const { source, session_id } = parseSessionKey(key);
    const rows = store
      .all(
        "SELECT u.*, m.saved, m.tail, m.drift FROM file u JOIN read_state m ON m.file = u.id WHERE source = ? AND session_id = ? ORDER BY path, key, id",
        source,
        session_id,
      )
      .map((row) => ({ row, file: toStoredFile(row) }));
    for (const { row, file } of rows) {
      const page = join(store.home, file.page);
      const newer = file.superseded ? newerPages(file, rows) : [];
      const saved = (): PackedState => savedState(store, file.id, row["saved"]);
      const draft = orReported(file, failed, () =>
        newer.length > 0 ? draftOfRemainder(store, file, writing ? newer : null) : draftOf(file, page, row, saved()),
      );
      if (!draft) continue;
      const memory = (): string => `${textOf(saved())}${tailText(row["tail"])}`;
      drafts.set(draft, { page: draft.page ?? page, memory, gone: file.gone });
    }
  }
  return drafts;
}

function orReported(file: StoredFile, failed: Diagnostic[] | null, load: () => FileDraft | null): FileDraft | null {
  try {
    return load();
  } catch (error) {
    if (failed === null || !isLocal(error)) throw error;
    failed.push(leftOutDiagnostic(file.ref, error));
    return null;
  }
}

function draftOf(file: StoredFile, page: string, row: Row, saved: PackedState): FileDraft {
  const rest = wakeState(saved);
  if (!rest) throw new DamagedIndex(`pieces of ${file.page} are missing`);
  const builder = new DraftBuilder(file.ref, file.session_id, BUILD, rest);
  for (const entry of parseRow(row["tail"]) as Entry[]) builder.push(entry);
  const [drift] = parseRow(row["drift"]) as [Drift, Drift];
  return { ...builder.finish(drift), page, gone: file.gone ? "deleted" : null };
}

/** Sorts the fields: their order depends on the reader and has no meaning. */
function tailText(tail: SqlValue | undefined): string {
  const entries = parseRow(tail) as Entry[];
  const sorted = entries.map((entry) => Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted);
}

function textOf({ head, pieces }: PackedState): string {
  return Buffer.concat([head, ...pieces.map((piece) => piece.body)]).toString("latin1");
}

function newerPages(file: StoredFile, rows: readonly { file: StoredFile }[]): string[] {
  const isNewer = (other: StoredFile): boolean =>
    generationOf(other.page) > generationOf(file.page) &&
    other.ref.path === file.ref.path &&
    other.ref.key === file.ref.key;
  return rows.filter((row) => isNewer(row.file)).map((row) => row.file.page);
}

function draftOfRemainder(store: IndexStore, file: StoredFile, newer: readonly string[] | null): FileDraft | null {
  const page = join(store.home, file.page);
  const others = newer?.map((other) => join(store.home, other));
  const rest = others ? writeRemainder(page, others, file.ref, file.session_id) : readRemainder(page);
  const lines = rest === null ? new Set<number>() : ownLines(rest);
  // What both pages contain is indexed once, for the newer page.
  if (newer) store.batched(() => keepDocs(store, file.id, lines));
  if (rest === null) return null;
  const builder = new DraftBuilder(file.ref, file.session_id, BUILD);
  for (const entry of readPage(rest).entries()) builder.push(entry);
  return { ...builder.finish({ versions: {}, unknownTypes: {}, unknownFields: {} }), page: rest, gone: "rewritten" };
}

function sessionsSharing(
  store: IndexStore,
  drafts: ReadonlyMap<FileDraft, DraftOrigin>,
  members: ReadonlySet<string>,
): string[] {
  const found = new Set<string>();
  for (const { source, usage } of drafts.keys()) {
    if (usage.length === 0) continue;
    // One query for all: single queries would cost more than the rest of a report.
    const rows = store.all(
      "SELECT DISTINCT u.session FROM json_each(?) j CROSS JOIN usage u ON u.source = ? AND u.response_id = j.value",
      JSON.stringify(usage.map((event) => event.response_id)),
      source,
    );
    for (const row of rows) if (!members.has(String(row["session"]))) found.add(String(row["session"]));
  }
  return [...found];
}
