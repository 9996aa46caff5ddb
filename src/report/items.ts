import { askedLine } from "../text/asked-line.ts";
import { shared, termsOf } from "./loose/terms.ts";
import type { ReportItem, ReportTurn } from "./model.ts";
import { saysSomething } from "./result.ts";
import { isUnproven } from "./sums.ts";

/** Between two requests of one session: after so long without anything in common, another matter begins. */
const BREAK_MS = 30 * 60_000;
/** So much of the smaller of two matters must stand in the other for them to be one. */
const ALIKE = 0.34;

/** A request that makes sense only behind another one. */
const FOLLOWS =
  /^(?:and|also|but|or|then|now|next|so|still|again|ok(?:ay)?|yes|yep|yeah|yup|no|nope|nah|nvm|hm+|go|do it|did it|done|why|how come|continue|commit|push|revert|undo|retry|try|same|that|this|it|those|these|make it|good|great|nice|perfect|thanks?|thx|wow|und|dann|auch|jetzt|weiter|ja|nein|doch|noch|warum|mach|wieder|gut|danke|y|et|puis|oui|non|sí|はい|続け|次|继续|好)\b/iu;

/** The work of one project as its owner would list it: turns that belong together, with what came of them. */
export function itemsOf(
  turns: readonly ReportTurn[],
  project: string,
  hide: (text: string) => string,
): ReportItem[] | null {
  const worded = turns.filter(({ trigger }) => trigger.text !== null);
  // Without a word of what was asked nobody knows what belongs together.
  if (worded.length === 0 && turns.length > 0) return null;
  return matters(worded, project).map((list) => {
    const standing = list.filter(({ taken_back }) => taken_back === null);
    const shown = standing.length > 0 ? standing : list;
    const last = shown.at(-1);
    return {
      asked: askedLine(hide(list[0]?.trigger.text ?? "")),
      results: resultsOf(shown),
      outcome: last?.outcome ?? "open",
      unproven: last !== undefined && isUnproven(last),
      turns: list.map(({ citation }) => citation),
    };
  });
}

/**
 * The result that tells most, and where they are others and tell something, the first one, which often says what was wrong, and
 * the last one: how the matter stands.
 */
function resultsOf(turns: readonly ReportTurn[]): ReportItem["results"] {
  const weightiest = turns.toSorted((a, b) => weight(b) - weight(a)).at(0);
  const first = turns.find(({ result, outcome }) => outcome === "completed" && result && isInformative(result.text));
  const last = turns.findLast(({ result }) => result !== null && saysSomething(result.text));
  return turns.flatMap((turn) =>
    turn.result && (turn === weightiest || turn === first || turn === last)
      ? [{ text: turn.result.text, citation: turn.citation }]
      : [],
  );
}

/** `Lowercased and committed.` is true, and not what the matter was about. */
function isInformative(result: string): boolean {
  return saysSomething(result) && result.length >= 40;
}

/** How much a turn's result tells of the whole matter: what changed something before what was only said, the later first. */
function weight({ result, files, commits, outcome }: ReportTurn): number {
  if (!result) return -1;
  // That it was stopped tells nothing of what it was about.
  if (outcome !== "completed") return 0;
  const says = saysSomething(result.text) ? 4 : 0;
  const informs = isInformative(result.text) ? 2 : 0;
  return says + informs + ((files ?? []).length > 0 ? 2 : 0) + ((commits ?? []).length > 0 ? 1 : 0);
}

interface Matter {
  turns: ReportTurn[];
  sessions: Set<string>;
  /** What it is about. */
  terms: Set<string>;
  /** What was asked, apart: answers say many words in passing. */
  asked: Set<string>;
  files: Set<string>;
  last: number;
}

/** Turns that belong together, in the order in which the matters began; each turn in exactly one. */
function matters(turns: readonly ReportTurn[], project: string): ReportTurn[][] {
  const own = termsOf(project);
  const open: Matter[] = [];
  for (const turn of turns) {
    const about = aboutOf(turn, own);
    const same = open.findLast((matter) => matter.sessions.has(sessionOf(turn)));
    const found = same && goesOn(same, about) ? same : open.findLast((matter) => isSame(matter, about));
    if (found) add(found, about);
    else open.push({ ...about, turns: [turn], sessions: new Set([sessionOf(turn)]) });
  }
  return open.map((matter) => matter.turns);
}

interface About extends Omit<Matter, "turns" | "sessions"> {
  turn: ReportTurn;
  start: number;
}

function aboutOf(turn: ReportTurn, own: ReadonlySet<string>): About {
  const text = turn.trigger.text ?? "";
  const without = (terms: Set<string>): Set<string> => new Set([...terms].filter((term) => !own.has(term)));
  const said = `${text.slice(0, 2000)}\n${(turn.last_words?.text ?? "").slice(0, 1000)}`;
  return {
    turn,
    asked: without(termsOf(text.slice(0, 2000))),
    terms: without(termsOf(`${said}\n${(turn.commits ?? []).map(({ subject }) => subject ?? "").join("\n")}`)),
    files: new Set((turn.files ?? []).map(({ path }) => path)),
    start: Date.parse(turn.time),
    last: Date.parse(turn.ended_at ?? turn.time),
  };
}

/** The next request of the same session: another matter only where nothing speaks for the same. */
function goesOn(matter: Matter, next: About): boolean {
  if (next.start - matter.last < BREAK_MS || next.asked.size < 4 || FOLLOWS.test((next.turn.trigger.text ?? "").trim()))
    return true;
  return shared(next.terms, matter.terms) >= 2 || [...next.files].some((path) => matter.files.has(path));
}

/** A request of another session: the same matter only where much speaks for it. */
function isSame(matter: Matter, next: About): boolean {
  const asked = shared(next.asked, matter.asked);
  const least = Math.min(next.asked.size, matter.asked.size);
  return asked >= 2 && least > 0 && asked / least >= ALIKE;
}

function add(matter: Matter, next: About): void {
  matter.turns.push(next.turn);
  matter.sessions.add(sessionOf(next.turn));
  for (const term of next.terms) matter.terms.add(term);
  for (const term of next.asked) matter.asked.add(term);
  for (const path of next.files) matter.files.add(path);
  matter.last = Math.max(matter.last, next.last);
}

function sessionOf({ source, session_id }: ReportTurn): string {
  return `${source}/${session_id}`;
}
