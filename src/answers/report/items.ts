import { askedLine } from "../../base/text/asked-line.ts";
import { countShared, termsOf } from "./loose/terms.ts";
import type { ReportItem, ReportTurn } from "./model.ts";
import { saysSomething } from "./result.ts";
import { isUnproven } from "./sums.ts";
import { keyOfSession } from "../../record/session-key.ts";

/** Pause between two requests of one session after which a request with nothing in common starts a new item. */
const BREAK_MS = 30 * 60_000;
/** Share of the smaller set of terms that must be in the other for two requests to be about the same work. */
const ALIKE = 0.34;

/** A request that makes sense only after another one. */
const FOLLOWS =
  /^(?:and|also|but|or|then|now|next|so|still|again|ok(?:ay)?|yes|yep|yeah|yup|no|nope|nah|nvm|hm+|go|do it|did it|done|why|how come|continue|commit|push|revert|undo|retry|try|same|that|this|it|those|these|make it|good|great|nice|perfect|thanks?|thx|wow|und|dann|auch|jetzt|weiter|ja|nein|doch|noch|warum|mach|wieder|gut|danke|y|et|puis|oui|non|sí|はい|続け|次|继续|好)\b/iu;

/**
 * Groups the turns of one project into items: turns that belong together, with their results. Null when no request text
 * is known.
 */
export function itemsOf(
  turns: readonly ReportTurn[],
  project: string,
  hide: (text: string) => string,
): ReportItem[] | null {
  const worded = turns.filter(({ trigger }) => trigger.text !== null);
  // Without any request text it is unknown which turns belong together.
  if (worded.length === 0 && turns.length > 0) return null;
  return groupTurns(worded, project).map((list) => {
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
 * The most informative result and, where they differ and say something, the first one, which often says what was wrong,
 * and the last one, which says how things stand.
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

/** `Lowercased and committed.` is true, but not what the work was about. */
function isInformative(result: string): boolean {
  return saysSomething(result) && result.length >= 40;
}

/** How much a turn's result tells about the whole item: turns that changed something rank above mere statements. */
function weight({ result, files, commits, outcome }: ReportTurn): number {
  if (!result) return -1;
  // The result of such a turn only says that it was stopped.
  if (outcome !== "completed") return 0;
  const says = saysSomething(result.text) ? 4 : 0;
  const informs = isInformative(result.text) ? 2 : 0;
  return says + informs + ((files ?? []).length > 0 ? 2 : 0) + ((commits ?? []).length > 0 ? 1 : 0);
}

interface RequestGroup {
  turns: ReportTurn[];
  sessions: Set<string>;
  /** Terms of the requests, the answers and the commit subjects. */
  terms: Set<string>;
  /** Terms of the requests alone: answers mention many words in passing. */
  asked: Set<string>;
  files: Set<string>;
  last: number;
}

/** Groups turns that belong together, in the order in which the groups begin. Each turn is in exactly one. */
function groupTurns(turns: readonly ReportTurn[], project: string): ReportTurn[][] {
  const own = termsOf(project);
  const open: RequestGroup[] = [];
  for (const turn of turns) {
    const about = topicOf(turn, own);
    const same = open.findLast((group) => group.sessions.has(sessionOf(turn)));
    const found = same && goesOn(same, about) ? same : open.findLast((group) => isSame(group, about));
    if (found) add(found, about);
    else open.push({ ...about, turns: [turn], sessions: new Set([sessionOf(turn)]) });
  }
  return open.map((group) => group.turns);
}

interface RequestTopic extends Omit<RequestGroup, "turns" | "sessions"> {
  turn: ReportTurn;
  start: number;
}

function topicOf(turn: ReportTurn, own: ReadonlySet<string>): RequestTopic {
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

/** Whether the next request of the same session continues the group: the default, unless nothing connects them. */
function goesOn(group: RequestGroup, next: RequestTopic): boolean {
  if (next.start - group.last < BREAK_MS || next.asked.size < 4 || FOLLOWS.test((next.turn.trigger.text ?? "").trim()))
    return true;
  return countShared(next.terms, group.terms) >= 2 || [...next.files].some((path) => group.files.has(path));
}

/** Whether a request of any session belongs to the group: only when they have much in common. */
function isSame(group: RequestGroup, next: RequestTopic): boolean {
  const asked = countShared(next.asked, group.asked);
  const least = Math.min(next.asked.size, group.asked.size);
  return asked >= 2 && least > 0 && asked / least >= ALIKE;
}

function add(group: RequestGroup, next: RequestTopic): void {
  group.turns.push(next.turn);
  group.sessions.add(sessionOf(next.turn));
  for (const term of next.terms) group.terms.add(term);
  for (const term of next.asked) group.asked.add(term);
  for (const path of next.files) group.files.add(path);
  group.last = Math.max(group.last, next.last);
}

function sessionOf({ source, session_id }: ReportTurn): string {
  return keyOfSession(source, session_id);
}
