import { isOfHuman, sessionOf, type Glimpse } from "./glimpse.ts";
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
}

/** A later turn, with the words it is compared by; told once, however many are compared with it. */
interface Later {
  turn: Glimpse;
  asked: ReadonlySet<string>;
  whole: ReadonlySet<string>;
  leaves: ReadonlySet<string>;
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
 * not, and what is said again is listed once, where it was said first.
 */
export function stillLeft<T extends Left>(left: readonly T[], turns: readonly Glimpse[]): T[] {
  const later = turns.filter(isOfHuman).map(laterOf);
  return left.filter((one, i) => {
    if (isTakenUp(one, later)) return false;
    // What was settled in between and is said again is another matter.
    const before = later.filter(({ turn }) => turn.time < one.turn.time);
    return !left.slice(0, i).some((earlier) => restates(one, earlier) && !isTakenUp(earlier, before));
  });
}

function laterOf(turn: Glimpse): Later {
  const asked = termsOf(turn.prompt);
  const said = turn.outcome === "completed" ? leftOpen(turn.final, turn) : null;
  return {
    turn,
    asked,
    whole: new Set([...asked, ...termsOf(turn.final.slice(0, ANSWER))]),
    leaves: termsOf(said?.sentences.join("\n") ?? ""),
  };
}

function isTakenUp(left: Left, turns: readonly Later[]): boolean {
  const about = termsOf(left.about);
  const context = new Set([...termsOf(left.context)].filter((term) => !about.has(term)));
  const session = sessionOf(left.turn);
  return turns.some((later) => {
    const { turn } = later;
    if (turn.time <= left.turn.time) return false;
    // Who is stopped in the middle has taken nothing up, but what was asked last counts.
    if (sessionOf(turn) === session) return left.unfinished || turn.outcome === "completed";
    if (turn.project !== left.turn.project) return false;
    if (left.unfinished && isSameWish(left.turn, turn, later.asked)) return true;
    return turn.outcome === "completed" && takesUp(left, { about, context }, later);
  });
}

/** The same was asked again, in the same words or in most of them. */
function isSameWish(before: Glimpse, after: Glimpse, asked: ReadonlySet<string>): boolean {
  const [a, b] = [before.prompt.trim(), after.prompt.trim()];
  if (a === b) return a !== "";
  const terms = termsOf(a);
  const common = shared(terms, asked);
  return common >= 2 && common >= Math.min(terms.size, asked.size) / 2;
}

interface Terms {
  about: ReadonlySet<string>;
  context: ReadonlySet<string>;
}

/** A turn takes up what it was asked about, unless it was told not to, or leaves the same again. */
function takesUp(left: Left, { about, context }: Terms, { turn, asked, whole, leaves }: Later): boolean {
  if (DOES_NOT_DO.test(turn.prompt)) return false;
  if (leaves.size > 0 && shared(leaves, about) >= 2) return false;
  if (isDone(left.about, turn)) return true;
  const named = shared(about, asked);
  const touched = shared(context, asked);
  // The matter itself, by two of its words; or what it was part of, by more of them.
  if (named + touched >= 1 && shared(about, whole) >= 2) return true;
  return (named >= 1 && named + touched >= 2) || touched >= 3;
}

/** Where only a push, a commit, a deployment is missing, any later one of the project is the missing one. */
function isDone(about: string, turn: Glimpse): boolean {
  const lone = about.trim().split(/\s+/).length <= 6;
  return (
    lone && DEEDS.some(([missing, done]) => missing.test(about) && (done.test(turn.prompt) || done.test(turn.final)))
  );
}

function restates(one: Left, earlier: Left): boolean {
  if (one.turn.project !== earlier.turn.project) return false;
  const [a, b] = [termsOf(one.about), termsOf(earlier.about)];
  const common = shared(a, b);
  return common >= 2 && common >= Math.min(a.size, b.size) / 2;
}
