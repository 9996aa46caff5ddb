import { byTime, isOfHuman, sessionOf, type Glimpse } from "./glimpse.ts";
import { leftOpen } from "./prose.ts";
import { shared, termsOf } from "./terms.ts";

/** Something left, with what tells whether somebody came back to it. */
export interface Left {
  /** The turn that left it. */
  turn: Glimpse;
  /** What is left, in words. */
  about: string;
  /** What the turn was about: what was asked, and what came of it. */
  context: string;
  /** The turn did not finish: the same asked again settles it. */
  unfinished: boolean;
  /** False while its records were not read: they may add to the context, and to nothing else. */
  isCertain: boolean;
}

/** How much of a later turn's answer may show what it took up. */
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
 * Which of the things left are still left at the end: what a later turn of the same session or the same project took up is
 * not, and what is said again is listed once, where it was said first. `left` is in order of time. `ascertain` reads the
 * records of one that is not certain: done only where they matter to the answer.
 */
export function stillLeft<T extends Left>(
  left: readonly T[],
  turns: readonly Glimpse[],
  ascertain: (one: T) => T | null = (one) => one,
): T[] {
  const byProject = new Map<string, Later[]>();
  for (const turn of turns.filter(isOfHuman).toSorted(byTime)) {
    const list = byProject.get(turn.project) ?? [];
    list.push(new Later(turn));
    byProject.set(turn.project, list);
  }
  const matter = (one: T): Matter<T> => matterOf(one, byProject.get(one.turn.project) ?? []);
  const likely = left.map(matter);
  const matters = likely.flatMap((one, i) => {
    if (!isUndecided(one, likely.slice(i + 1))) return [one];
    const certain = ascertain(one.left);
    return certain === null ? [] : [matter(certain)];
  });
  return matters.flatMap((one, i) => {
    if (one.taken_up !== null) return [];
    const isSaid = matters.slice(0, i).some((earlier) => isOpen(earlier, one) && restates(one, earlier));
    return isSaid ? [] : [one.left];
  });
}

/** What was settled in between and is said again is another matter. */
function isOpen({ taken_up }: Matter, later: Matter): boolean {
  return taken_up === null || taken_up >= later.left.turn.time;
}

/**
 * More context can only make it taken up, or taken up earlier. That is of no matter to what was taken up already, unless
 * something later is not listed because of it.
 */
function isUndecided(one: Matter, later: readonly Matter[]): boolean {
  if (one.left.isCertain) return false;
  return (
    one.taken_up === null ||
    later.some((other) => other.taken_up === null && isOpen(one, other) && restates(other, one))
  );
}

/** A later turn, with the words it is compared by: found when they are asked for, and once, however many are compared with it. */
class Later {
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

  /** What it leaves itself. */
  get leaves(): string {
    return (this.#leaves ??= leftOpen(this.turn.final, this.turn)?.sentences.join("\n") ?? "");
  }
}

interface Matter<T extends Left = Left> {
  left: T;
  about: ReadonlySet<string>;
  context: ReadonlySet<string>;
  /** When a turn first took it up; null when none did. */
  taken_up: number | null;
}

function matterOf<T extends Left>(left: T, turns: readonly Later[]): Matter<T> {
  const about = termsOf(left.about);
  const context = new Set([...termsOf(left.context)].filter((term) => !about.has(term)));
  const matter: Matter<T> = { left, about, context, taken_up: null };
  const session = sessionOf(left.turn);
  const first = turns.find((later) => {
    const { turn } = later;
    if (turn.time <= left.turn.time) return false;
    // Who is stopped in the middle has taken nothing up, but what was asked last counts.
    if (sessionOf(turn) === session) return left.unfinished || turn.outcome === "completed";
    if (left.unfinished && isSameWish(left.turn, later)) return true;
    return turn.outcome === "completed" && takesUp(matter, later);
  });
  return { ...matter, taken_up: first?.turn.time ?? null };
}

/** The same was asked again, in the same words or in most of them. */
function isSameWish(before: Glimpse, { turn, asked }: Later): boolean {
  const [a, b] = [before.prompt.trim(), turn.prompt.trim()];
  if (a === b) return a !== "";
  const terms = termsOf(a);
  const common = shared(terms, asked);
  return common >= 2 && common >= Math.min(terms.size, asked.size) / 2;
}

/** A turn takes up what it was asked about, unless it was told not to, or leaves the same again. */
function takesUp({ left, about, context }: Matter, later: Later): boolean {
  if (!isDone(left.about, later) && !isNamed(about, context, later)) return false;
  return !DOES_NOT_DO.test(later.turn.prompt) && shared(termsOf(later.leaves), about) < 2;
}

/** The matter itself is named, by two of its words; or what it was part of, by more of them. */
function isNamed(about: ReadonlySet<string>, context: ReadonlySet<string>, later: Later): boolean {
  const named = shared(about, later.asked);
  const touched = shared(context, later.asked);
  if ((named >= 1 && named + touched >= 2) || touched >= 3) return true;
  return named + touched >= 1 && shared(about, later.whole) >= 2;
}

/** Where only a push, a commit, a deployment is missing, any later one of the project is the missing one. */
function isDone(about: string, later: Later): boolean {
  if (about.trim().split(/\s+/).length > 6) return false;
  const { prompt, final } = later.turn;
  return DEEDS.some(
    ([missing, done]) => missing.test(about) && (done.test(prompt) || done.test(final)) && !missing.test(later.leaves),
  );
}

function restates(one: Matter, earlier: Matter): boolean {
  if (one.left.turn.project !== earlier.left.turn.project) return false;
  const common = shared(one.about, earlier.about);
  return common >= 2 && common >= Math.min(one.about.size, earlier.about.size) / 2;
}
