import type { PromptOccurrence } from "./recurring.ts";
import { addTo } from "../base/maps.ts";

/**
 * Prompts of programs whose text varies: a loop over files, a template that is filled in. They only begin alike, so the
 * evidence is how they are sent. Somebody who types or pastes a text again is at a terminal or in an editor, needs time
 * between two sessions, and mostly wants something done.
 */
export type LoopRule = "recurring.restart" | "recurring.template";

export interface LoopedPrompt extends PromptOccurrence {
  /** When the work on it ended. */
  ended: number | null;
  /** The agent called a tool. */
  acted: boolean;
  /** Equal for texts with the same long beginning; null for short texts. */
  prefix: string | null;
}

const OPENING = 24;
const PREFIX = 200;
/** What is left of a template must be long enough to be filled in with something. */
const FILLED = 240;

/** What the normalised texts of one loop have in common. */
export function openingOf(words: string): string {
  return words.slice(0, OPENING);
}

export function prefixOf(words: string): string | null {
  return words.length < FILLED ? null : words.slice(0, PREFIX);
}

/** Finds which prompts of one group come from a loop. All of them have the same opening. */
export function findLooped<T extends LoopedPrompt>(asked: readonly T[]): Map<T, LoopRule> {
  const found = new Map<T, LoopRule>();
  for (const one of findRestarted(asked.filter(isDriven))) found.set(one, "recurring.restart");
  for (const one of findFilled(asked)) if (!found.has(one)) found.set(one, "recurring.template");
  return found;
}

/** No human sits at this entry. */
function isDriven({ entry }: PromptOccurrence): boolean {
  return entry === "headless" || entry === "sdk";
}

/** A human typed or pasted it. */
export function isTyped({ entry }: PromptOccurrence): boolean {
  return entry === "interactive" || entry === "ide";
}

const RUNS = 4;
/** A loop starts the next session at once, or sleeps a little; people first read what the last one said. */
const PAUSE = 15_000;

/**
 * Sessions without a terminal in one directory, at least four of which began within seconds of the end of the one
 * before. Those in between belong to the loop too: a run may have been cut off or waited for.
 */
function findRestarted<T extends LoopedPrompt>(asked: readonly T[]): T[] {
  const found: T[] = [];
  for (const here of byPlace(asked)) {
    const timed = here.toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0) || (a.session < b.session ? -1 : 1));
    let [first, last] = [Number.POSITIVE_INFINITY, -1];
    for (let from = 0; from < timed.length;) {
      let to = from + 1;
      while (to < timed.length && follows(timed[to - 1], timed[to])) to++;
      if (to - from >= RUNS) [first, last] = [Math.min(first, from), to - 1];
      from = to;
    }
    found.push(...timed.slice(Math.min(first, timed.length), last + 1));
  }
  return found;
}

function follows(one: LoopedPrompt | undefined, next: LoopedPrompt | undefined): boolean {
  if (!one || !next || one.session === next.session || one.ended === null || next.time === null) return false;
  const pause = next.time - one.ended;
  return pause >= 0 && pause <= PAUSE;
}

function byPlace<T extends LoopedPrompt>(asked: readonly T[]): T[][] {
  const places = new Map<string, T[]>();
  for (const one of asked) if (one.cwd !== null && one.time !== null) addTo(places, one.cwd, one);
  return [...places.values()];
}

const SESSIONS = 6;
/** Where it is not known who sat at the entry. */
const UNSURE_SESSIONS = 10;

/**
 * The same long beginning in many sessions, none of which called a tool: requests that a program makes for itself, such
 * as summaries. Not if the text was also sent from a terminal or an editor.
 */
function findFilled<T extends LoopedPrompt>(asked: readonly T[]): T[] {
  const templates = new Map<string, T[]>();
  for (const one of asked) if (one.prefix !== null) addTo(templates, one.prefix, one);
  return [...templates.values()].flatMap((alike) => {
    if (alike.some((one) => isTyped(one) || one.acted)) return [];
    const least = alike.every(isDriven) ? SESSIONS : UNSURE_SESSIONS;
    return new Set(alike.map(({ session }) => session)).size >= least ? alike : [];
  });
}
