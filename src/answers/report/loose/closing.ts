import { byTime, isOfHuman, sessionOf, type Glimpse } from "./glimpse.ts";
import { leftOpen } from "./prose.ts";
import { countShared, termsOf } from "./terms.ts";

/** Something a turn left open, with what is needed to tell whether a later turn took it up. */
export interface OpenEnd {
  /** The turn that left it. */
  turn: Glimpse;
  /** What is left, as a text. */
  about: string;
  /** What the turn was about: what was asked, and what came of it. */
  context: string;
  /** The turn did not finish: asking the same again settles it. */
  unfinished: boolean;
  /** False until the turn's records were read; they can only add to the context. */
  isCertain: boolean;
}

/** Characters of a later turn's answer that may show what it took up. */
const ANSWER = 400;
const DOES_NOT_DO =
  /\b(?:don['’]?t|do not|dont|without|not) (?:implement|change|fix|touch|build|do (?:it|that|anything))\w*\b|\bnicht (?:umsetzen|ändern|implementieren|anfassen|bauen)\b|\bnoch nicht\b/i;
const DEEDS = [
  [/\b(?:push|gepusht)\w*/i, /\b(?:push(?:ed)?|gepusht)\b/i],
  [/\b(?:commit|eingecheckt)\w*/i, /\b(?:commit(?:ted)?|committet|eingecheckt)\b/i],
  [/\b(?:deploy|ausgerollt)\w*/i, /\b(?:deploy(?:ed)?|deployt|ausgerollt|rolled out)\b/i],
  [/\b(?:merg|gemergt)\w*/i, /\b(?:merged?|gemergt|gemerged)\b/i],
] as const;

/**
 * Returns what is still open at the end: without what a later turn of the same session or project took up, and with
 * repeated statements only once, at the first one. `left` is in order of time. `ascertain` reads the records of an
 * entry that is not certain; it is called only where they can change the answer.
 */
export function stillOpen<T extends OpenEnd>(
  left: readonly T[],
  turns: readonly Glimpse[],
  ascertain: (one: T) => T | null = (one) => one,
): T[] {
  const byProject = new Map<string, LaterTurn[]>();
  for (const turn of turns.filter(isOfHuman).toSorted(byTime)) {
    const list = byProject.get(turn.project) ?? [];
    list.push(new LaterTurn(turn));
    byProject.set(turn.project, list);
  }
  const track = (one: T): TrackedEnd<T> => trackEnd(one, byProject.get(one.turn.project) ?? []);
  const likely = left.map(track);
  const tracked = likely.flatMap((one, i) => {
    if (!isUndecided(one, likely.slice(i + 1))) return [one];
    const certain = ascertain(one.left);
    return certain === null ? [] : [track(certain)];
  });
  return tracked.flatMap((one, i) => {
    if (one.taken_up !== null) return [];
    const isSaid = tracked.slice(0, i).some((earlier) => isStillOpen(earlier, one) && restates(one, earlier));
    return isSaid ? [] : [one.left];
  });
}

/** Whether the earlier entry was still open when the later one was made; if not, the later one is new. */
function isStillOpen({ taken_up }: TrackedEnd, later: TrackedEnd): boolean {
  return taken_up === null || taken_up >= later.left.turn.time;
}

/**
 * Whether reading the records can change the answer. More context can only cause an entry to be taken up, or taken up
 * earlier. For one that is taken up already that matters only if a later entry is dropped as its repetition.
 */
function isUndecided(one: TrackedEnd, later: readonly TrackedEnd[]): boolean {
  if (one.left.isCertain) return false;
  return (
    one.taken_up === null ||
    later.some((other) => other.taken_up === null && isStillOpen(one, other) && restates(other, one))
  );
}

/** A later turn with its terms, computed lazily and only once however many entries are compared with it. */
class LaterTurn {
  readonly turn: Glimpse;
  #asked: ReadonlySet<string> | null = null;
  #whole: ReadonlySet<string> | null = null;
  #leaves: string | null = null;

  constructor(turn: Glimpse) {
    this.turn = turn;
  }

  get asked(): ReadonlySet<string> {
    return (this.#asked ??= termsOf(this.turn.prompt));
  }

  get whole(): ReadonlySet<string> {
    return (this.#whole ??= new Set([...this.asked, ...termsOf(this.turn.final.slice(0, ANSWER))]));
  }

  /** What this turn itself leaves open. */
  get leaves(): string {
    return (this.#leaves ??= leftOpen(this.turn.final, this.turn)?.sentences.join("\n") ?? "");
  }
}

interface TrackedEnd<T extends OpenEnd = OpenEnd> {
  left: T;
  about: ReadonlySet<string>;
  context: ReadonlySet<string>;
  /** When a turn first took it up; null when none did. */
  taken_up: number | null;
}

function trackEnd<T extends OpenEnd>(left: T, turns: readonly LaterTurn[]): TrackedEnd<T> {
  const about = termsOf(left.about);
  const context = new Set([...termsOf(left.context)].filter((term) => !about.has(term)));
  const entry: TrackedEnd<T> = { left, about, context, taken_up: null };
  const session = sessionOf(left.turn);
  const first = turns.find((later) => {
    const { turn } = later;
    if (turn.time <= left.turn.time) return false;
    // In the same session any later turn supersedes an unfinished one; everything else needs a completed turn.
    if (sessionOf(turn) === session) return left.unfinished || turn.outcome === "completed";
    if (left.unfinished && isSameRequest(left.turn, later)) return true;
    return turn.outcome === "completed" && takesUp(entry, later);
  });
  return { ...entry, taken_up: first?.turn.time ?? null };
}

/** The same was asked again, in the same words or in most of them. */
function isSameRequest(before: Glimpse, { turn, asked }: LaterTurn): boolean {
  const [a, b] = [before.prompt.trim(), turn.prompt.trim()];
  if (a === b) return a !== "";
  const terms = termsOf(a);
  const common = countShared(terms, asked);
  return common >= 2 && common >= Math.min(terms.size, asked.size) / 2;
}

/** A turn takes up what it was asked about, unless it was told not to or leaves the same open again. */
function takesUp({ left, about, context }: TrackedEnd, later: LaterTurn): boolean {
  if (!isDone(left.about, later) && !isNamed(about, context, later)) return false;
  return !DOES_NOT_DO.test(later.turn.prompt) && countShared(termsOf(later.leaves), about) < 2;
}

/**
 * Whether the later request names what is left: by one of its terms and another one, by three terms of its context, or
 * by one term while request and answer together name two.
 */
function isNamed(about: ReadonlySet<string>, context: ReadonlySet<string>, later: LaterTurn): boolean {
  const named = countShared(about, later.asked);
  const touched = countShared(context, later.asked);
  if ((named >= 1 && named + touched >= 2) || touched >= 3) return true;
  return named + touched >= 1 && countShared(about, later.whole) >= 2;
}

/** When only a push, commit, deployment or merge is missing, any later one in the project settles it. */
function isDone(about: string, later: LaterTurn): boolean {
  if (about.trim().split(/\s+/).length > 6) return false;
  const { prompt, final } = later.turn;
  return DEEDS.some(
    ([missing, done]) => missing.test(about) && (done.test(prompt) || done.test(final)) && !missing.test(later.leaves),
  );
}

function restates(one: TrackedEnd, earlier: TrackedEnd): boolean {
  if (one.left.turn.project !== earlier.left.turn.project) return false;
  const common = countShared(one.about, earlier.about);
  return common >= 2 && common >= Math.min(one.about.size, earlier.about.size) / 2;
}
