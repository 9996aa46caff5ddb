import { setImmediate as others } from "node:timers/promises";
import { doctorReport, healthOf, type DoctorReport, type HealthRow } from "../book/reading/doctor.ts";
import { storedHealth } from "../index/tables/health-rows.ts";
import { familiesOf } from "../index/sync/families.ts";
import type { Diagnostic } from "../agents/contract.ts";
import type { AnswerContext } from "./answer-context.ts";
import { bookHealth, type BookHealth } from "./book-health.ts";
import { sessionKey, keyOfSession } from "../record/session-key.ts";

/** How many sessions are assembled at a time; only their health is kept. */
const AT_ONCE = 32;

export async function doctor(ctx: AnswerContext): Promise<DoctorReport & { book: BookHealth | null }> {
  const { snapshot, now, options } = ctx;
  const { book } = options;
  return {
    ...doctorReport(snapshot.opened(), await health(ctx), now),
    book: book === undefined ? null : bookHealth(book, snapshot.forgotten.all.length),
  };
}

async function health(ctx: AnswerContext): Promise<Parameters<typeof doctorReport>[1]> {
  const { snapshot, index } = ctx;
  const found = snapshot.opened().diagnostics;
  const [sessions, diagnostics]: [Map<string, HealthRow>, Set<Diagnostic>] = [new Map(), new Set(found)];
  let unreadable: Diagnostic[] = [];
  const { store, scope } = index;
  const all = new Set(store.units().map(({ ref, session_id }) => keyOfSession(ref.source, session_id)));
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
