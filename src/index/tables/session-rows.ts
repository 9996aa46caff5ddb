import { pageName } from "../../book/pages/page-format.ts";
import type { ReadViews } from "../../views/not-pushed.ts";
import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import type { Project } from "../../views/projects/project.ts";
import { decisionIds } from "../../views/turn-decisions.ts";
import type { OwnedCall, Session } from "../../turns/session.ts";
import { auditSession } from "../../views/audit-view.ts";
import { responsesOf } from "../../views/response.ts";
import { sessionView, type SessionView } from "../../views/session-view.ts";
import { programName } from "../../views/command-counts.ts";
import { troubleOf } from "../../views/list-filter.ts";
import { toolView, type ToolView } from "../../views/tool-view.ts";
import { turnView } from "../../views/turn-view.ts";
import { recordChange } from "./changes.ts";
import type { TitledDescriber } from "./describe.ts";
import { storePlace, locationOf, markNamesUnsettled } from "./project-names.ts";
import { dropPrompts, savePrompts } from "./prompts.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";
import { writeUsage } from "./usage-rows.ts";
import { dropTurn, putTurn, reportColumns, secretIn, type ReportColumns } from "./turn-row.ts";
import { parseRow } from "./damaged-index.ts";
import { writeLimits } from "./limit-rows.ts";
import { writeCopied } from "./copied-lines.ts";
import { sessionKey } from "../../record/session-key.ts";

/** Further tables with rows of a session. */
const SESSION_TABLES = "turn changed_file call audit session_detail with_questions rate_limit facts copied_lines".split(
  " ",
);

export function dropSession(store: IndexStore, key: string): number {
  const row = store.get("SELECT location FROM session WHERE key = ?", key);
  if (!row) return 0;
  if (row["location"] !== null) markNamesUnsettled(store);
  for (const table of SESSION_TABLES) store.run(`DELETE FROM ${table} WHERE session = ?`, key);
  store.run("DELETE FROM session WHERE key = ?", key);
  dropPrompts(store, key);
  recordChange(store, key);
  return 1 + writeUsage(store, key, []);
}

/** Writes the rows of a session that changed: rows hold finished answers. Returns the number of rows written. */
export function writeSession(store: RowStore, session: Session, describe: TitledDescriber): number {
  const key = sessionKey(session);
  let written = savePrompts(store, session, true);
  const cwd = store.get("SELECT cwd FROM session WHERE key = ?", key)?.["cwd"];
  // A session may be titled by a request: the rulings on its prompts are known now.
  const { project, written: head } = writeHead(store, session, describe);
  written += head;
  written += writeFacts(store, key, session);
  written += writeAsking(store, key, session);
  // The records may contain new facts even if no row changed.
  store.run("DELETE FROM facts WHERE session = ?", key);
  const changed = writeTurns(store, key, session, describe, project);
  const isPlaced = ({ turn }: OwnedCall): boolean => turn !== null && !turn.draft.delegated && !changed.has(turn.ref);
  written += changed.size;
  written += writeCalls(store, key, session, cwd === session.meta.cwd ? isPlaced : () => false);
  written += writeUsage(store, key, responsesOf(session, describe.prices));
  if (written > 0) recordChange(store, key);
  return written;
}

/** What is listed of a session as a whole. Its project is settled when all sessions are written. */
export function writeHead(
  store: RowStore,
  session: Session,
  describe: TitledDescriber,
): { project: Project; written: number } {
  const key = sessionKey(session);
  const project = storePlace(store, locationOf(session), describe.place(session));
  const view = JSON.stringify(sessionView(session, project, describe.title(session), describe.prices));
  const before = store.get("SELECT location, view, copied FROM session WHERE key = ?", key);
  const isCopied = Number(session.copied === true);
  let written = writeCopied(store, session);
  if (before?.["view"] !== view || before["location"] !== locationOf(session) || before["copied"] !== isCopied) {
    putSession(store, session, project, { view, turns: session.turns.length });
    written++;
    if (before && before["location"] !== locationOf(session)) markNamesUnsettled(store);
  }
  const contexts = session.parts.flatMap((part) => part.contexts);
  return { project, written: written + writeLimits(store, session, contexts) };
}

/** What reports and audits need of a session beyond what is listed of it. */
export function writeFacts(store: RowStore, key: string, session: Session): number {
  const audit = JSON.stringify(auditSession(session));
  const isSame = store.get("SELECT view FROM audit WHERE session = ?", key)?.["view"] === audit;
  if (!isSame) putAudit(store, key, audit);
  return Number(!isSame) + writeDetail(store, key, session);
}

/** One of the session's files, with the page that holds its records as they count for the session. */
export interface StoredPart {
  path: string;
  /** Relative to the home. */
  page: string;
  /** Identities of records on the page that belong to another session; absent where the page itself says so. */
  inherited?: string[];
}

function writeDetail(store: RowStore, key: string, session: Session): number {
  const parts = session.parts.map(({ path, page, inherited_from }): StoredPart => ({
    path,
    page: pageName(store.home, page),
    ...(inherited_from ? { inherited: [...inherited_from] } : {}),
  }));
  const files = session.delegations.flatMap(({ draft }) => draft.files);
  const row = [parts, files, session.diagnostics].map((value) => JSON.stringify(value));
  const before = store.get("SELECT parts, files, diagnostics FROM session_detail WHERE session = ?", key);
  if (before && DETAIL.every((column, i) => before[column] === row[i])) return 0;
  store.run(
    "INSERT OR REPLACE INTO session_detail (session, parts, files, diagnostics) VALUES (?, ?, ?, ?)",
    key,
    ...row,
  );
  return 1;
}

const DETAIL = ["parts", "files", "diagnostics"] as const;

