import type { Report, Schemas } from "../api/client.ts";
import { NOT_PUSHED } from "./format.ts";
import type { Shown } from "./marks.ts";

export type ReportTurn = Schemas["ReportTurn"];

/** One thing that was asked for and what came of it, with what is needed to show it. */
export interface Item {
  asked: string;
  results: { text: string; turn: ReportTurn }[];
  shown: Shown;
  first: ReportTurn;
  turns: ReportTurn[];
  files: number;
  commits: Schemas["ReportCommit"][];
  tools: number;
  failed: number;
  cost: { cost_usd: number | null; unpriced_models: string[] };
  /** Why it is no success, in the words of the check or the agent. */
  why: string | null;
}

/** A turn as it is marked: by how it ended, or as unproven where its last check did not pass. */
export function shownAs(turn: ReportTurn, running: ReadonlySet<string>): Shown {
  if (turn.outcome === "open" && running.has(`${turn.source}/${turn.session_id}`)) return "running";
  const fellShort = turn.fell_short !== null || (turn.last_check !== null && turn.last_check.result !== "ok");
  return turn.outcome === "completed" && fellShort ? "unproven" : turn.outcome;
}

export function itemsOf(project: Schemas["ProjectReport"], running: ReadonlySet<string>): Item[] {
  const byCitation = new Map(project.turns.map((turn) => [turn.citation, turn]));
  return [...(project.items ?? []), ...wordless(project)].flatMap((item) => {
    const turns = item.turns.flatMap((citation) => byCitation.get(citation) ?? []);
    const [first] = turns;
    const last = turns.findLast(({ taken_back }) => taken_back === null) ?? turns.at(-1);
    if (!first || !last) return [];
    const isRunning = item.outcome === "open" && shownAs(last, running) === "running";
    return [
      {
        asked: item.asked,
        results: item.results.map(({ text, citation }) => ({ text, turn: byCitation.get(citation) ?? last })),
        shown: isRunning ? "running" : item.unproven ? "unproven" : item.outcome,
        ...{ first, turns },
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

/** Turns of which a store has numbers alone: each stands for itself. */
function wordless({ turns }: Schemas["ProjectReport"]): Schemas["ReportItem"][] {
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

/** The last time anything was done, as an instant. */
export function lastWork(report: Report): string | null {
  const times = report.projects.flatMap(({ turns }) => turns.map(({ time, ended_at }) => ended_at ?? time));
  return times.toSorted().at(-1) ?? null;
}

/** The days with work next to one, before and after it. */
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
