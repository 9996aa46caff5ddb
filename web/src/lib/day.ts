import type { Report, Schemas } from "../api/client.ts";
import { NOT_PUSHED } from "./format.ts";
import type { DisplayStatus } from "./status.ts";
import { sessionKey } from "./session-key.ts";

export type ReportTurn = Schemas["ReportTurn"];

/** One matter of the day: what was asked, the results, and the facts shown beside them. */
export interface Item {
  asked: string;
  results: { text: string; turn: ReportTurn }[];
  status: DisplayStatus;
  first: ReportTurn;
  turns: ReportTurn[];
  files: number;
  commits: Schemas["ReportCommit"][];
  tools: number;
  failed: number;
  cost: { cost_usd: number | null; unpriced_models: string[] };
  /** Why it was not a success, in the words of the check or the agent. */
  why: string | null;
}

/** The status to display: the turn's outcome, or `unproven` if it completed but its last check did not pass. */
export function displayStatusOf(turn: ReportTurn, running: ReadonlySet<string>): DisplayStatus {
  if (turn.outcome === "open" && running.has(sessionKey(turn))) return "running";
  const fellShort = turn.fell_short !== null || (turn.last_check !== null && turn.last_check.result !== "ok");
  return turn.outcome === "completed" && fellShort ? "unproven" : turn.outcome;
}

export function itemsOf(project: Schemas["ProjectReport"], running: ReadonlySet<string>): Item[] {
  const byCitation = new Map(project.turns.map((turn) => [turn.citation, turn]));
  return [...(project.items ?? []), ...itemsWithoutText(project)].flatMap((item) => {
    const turns = item.turns.flatMap((citation) => byCitation.get(citation) ?? []);
    const [first] = turns;
    const last = turns.findLast(({ taken_back }) => taken_back === null) ?? turns.at(-1);
    if (!first || !last) return [];
    const isRunning = item.outcome === "open" && displayStatusOf(last, running) === "running";
    return [
      {
        asked: item.asked,
        results: item.results.map(({ text, citation }) => ({ text, turn: byCitation.get(citation) ?? last })),
        status: isRunning ? "running" : item.unproven ? "unproven" : item.outcome,
        first,
        turns,
        files: new Set(turns.flatMap(({ files }) => (files ?? []).map(({ path }) => path))).size,
        commits: turns.flatMap(({ commits }) => commits ?? []),
        tools: turns.reduce((sum, { tools }) => sum + tools.total, 0),
        failed: turns.reduce((sum, { tools }) => sum + tools.failed, 0),
        cost: costOf(turns),
        why: item.outcome === "completed" && !item.unproven ? null : whyNot(last),
      },
    ];
  });
}

/** Turns pushed to a team store without their texts: each becomes an item of its own. */
function itemsWithoutText({ turns }: Schemas["ProjectReport"]): Schemas["ReportItem"][] {
  return turns
    .filter(({ trigger }) => trigger.text === null)
    .map(({ outcome, citation }) => ({ asked: NOT_PUSHED, results: [], outcome, unproven: false, turns: [citation] }));
}

function whyNot(turn: ReportTurn): string | null {
  if (turn.outcome === "completed" && turn.last_check && turn.last_check.result !== "ok")
    return `last check ${turn.last_check.result.replace("_", " ")}${turn.last_check.command === null ? "" : `: ${turn.last_check.command}`}`;
  return turn.fell_short ?? turn.outcome_detail;
}

export function costOf(turns: readonly Pick<ReportTurn, "usage_with_children">[]): Item["cost"] {
  const known = turns.flatMap(({ usage_with_children: { cost_usd } }) => cost_usd ?? []);
  return {
    cost_usd: known.length === 0 ? null : known.reduce((a, b) => a + b, 0),
    unpriced_models: [...new Set(turns.flatMap(({ usage_with_children }) => usage_with_children.unpriced_models))],
  };
}

/** Time of the last activity. */
export function lastWork(report: Report): string | null {
  const times = report.projects.flatMap(({ turns }) => turns.map(({ time, ended_at }) => ended_at ?? time));
  return times.toSorted().at(-1) ?? null;
}

/** The nearest days with work before and after a day. */
export function neighbours(
  days: readonly { day: string; turns: number }[],
  day: string,
): {
  before: string | null;
  after: string | null;
} {
  const worked = days.filter(({ turns }) => turns > 0).map((one) => one.day);
  return { before: worked.findLast((one) => one < day) ?? null, after: worked.find((one) => one > day) ?? null };
}
