import { type Daybook, type ForgottenView, inside, type ChangeStamp } from "../../answers/daybook.ts";
import { Zone } from "../../base/time/zone.ts";
import { VERSION } from "../../base/version.ts";
import type { TableSize } from "../rows/batches.ts";
import { uuidOf } from "../rows/ids.ts";
import type { Level } from "../../views/push-level.ts";
import { prepare, type PreparedRows } from "../rows/prepared.ts";
import type { RowOptions } from "../rows/session-rows.ts";
import { TABLE_NAMES, TABLES, type Cell, type TableName } from "../rows/tables.ts";
import { DaybookError } from "../../base/errors.ts";
import type { Machine, PushOutcome } from "./apply.ts";
import type { Destination, StoreState } from "./destination.ts";
import { KnownFingerprints } from "./known-fingerprints.ts";
import { logSent } from "./sent-log.ts";

export interface PushOptions {
  daybook: Daybook;
  /** Where the book and the log of pushes are. */
  home: string;
  to: Destination;
  level: Level;
  machine: Machine;
  /** Combined with the store's id to hash project names at level `totals`. */
  salt?: string | undefined;
  /** Projects whose names are sent at every level. */
  namedProjects?: readonly string[] | undefined;
  /** Send nothing, only count what would be sent. */
  isDry?: boolean;
  signal?: AbortSignal;
  onProgress?: (done: number, all: number) => void;
}

/** A row as it would be sent. */
export interface ExampleRow {
  table: TableName | "sessions";
  row: Record<string, Cell>;
}

export interface PushReport {
  to: string;
  level: Level;
  machine_id: string;
  dry_run: boolean;
  /** Sessions in the book. */
  sessions: number;
  /** Sessions sent; with `dry_run`, those that would be. */
  sent: number;
  /** Sessions of which the store has the same or more from another machine. */
  behind: number;
  /** Sessions removed from the store because they were forgotten here. */
  forgotten: number;
  /** Sessions in the book that were forgotten in the store: they are not pushed. */
  kept_out: number;
  /** Sessions that the store refused because a value of theirs cannot be right, and why. The others were sent. */
  refused: { session_id: string; reason: string }[];
  /** Texts before this day are not sent, because the store's retention removes them; null if all are. */
  texts_before: string | null;
  rows: number;
  bytes: number;
  tables: Partial<Record<TableName | "sessions", TableSize>>;
  /** With `dry_run`: three of the rows that would be sent. */
  examples: ExampleRow[];
}

/** Sends every session whose current state the store does not have, newest first. */
export async function push(options: PushOptions): Promise<PushReport> {
  const { daybook, to, machine, isDry = false, signal, onProgress } = options;
  const stamps = await inside(daybook).sessionStamps();
  const state = await to.state(machine);
  const how = rowOptions(options, state);
  const { texts_before = null } = state;
  const textsBefore = texts_before === null ? null : Date.parse(texts_before);
  const known = new KnownFingerprints(options.home, state.store_id, fingerprintInputs(options, state, stamps.index));
  const report = emptyReport(options);
  report.sessions = stamps.sessions.length;
  report.texts_before = textsBefore === null ? null : how.zone.day(textsBefore);
  const names: string[] = [];
  try {
    report.forgotten = await forgetIn(options, state, daybook.forgotten());
    const changed = stamps.sessions.filter((stamp) => !isUpToDate(stamp, state, known));
    for (const [done, stamp] of changed.entries()) {
      if (signal?.aborted === true) break;
      onProgress?.(done, changed.length);
      const sent = await inside(daybook).withSession(stamp.key, async (whole) => {
        const session = prepare(whole, how, { textsBefore });
        known.note(stamp, session.head.hash);
        if (state.copies[session.head.session_id] === session.head.hash) return false;
        if (isDry) return countIn(report, session, true);
        const applied = await putIn(options, session, (reason) =>
          report.refused.push({ session_id: stamp.session_id, reason }),
        );
        if (applied === "forgotten") report.kept_out++;
        if (applied === "behind") report.behind++;
        return applied === "written" && countIn(report, session, false);
      });
      if (sent === true) names.push(stamp.session_id);
    }
  } finally {
    known.save(stamps.sessions);
    // Also after an interruption or an error.
    if (!isDry && (report.sent > 0 || report.forgotten > 0)) logSent(options.home, entryOf(options, report, names));
  }
  return report;
}

