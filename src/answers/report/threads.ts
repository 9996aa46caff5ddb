import { countShared, termsOf } from "./loose/terms.ts";

/** What is looked at to tell which goal a turn followed. */
export interface ThreadTurn {
  /** The key of its session. */
  session: string;
  ref: string;
  time: number;
  /** When it ended; its beginning where that is not known. */
  until: number;
  prompt: string;
  final: string;
  /** Paths of the files it changed. */
  files: readonly string[];
  /** Subjects of its commits. */
  subjects: readonly string[];
}

/** A goal followed over turns, sessions and agents: its turns in order. */
export interface Thread<T extends ThreadTurn = ThreadTurn> {
  turns: T[];
}

/** Characters of a request and of an answer that are looked at. */
const PROMPT = 2000;
const ANSWER = 800;
const SOME = 6;
/** What a request shares with the thread before it in its session when it goes on with it. */
const GOES_ON = 0.8;
/** The same for request and answer together. */
const GOES_ON_WHOLE = 2;
/**
 * What a request must share with a thread left before to take it up: so much and so large a part of its own weight (plus
 * `OWN`), or `enough` however long it is. A request with no more terms of its own than `few` goes on from the turn before
 * it, one with `SOME` if it came `soon` (ms) after that ended, however little they have in common. `sure` for telling a day by its goals; `far` for telling that somebody came back to what was left, where a goal told
 * as two would stay open for good.
 */
const REACH = {
  sure: { least: 1.6, share: 0.28, enough: 3, few: 2, soon: 1_200_000 },
  far: { least: 1.2, share: 0.22, enough: 3.4, few: 4, soon: 10_800_000 },
} as const;
const OWN = 2;
const SAME_FILE = 0.5;
/** A file of the thread is named in the request. */
const NAMED_FILE = 1.2;

/**
 * Groups the turns of one project, in order of time, into threads. Each turn is in exactly one. What words weigh follows
 * from how rare they are among the turns given: no list of words decides.
 */
export function threadsOf<T extends ThreadTurn>(
  turns: readonly T[],
  project: string,
  reach: keyof typeof REACH,
): Thread<T>[] {
  const own = termsOf(project);
  const told = turns.map((turn) => termsInTurn(turn, own));
  const weigh = rarity(told);
  const threads: Open<T>[] = [];
  const current = new Map<string, Open<T>>();
  for (const one of told) {
    const before = current.get(one.turn.session);
    const found =
      before && goesOn(before, one, weigh, REACH[reach])
        ? before
        : (comesBack(threads, one, weigh, REACH[reach]) ?? null);
    const thread = found ?? { turns: [], asked: new Set(), whole: new Set(), files: new Set(), last: 0 };
    if (!found) threads.push(thread);
    add(thread, one);
    current.set(one.turn.session, thread);
  }
  return threads.map(({ turns: mine }) => ({ turns: mine }));
}

interface Told<T> {
  turn: T;
  /** Terms of the request. */
  asked: ReadonlySet<string>;
  /** Terms of the request, the answer and the commits. */
  whole: ReadonlySet<string>;
  files: ReadonlySet<string>;
  /** Names of files in the request. */
  named: ReadonlySet<string>;
}

interface Open<T> {
  turns: T[];
  asked: Set<string>;
  whole: Set<string>;
  files: Set<string>;
  /** When its last turn ended. */
  last: number;
}

function termsInTurn<T extends ThreadTurn>(turn: T, own: ReadonlySet<string>): Told<T> {
  let read = known.get(turn);
  if (!read) known.set(turn, (read = readTurn(turn)));
  const without = (terms: ReadonlySet<string>): Set<string> => new Set([...terms].filter((term) => !own.has(term)));
  const asked = without(read.asked);
  return {
    turn,
    asked,
    whole: new Set([...asked, ...without(read.said)]),
    files: new Set(turn.files),
    named: read.named,
  };
}

type Read = Record<"asked" | "said" | "named", ReadonlySet<string>>;

/** A report asks for the terms of its turns several times. */
const known = new WeakMap<ThreadTurn, Read>();

