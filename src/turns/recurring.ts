import type { TriggerEntry } from "../record/record.ts";
import { findLooped, openingOf, prefixOf, type LoopedPrompt } from "./looped.ts";
import type { Session, Turn } from "./session.ts";
import { sessionKey } from "../record/session-key.ts";
import { addTo } from "../base/maps.ts";

/**
 * Prompts that seem to come from a program, because the same text was sent repeatedly at regular times. No single file
 * proves it: all sessions are examined together, in any order.
 */
export type RecurrenceRule = "recurring.daily" | "recurring.interval" | "recurring.often";

/** One prompt of a group with the same normalised text. */
export interface PromptOccurrence {
  session: string;
  ref: string;
  time: number | null;
  entry: TriggerEntry;
  /** The working directory of its session. */
  cwd: string | null;
}

/** Shorter prompts are too common to compare: "continue", "yes, go on". */
const MIN_LENGTH = 12;
/** Only this many characters of a long prompt are compared. */
const COMPARED_LENGTH = 2000;

/**
 * The normalised text of a prompt, equal for all prompts of one program: numbers and dates may differ. Null if too
 * short.
 */
export function normalisedText(text: string): string | null {
  const words = text.slice(0, COMPARED_LENGTH).replaceAll(/\d+/g, "0").replaceAll(/\s+/g, " ").trim();
  return words.length < MIN_LENGTH ? null : words;
}

/** The prompts of a session that can be compared with those of others. */
export function comparablePrompts(session: Session): { turn: Turn; words: string; asking: PromptOccurrence }[] {
  if (session.meta.kind !== "root") return [];
  const key = sessionKey(session);
  return session.turns.flatMap((turn) => {
    const { kind, entry, text, time } = turn.draft.trigger;
    const words = kind === "prompt" || kind === "command" ? normalisedText(text) : null;
    return words === null
      ? []
      : [{ turn, words, asking: { session: key, ref: turn.ref, time, entry, cwd: session.meta.cwd } }];
  });
}

/** Finds which prompts of one group recur, and by which rule. All of them have the same normalised text. */
export function findRecurring<T extends PromptOccurrence>(asked: readonly T[]): Map<T, RecurrenceRule> {
  const found = new Map<T, RecurrenceRule>();
  const timed = asked.filter((one) => one.time !== null).toSorted(byTime);
  for (const one of findEvenlySpaced(timed)) found.set(one, "recurring.interval");
  // A human at a terminal may have a daily habit too, so only headless prompts count here.
  const headless = timed.filter((one) => one.entry === "headless" && !found.has(one));
  for (const one of findDaily(headless)) found.set(one, "recurring.daily");
  const driven = timed.filter((one) => (one.entry === "headless" || one.entry === "sdk") && !found.has(one));
  for (const one of findFrequent(driven)) found.set(one, "recurring.often");
  return found;
}

function byTime(a: PromptOccurrence, b: PromptOccurrence): number {
  return timeOf(a) - timeOf(b) || (a.session < b.session ? -1 : a.session > b.session ? 1 : a.ref < b.ref ? -1 : 1);
}

function timeOf({ time }: PromptOccurrence): number {
  return time ?? 0;
}

const DAY = 86_400_000;
/** Schedulers are late by seconds, machines that slept by minutes. */
const TOLERANCE = 5 * 60_000;
const DAYS = 3;

/** Prompts sent without a terminal at the same time of day on three days. */
function findDaily<T extends PromptOccurrence>(asked: readonly T[]): T[] {
  if (asked.length < DAYS) return [];
  const clock = asked.map((one) => ({ one, at: timeOf(one) % DAY, day: Math.floor(timeOf(one) / DAY) }));
  // Times just before and just after midnight are close: prompts late in the day are also added to the start of the
  // next day.
  const round = [
    ...clock
      .filter(({ at }) => at >= DAY - 2 * TOLERANCE)
      .map((each) => ({ ...each, at: each.at - DAY, day: each.day + 1 })),
    ...clock,
  ].toSorted((a, b) => a.at - b.at);
  const found = new Set<T>();
  for (let from = 0, to = 0; from < round.length; from++) {
    const first = round[from];
    while (to < round.length && (round[to]?.at ?? 0) - (first?.at ?? 0) <= 2 * TOLERANCE) to++;
    const near = round.slice(from, to);
    if (near.length < DAYS || new Set(near.map(({ day }) => day)).size < DAYS) continue;
    for (const { one } of near) found.add(one);
  }
  return [...found];
}

const TIMES = 5;
const SHORTEST = 20_000;
/** Longer intervals are covered by the daily rule; humans also return after such a time. */
const LONGEST = 6 * 3_600_000;
/**
 * How much one interval may differ from the first: a share of it, but at least the time a run of the program itself
 * takes.
 */
const SLACK = 0.05;
const LEAST_SLACK = 15_000;
const MOST_SLACK = 120_000;

/** Prompts sent at least five times at the same interval. */
function findEvenlySpaced<T extends PromptOccurrence>(asked: readonly T[]): T[] {
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

/**
 * Prompts sent without a terminal eight times within two hours in one directory: a loop that waits only for its own
 * work.
 */
function findFrequent<T extends PromptOccurrence>(asked: readonly T[]): T[] {
  const places = new Map<string, T[]>();
  for (const one of asked) if (one.cwd !== null) addTo(places, one.cwd, one);
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

function pauseAfter(asked: readonly PromptOccurrence[], at: number): number {
  const [one, next] = [asked[at], asked[at + 1]];
  return one && next ? timeOf(next) - timeOf(one) : 0;
}

/** Marks the recurring turns of all sessions. The same words are stronger evidence than the same beginning. */
export function markRecurring(sessions: readonly Session[]): void {
  const same = new Map<string, (LoopedPrompt & { turn: Turn })[]>();
  const alike = new Map<string, (LoopedPrompt & { turn: Turn })[]>();
  for (const session of sessions) {
    for (const { turn, words, asking } of comparablePrompts(session)) {
      const { ended_at: ended } = turn.draft;
      const one = { ...asking, turn, ended, acted: turn.calls.length > 0, prefix: prefixOf(words) };
      addTo(same, words, one);
      addTo(alike, openingOf(words), one);
    }
  }
  for (const group of alike.values()) for (const [{ turn }, rule] of findLooped(group)) turn.automated = rule;
  for (const group of same.values()) {
    if (group.length < DAYS) continue;
    for (const [{ turn }, rule] of findRecurring(group)) turn.automated = rule;
  }
}
