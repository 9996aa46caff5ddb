import { askedLine } from "../../base/text/asked-line.ts";
import type { ReportItem, ReportTurn } from "./model.ts";
import { saysSomething } from "./result.ts";
import { isUnproven } from "./sums.ts";
import { termsOf } from "./loose/terms.ts";
import { threadsOf } from "./threads.ts";
import { keyOfSession } from "../../record/session-key.ts";

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
      asked: askedLine(hide((list.find(namesGoal) ?? list[0])?.trigger.text ?? "")),
      results: resultsOf(shown),
      outcome: last?.outcome ?? "open",
      unproven: last !== undefined && isUnproven(last),
      turns: list.map(({ citation }) => citation),
    };
  });
}

/** Whether a request says what it is about, rather than only `yes` or `go on`. */
function namesGoal({ trigger }: ReportTurn): boolean {
  return termsOf(trigger.text ?? "").size >= 3;
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

/** Groups turns by the goal they followed. */
function groupTurns(turns: readonly ReportTurn[], project: string): ReportTurn[][] {
  const told = turns.map((turn) => ({
    turn,
    session: keyOfSession(turn.source, turn.session_id),
    ref: turn.turn_ref,
    time: Date.parse(turn.time),
    until: Date.parse(turn.ended_at ?? turn.time),
    prompt: turn.trigger.text ?? "",
    final: turn.last_words?.text ?? "",
    files: (turn.files ?? []).map(({ path }) => path),
    subjects: (turn.commits ?? []).flatMap(({ subject }) => subject ?? []),
  }));
  return threadsOf(told, project, "sure").map((thread) => thread.turns.map(({ turn }) => turn));
}
