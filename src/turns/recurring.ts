import type { TriggerEntry } from "../format/record.ts";
import { sessionKey, type Session, type Turn } from "./session.ts";

/**
 * Prompts that seem to come from a program, because the same words were asked again and again by the clock. No file proves
 * it, and none can be judged alone: all sessions at hand are looked at together, and their order does not matter.
 */
export type RecurrenceRule = "recurring.daily" | "recurring.interval" | "recurring.often";

/** A prompt among all that have the same words. */
export interface Asking {
  session: string;
  ref: string;
  time: number | null;
  entry: TriggerEntry;
  /** Where it was asked. */
  cwd: string | null;
}

/** Fewer letters than this are said by everybody: "continue", "yes, go on". */
const LEAST = 12;
/** What is compared of a long prompt. */
const MOST = 2000;

/** What two prompts of one program have in common: numbers and dates may differ. Null where too little is left. */
export function wordsOf(text: string): string | null {
  const words = text.slice(0, MOST).replaceAll(/\d+/g, "0").replaceAll(/\s+/g, " ").trim();
  return words.length < LEAST ? null : words;
}

/** The prompts of a session that are compared with others. */
export function comparable(session: Session): { turn: Turn; words: string; asking: Asking }[] {
  if (session.meta.kind !== "root") return [];
  const key = sessionKey(session);
  return session.turns.flatMap((turn) => {
    const { kind, entry, text, time } = turn.draft.trigger;
    const words = kind === "prompt" || kind === "command" ? wordsOf(text) : null;
    return words === null
      ? []
      : [{ turn, words, asking: { session: key, ref: turn.ref, time, entry, cwd: session.meta.cwd } }];
  });
}

/** Which prompts of the same words recur, and by which rule. */
export function recurring<T extends Asking>(asked: readonly T[]): Map<T, RecurrenceRule> {
  const found = new Map<T, RecurrenceRule>();
  const timed = asked.filter((one) => one.time !== null).toSorted(byTime);
  for (const one of evenly(timed)) found.set(one, "recurring.interval");
  // People who sit at a terminal have habits, too.
  const headless = timed.filter((one) => one.entry === "headless" && !found.has(one));
  for (const one of daily(headless)) found.set(one, "recurring.daily");
  const driven = timed.filter((one) => (one.entry === "headless" || one.entry === "sdk") && !found.has(one));
  for (const one of often(driven)) found.set(one, "recurring.often");
  return found;
}

function byTime(a: Asking, b: Asking): number {
  return timeOf(a) - timeOf(b) || (a.session < b.session ? -1 : a.session > b.session ? 1 : a.ref < b.ref ? -1 : 1);
}

function timeOf({ time }: Asking): number {
  return time ?? 0;
}

const DAY = 86_400_000;
/** Schedulers are late by seconds, machines that slept by minutes. */
const NEAR = 5 * 60_000;
const DAYS = 3;

/** Asked without a terminal, at the same time of the day on three days. */
function daily<T extends Asking>(asked: readonly T[]): T[] {
  if (asked.length < DAYS) return [];
  const clock = asked.map((one) => ({ one, at: timeOf(one) % DAY, day: Math.floor(timeOf(one) / DAY) }));
  // Just before and just after midnight are near each other: those near the end are seen before the beginning as well.
  const round = [
    ...clock
      .filter(({ at }) => at >= DAY - 2 * NEAR)
      .map((each) => ({ ...each, at: each.at - DAY, day: each.day + 1 })),
    ...clock,
  ].toSorted((a, b) => a.at - b.at);
  const found = new Set<T>();
  for (let from = 0, to = 0; from < round.length; from++) {
    const first = round[from];
    while (to < round.length && (round[to]?.at ?? 0) - (first?.at ?? 0) <= 2 * NEAR) to++;
    const near = round.slice(from, to);
    if (near.length < DAYS || new Set(near.map(({ day }) => day)).size < DAYS) continue;
    for (const { one } of near) found.add(one);
  }
  return [...found];
}

const TIMES = 5;
const SHORTEST = 20_000;
/** Beyond that it is the time of the day that returns, as people do. */
const LONGEST = 6 * 3_600_000;
/** How much one pause may differ from the next: a part of it, but at least what a run of the program itself takes. */
const SLACK = 0.05;
const LEAST_SLACK = 15_000;
const MOST_SLACK = 120_000;

/** Asked at least five times with the same pause between. */
function evenly<T extends Asking>(asked: readonly T[]): T[] {
  const found: T[] = [];
  for (let from = 0; from + TIMES <= asked.length;) {
    const pause = pauseAfter(asked, from);
    const slack = Math.min(Math.max(LEAST_SLACK, pause * SLACK), MOST_SLACK, pause / 3);
    let to = from + 1;
    while (to < asked.length - 1 && Math.abs(pauseAfter(asked, to) - pause) <= slack) to++;
    if (pause >= SHORTEST && pause <= LONGEST && to - from + 1 >= TIMES) found.push(...asked.slice(from, to + 1));
    from = to;
  }
  return found;
}

const OFTEN = 8;
const WITHIN = 2 * 3_600_000;

/** Asked without a terminal eight times within two hours in one place: a loop that waits for nothing but its own work. */
function often<T extends Asking>(asked: readonly T[]): T[] {
  const places = new Map<string, T[]>();
  for (const one of asked) {
    if (one.cwd === null) continue;
    const here = places.get(one.cwd);
    if (here) here.push(one);
    else places.set(one.cwd, [one]);
  }
  const found = new Set<T>();
  for (const here of places.values()) {
    for (let from = 0; from + OFTEN <= here.length; from++) {
      const run = here.slice(from, from + OFTEN);
      const [first, last] = [run[0], run.at(-1)];
      if (first && last && timeOf(last) - timeOf(first) <= WITHIN) for (const one of run) found.add(one);
    }
  }
  return [...found];
}

function pauseAfter(asked: readonly Asking[], at: number): number {
  const [one, next] = [asked[at], asked[at + 1]];
  return one && next ? timeOf(next) - timeOf(one) : 0;
}

/** Marks the turns that recur among all sessions. */
export function markRecurring(sessions: readonly Session[]): void {
  const groups = new Map<string, (Asking & { turn: Turn })[]>();
  for (const session of sessions) {
    for (const { turn, words, asking } of comparable(session)) {
      const group = groups.get(words);
      if (group) group.push({ ...asking, turn });
      else groups.set(words, [{ ...asking, turn }]);
    }
  }
  for (const group of groups.values()) {
    if (group.length < DAYS) continue;
    for (const [{ turn }, rule] of recurring(group)) turn.automated = rule;
  }
}
