import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import type { Diagnostic } from "../agents/contract.ts";
import { unreadAgents, type UnreadAgent } from "../agents/unread.ts";
import { homeDirectory } from "../base/home.ts";
import { baseOf } from "../book/pages/page-format.ts";
import { doctorReport, type DoctorReport, healthOf, type HealthRow } from "../book/reading/doctor.ts";
import { familiesOf } from "../index/sync/families.ts";
import { storedHealth } from "../index/tables/health-rows.ts";
import { keyOfSession, sessionKey } from "../record/session-key.ts";
import { auditOf, type AuditReport } from "../views/audit-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";

/** How many sessions are assembled at a time; only their health is kept. */
const AT_ONCE = 32;

/** What `doctor` answers: the sources, agents of this machine that are not read, and the book. */
export interface DoctorAnswer extends DoctorReport {
  /** Empty if roots were named: then nothing else is looked for. */
  unread_agents: UnreadAgent[];
  /** Null if no book is kept. */
  book: BookHealth | null;
}

export async function doctor(ctx: AnswerContext): Promise<DoctorAnswer> {
  const { snapshot, now, options } = ctx;
  const { book, roots, env = process.env } = options;
  const home = options.home ?? homeDirectory(env);
  return {
    ...doctorReport(snapshot.opened(), await health(ctx), now),
    unread_agents: roots !== undefined || home === null ? [] : unreadAgents({ env, home }),
    book: book === undefined ? null : bookHealth(book, snapshot.forgotten.all.length),
  };
}

async function health(ctx: AnswerContext): Promise<Parameters<typeof doctorReport>[1]> {
  const { snapshot, index } = ctx;
  const found = snapshot.opened().diagnostics;
  const [sessions, diagnostics]: [Map<string, HealthRow>, Set<Diagnostic>] = [new Map(), new Set(found)];
  let unreadable: Diagnostic[] = [];
  const { store, scope } = index;
  const all = new Set(store.files().map(({ ref, session_id }) => keyOfSession(ref.source, session_id)));
  const inScope = [...all].filter((key) => scope === null || scope.has(key));
  const stored = storedHealth(store);
  for (const key of inScope) {
    const known = stored.get(key);
    if (known) sessions.set(key, known);
  }
  // Sessions without stored health are assembled. There is at least one empty batch, because unreadable files are
  // reported with it.
  const rest = inScope.filter((key) => !stored.has(key));
  for (const keys of bunches(familiesOf(store, rest))) {
    const assembled = snapshot.assemble(index, keys);
    const meant = new Set(keys);
    for (const session of assembled.sessions)
      if (meant.has(sessionKey(session))) sessions.set(sessionKey(session), healthOf(session));
    for (const one of assembled.diagnostics) diagnostics.add(one);
    ({ unreadable } = assembled);
    // Yield, so that other questions are answered meanwhile.
    await others();
  }
  return { sessions: [...sessions.values()], diagnostics: [...diagnostics], unreadable };
}

/** Batches that keep families together. At least one: problems that belong to no session are reported with it. */
function bunches(families: readonly string[][]): string[][] {
  const all: string[][] = [[]];
  for (const family of families) {
    const last = all.at(-1);
    if (last && last.length + family.length <= AT_ONCE) last.push(...family);
    else all.push([...family]);
  }
  return all;
}

/** Where the book is, and how much disk space it takes. */
export interface BookHealth {
  path: string;
  /** Session files it holds. */
  pages: number;
  bytes: number;
  /** Size of the index, which may be deleted at any time. */
  index_bytes: number;
  /** Sessions that were forgotten. */
  forgotten: number;
}

function bookHealth(home: string, forgotten: number): BookHealth {
  const book = join(home, "book");
  const files = existsSync(book) ? readdirSync(book, { withFileTypes: true, recursive: true }) : [];
  let [pages, bytes] = [0, 0];
  for (const entry of files) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    bytes += sizeOf(path);
    if (baseOf(path) !== null) pages++;
  }
  const index = ["index.db", "index.db-wal"].reduce((sum, name) => sum + sizeOf(join(home, name)), 0);
  return { path: home, pages, bytes, index_bytes: index, forgotten };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Audits every session that is partly within the span, as a whole. */
export async function audit(ctx: AnswerContext, query: Query): Promise<AuditReport> {
  const { queries } = ctx.index;
  const filter = ctx.filter(query);
  const spent = queries.usageOfActiveSessions(filter, { group: "daily", by: "spent" });
  return auditOf(queries.audits(filter), spent, ctx.zone);
}