function readTurn(turn: ThreadTurn): Read {
  const prompt = turn.prompt.slice(0, PROMPT);
  return {
    asked: termsOf(prompt),
    said: termsOf(`${turn.final.slice(0, ANSWER)}\n${turn.subjects.join("\n")}`),
    named: new Set([...prompt.matchAll(FILE)].map(([path]) => baseName(path))),
  };
}

const FILE = /[\w./@+-]{1,200}\.[a-z]\w{0,5}(?![\w])/gi;

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/** A term of a script without spaces is a pair of characters: a word of it makes two or three. */
const PAIR = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const PAIRS_A_WORD = 2.5;

/** How many words a set of terms stands for. */
function extent(terms: ReadonlySet<string>): number {
  let size = 0;
  for (const term of terms) size += PAIR.test(term) ? 1 / PAIRS_A_WORD : 1;
  return size;
}

export type Weigh = (term: string) => number;

/** 1 for a term of one turn, falling to 0 for one of all turns. */
function rarity(told: readonly Told<unknown>[]): Weigh {
  const count = new Map<string, number>();
  for (const { whole } of told) for (const term of whole) count.set(term, (count.get(term) ?? 0) + 1);
  const all = Math.max(told.length, 12);
  // A thread itself repeats its words: only what occurs in many turns says little.
  return (term) => {
    const rare = Math.log(all / ((count.get(term) ?? 1) + 1)) / Math.log(all / 4);
    return Math.min(1, Math.max(0, rare)) * (PAIR.test(term) ? 1 / PAIRS_A_WORD : 1);
  };
}

/** How much each term tells one turn of a project from the others. */
export function rarityOf(turns: readonly ThreadTurn[], own: ReadonlySet<string>): Weigh {
  return rarity(turns.map((turn) => termsInTurn(turn, own)));
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>, weigh: Weigh): number {
  let sum = 0;
  for (const term of a) if (b.has(term)) sum += weigh(term);
  return sum;
}

/** Whether the next turn of a session goes on with the thread of the one before: the rule, unless it is about something else. */
function goesOn<T extends ThreadTurn>(
  thread: Open<T>,
  next: Told<T>,
  weigh: Weigh,
  { few, soon }: (typeof REACH)[keyof typeof REACH],
): boolean {
  const { asked, whole, files, turn } = next;
  const size = extent(asked);
  if (size <= few) return true;
  if ([...files].some((path) => thread.files.has(path))) return true;
  const touched = shared(asked, thread.whole, weigh);
  if (touched >= GOES_ON) return true;
  const isSoon = turn.time - thread.last < soon && size <= SOME;
  return isSoon || shared(whole, thread.whole, weigh) >= GOES_ON_WHOLE;
}

/** The thread of any session that a request takes up again; null when it begins one. */
function comesBack<T extends ThreadTurn>(
  threads: readonly Open<T>[],
  next: Told<T>,
  weigh: Weigh,
  { least, share: part, enough }: (typeof REACH)[keyof typeof REACH],
): Open<T> | null {
  let best: { thread: Open<T>; share: number } | null = null;
  let own = OWN;
  for (const term of next.asked) own += weigh(term);
  for (const thread of threads) {
    if (countShared(next.asked, thread.whole) < 2) continue;
    const words = (shared(next.asked, thread.asked, weigh) + shared(next.asked, thread.whole, weigh)) / 2;
    const isSameFile = [...next.files].some((path) => thread.files.has(path));
    const isNamed = [...thread.files].some((path) => next.named.has(baseName(path)));
    const common = words + (isSameFile ? SAME_FILE : 0) + (isNamed ? NAMED_FILE : 0);
    const share = common / own;
    const isEnough = common >= enough || (common >= least && share >= part);
    if (isEnough && share >= (best?.share ?? 0)) best = { thread, share };
  }
  return best?.thread ?? null;
}

function add<T extends ThreadTurn>(thread: Open<T>, { turn, asked, whole, files }: Told<T>): void {
  thread.turns.push(turn);
  for (const term of asked) thread.asked.add(term);
  for (const term of whole) thread.whole.add(term);
  for (const path of files) thread.files.add(path);
  thread.last = turn.until;
}