/** Like `writeDetail`, for a session that only grew. */
export function updateDiagnostics(store: IndexStore, key: string, { diagnostics }: Session): number {
  const text = JSON.stringify(diagnostics);
  if (store.get("SELECT diagnostics FROM session_detail WHERE session = ?", key)?.["diagnostics"] === text) return 0;
  store.run("UPDATE session_detail SET diagnostics = ? WHERE session = ?", text, key);
  return 1;
}

export function writeAsking(store: RowStore, key: string, session: Session): number {
  const asks =
    session.parts.some((part) => part.questions.length > 0) ||
    session.turns.some((turn) => decisionIds(turn).length > 0);
  if (asks === (store.get("SELECT 1 FROM with_questions WHERE session = ?", key) !== undefined)) return 0;
  store.run(
    asks ? "INSERT INTO with_questions (session) VALUES (?)" : "DELETE FROM with_questions WHERE session = ?",
    key,
  );
  return 1;
}

/** Returns the turns whose rows were written or deleted. */
export function writeTurns(
  store: RowStore,
  key: string,
  session: Session,
  describe: TitledDescriber,
  project: Project,
): Set<SqlValue> {
  const known = new Map(
    store
      .all("SELECT ref, records, view, part, lines, below, settings FROM turn WHERE session = ?", key)
      .map((row) => [row["ref"], row]),
  );
  const changed = new Set<SqlValue>();
  for (const [turn, columns] of reportColumns(session)) {
    const view = JSON.stringify(turnView(turn, project, describe.prices));
    const before = known.get(turn.ref);
    // A turn may own a record that does not affect its view.
    if (before?.["view"] !== view || before["records"] !== turn.draft.records || !isSame(before, columns)) {
      putTurn(store, key, turn, view, columns);
      changed.add(turn.ref);
    }
    known.delete(turn.ref);
  }
  for (const ref of known.keys()) {
    dropTurn(store, key, ref ?? "");
    changed.add(ref ?? "");
  }
  return changed;
}

function isSame(row: Row, { part, lines, below, settings }: ReportColumns): boolean {
  return row["part"] === part && row["lines"] === lines && row["below"] === below && row["settings"] === settings;
}

/** `isPlaced`: session and turn of the call have the same directory as when its row was written. */
export function writeCalls(
  store: RowStore,
  key: string,
  session: Session,
  isPlaced: (owned: OwnedCall) => boolean,
): number {
  const known = new Map(
    store.all("SELECT n, risky, view FROM call WHERE session = ?", key).map((row) => [row["n"], row]),
  );
  let written = 0;
  for (const [n, owned] of session.tools.entries()) {
    const row = known.get(n);
    if (row && isPlaced(owned) && isUnchanged(session, owned, row)) continue;
    const answer = toolView(session, owned);
    const view = JSON.stringify(answer);
    if (row?.["view"] === view) continue;
    putCall(store, { key, n, time: owned.call.started_at, tool: answer, view });
    written++;
  }
  if (known.size > session.tools.length)
    store.run("DELETE FROM call WHERE session = ? AND n >= ?", key, session.tools.length);
  return written;
}

/** If all else is equal, the call has the same request and directory, and so the same risks. */
function isUnchanged(session: Session, owned: OwnedCall, row: Row): boolean {
  const view = String(row["view"]);
  const risks = row["risky"] === 0 ? [] : (parseRow(view) as ReadViews["call"]).risks;
  return JSON.stringify(toolView(session, owned, risks)) === view;
}

/** `turns`: number of all turns; the session may contain only the changed ones. */
export function putSession(
  store: RowStore,
  session: Session,
  project: Project,
  { view, turns }: { view: string; turns: number },
): void {
  const { source, session_id, meta, started_at, ended_at } = session;
  insertSession(store, {
    source,
    session_id,
    ...project,
    location: locationOf(session),
    cwd: meta.cwd,
    kind: meta.kind,
    turns,
    started: started_at,
    ended: ended_at,
    view,
    copied: session.copied === true,
  });
}

export function insertSession(
  store: RowStore,
  row: Project &
    Pick<SessionView, "source" | "session_id" | "cwd" | "kind" | "turns"> & {
      location: string | null;
      started: number | null;
      ended: number | null;
      view: string;
      copied: boolean;
    },
): void {
  const { source, session_id, project, project_key, location, cwd, started, ended, view, copied, kind, turns } = row;
  store.run(
    "INSERT OR REPLACE INTO session (key, source, session_id, project, project_key, location, cwd, started, ended, view, secret, copied, kind, turns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    sessionKey(row),
    source,
    session_id,
    project,
    project_key,
    location,
    cwd,
    started,
    ended,
    view,
    secretIn(view),
    Number(copied),
    kind,
    turns,
  );
}

export function putAudit(store: RowStore, key: string, view: string): void {
  store.run("INSERT OR REPLACE INTO audit (session, view) VALUES (?, ?)", key, view);
}

export function putCall(
  store: RowStore,
  row: { key: string; n: number; time: number | null; tool: ToolView; view: string; nested?: boolean; risky?: boolean },
): void {
  const { status, duration_ms, turn_ref } = row.tool;
  const name = row.tool.name ?? "";
  const { nested = row.tool.parent_call_id !== null, risky = (row.tool.risks ?? []).length > 0 } = row;
  store.run(
    "INSERT OR REPLACE INTO call (session, n, time, status, name, trouble, took, risky, view, turn, top, command) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    row.key,
    row.n,
    row.time,
    status,
    name,
    troubleOf(row.tool),
    duration_ms,
    Number(risky),
    row.view,
    turn_ref,
    Number(!nested),
    programName(name, row.tool.input),
  );
}
