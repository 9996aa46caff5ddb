import { setImmediate as others } from "node:timers/promises";
import { doctorReport, healthOf, type DoctorReport, type SessionHealth } from "../reading/doctor.ts";
import { storedHealth } from "../store/tables/health-rows.ts";
import { familiesOf } from "../store/sync/families.ts";
import type { Diagnostic } from "../sources/contract.ts";
import { sessionKey } from "../turns/session.ts";
import type { Asking } from "./asking.ts";
import { bookHealth, type BookHealth } from "./book-health.ts";
import { FULL } from "./questions.ts";

/** So many sessions are put together at a time: of each only what is said of its health is kept. */
const AT_ONCE = 32;

export async function doctor(asking: Asking): Promise<DoctorReport & { book: BookHealth | null }> {
  const { at, now, options } = asking;
  const { book } = options;
  return {
    ...doctorReport(at.opened(), await health(asking), now),
    book: book === undefined ? null : bookHealth(book, at.forgotten.all.length),
  };
}

async function health(asking: Asking): Promise<Parameters<typeof doctorReport>[1]> {
  const { at } = asking;
  const { index } = at;
  if (!index) {
    const { sessions, diagnostics, unreadable } = await at.readFiles(FULL);
    return { sessions: sessions.map(healthOf), diagnostics, unreadable };
  }
  const found = at.opened().diagnostics;
  const [sessions, diagnostics]: [Map<string, SessionHealth>, Set<Diagnostic>] = [new Map(), new Set(found)];
  let unreadable: Diagnostic[] = [];
  const { store, scope } = index;
  const all = new Set(store.units().map(({ ref, session_id }) => `${ref.source}/${session_id}`));
  const inScope = [...all].filter((key) => scope === null || scope.has(key));
  const stored = storedHealth(store);
  for (const key of inScope) {
    const known = stored.get(key);
    if (known) sessions.set(key, known);
  }
  // The rest is put together, at least nothing: files that could not be read are named with it.
  const rest = inScope.filter((key) => !stored.has(key));
  for (const keys of bunches(familiesOf(store, rest))) {
    const assembled = at.assemble(index, keys);
    const meant = new Set(keys);
    for (const session of assembled.sessions)
      if (meant.has(sessionKey(session))) sessions.set(sessionKey(session), healthOf(session));
    for (const one of assembled.diagnostics) diagnostics.add(one);
    ({ unreadable } = assembled);
    // Whoever asks something else meanwhile is answered.
    await others();
  }
  return { sessions: [...sessions.values()], diagnostics: [...diagnostics], unreadable };
}

/** Families stay together. At least one bunch: what belongs to no session is reported with it. */
function bunches(families: readonly string[][]): string[][] {
  const all: string[][] = [[]];
  for (const family of families) {
    const last = all.at(-1);
    if (last && last.length + family.length <= AT_ONCE) last.push(...family);
    else all.push([...family]);
  }
  return all;
}