/** One session with an impossible value keeps none of the others out. */
async function putIn(
  { to, machine }: PushOptions,
  session: PreparedRows,
  refused: (reason: string) => void,
): Promise<PushOutcome | null> {
  try {
    return await to.put(machine, session);
  } catch (error) {
    if (!(error instanceof DaybookError && error.code === "invalid")) throw error;
    refused(error.message);
    return null;
  }
}

/** Whether the store is known to have the current state, without reading the session. */
function isUpToDate(stamp: ChangeStamp, { copies }: StoreState, known: KnownFingerprints): boolean {
  const hash = known.of(stamp);
  return hash !== null && copies[uuidOf(stamp.source, stamp.session_id)] === hash;
}

/** Sessions forgotten while the store was unreachable are removed now. */
async function forgetIn(
  { to, machine, isDry = false }: PushOptions,
  state: StoreState,
  here: readonly ForgottenView[],
): Promise<number> {
  const out = new Set(state.forgotten);
  const wanted = here.map(({ source, session_id }) => uuidOf(source, session_id)).filter((id) => !out.has(id));
  if (wanted.length === 0) return 0;
  return isDry ? wanted.length : to.forget(machine, wanted.toSorted());
}

function rowOptions({ daybook, level, salt = "", namedProjects = [] }: PushOptions, state: StoreState): RowOptions {
  const projectKey = `${state.store_id} ${state.owner_id} ${salt}`;
  return {
    level,
    zone: new Zone(state.zone),
    redactor: daybook.redactor,
    projectKey,
    namedProjects: new Set(namedProjects),
  };
}

/** Everything the rows depend on besides the session. */
function fingerprintInputs(
  { daybook, level, salt = "", namedProjects = [] }: PushOptions,
  { store_id, owner_id, zone }: StoreState,
  index: string,
): string[] {
  const named = namedProjects.length === 0 ? [] : [JSON.stringify(namedProjects.toSorted())];
  return [VERSION, index, daybook.redactor.name, level, store_id, owner_id, zone, salt, ...named];
}

function emptyReport({ to, level, machine, isDry = false }: PushOptions): PushReport {
  return {
    to: to.name,
    level,
    machine_id: machine.machine_id,
    dry_run: isDry,
    sessions: 0,
    sent: 0,
    behind: 0,
    forgotten: 0,
    kept_out: 0,
    refused: [],
    texts_before: null,
    rows: 0,
    bytes: 0,
    tables: {},
    examples: [],
  };
}

function countIn(report: PushReport, session: PreparedRows, isDry: boolean): true {
  report.sent++;
  const head = { rows: 1, bytes: Buffer.byteLength(JSON.stringify(session.head)) };
  for (const [table, size] of [["sessions", head] as const, ...sizesOf(session)]) {
    const known = report.tables[table] ?? { rows: 0, bytes: 0 };
    report.tables[table] = { rows: known.rows + size.rows, bytes: known.bytes + size.bytes };
    report.rows += size.rows;
    report.bytes += size.bytes;
  }
  if (isDry && report.examples.length === 0) report.examples = examplesOf(session);
  return true;
}

function sizesOf({ sizes }: PreparedRows): (readonly [TableName, TableSize])[] {
  return TABLE_NAMES.flatMap((table) => {
    const size = sizes[table];
    return size ? [[table, size] as const] : [];
  });
}

/** The head, and one row each of the two most informative tables. */
function examplesOf({ head, batches }: PreparedRows): ExampleRow[] {
  const found = new Map<TableName, ExampleRow>();
  for (const { table, columns } of batches()) {
    if (found.has(table)) continue;
    const names = Object.keys(TABLES[table].columns);
    found.set(table, { table, row: Object.fromEntries(names.map((name, i) => [name, columns[i]?.[0] ?? null])) });
  }
  const rest = TELLING.flatMap((table) => found.get(table) ?? []).slice(0, 2);
  return [{ table: "sessions", row: { ...head } }, ...rest];
}

const TELLING: readonly TableName[] = ["texts", "details", "turns", "usage_responses", "tool_calls", "decisions"];

function entryOf(
  { level, machine, daybook }: PushOptions,
  report: PushReport,
  session_ids: string[],
): Parameters<typeof logSent>[1] {
  const { to, sent, forgotten, rows, bytes } = report;
  return {
    time: new Date(daybook.now).toISOString(),
    to,
    level,
    machine_id: machine.machine_id,
    sessions: sent,
    forgotten,
    rows,
    bytes,
    session_ids,
  };
}
