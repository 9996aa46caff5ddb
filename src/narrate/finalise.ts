import { DaybookError } from "../base/errors.ts";
import type { Citation, DailyReport } from "../views/narrative.ts";

/** What a finished report is checked against: the turns of the index, and which of them have an evidence chain. */
export interface IndexedEvidence {
  /** `PROJECT_KEY/S0001/T0001` → the indexed lines. */
  lines: ReadonlyMap<string, string>;
  chains: ReadonlySet<string>;
}

/**
 * Throws if a citation does not lead to a turn with an evidence chain and exactly the indexed lines, or if a turn of
 * the index is not in exactly one work item. Called before the report is written.
 */
export function assertFinal(report: DailyReport, { lines, chains }: IndexedEvidence): void {
  const wrong = [...claims(report)].flatMap(({ where, citations, needs }) => {
    if (citations.length === 0) return needs ? [`${where}: nothing is cited`] : [];
    return citations.flatMap((citation) => problemOf(citation, lines, chains).map((what) => `${where}: ${what}`));
  });
  const seen = new Map<string, number>();
  for (const { work_items } of report.projects)
    for (const item of work_items)
      for (const turn of item.covered_turns) seen.set(nameOf(turn), (seen.get(nameOf(turn)) ?? 0) + 1);
  for (const name of lines.keys())
    if (seen.get(name) !== 1) wrong.push(`${name} stands in ${seen.get(name) ?? 0} work items`);
  const [first] = wrong;
  if (first === undefined) return;
  throw new DaybookError(`the day's report does not hold: ${first}`, {
    code: "invalid",
    op: "finalise report",
    hint: "nothing was written; the files of the workspace were changed by hand",
  });
}

function problemOf(citation: Citation, lines: ReadonlyMap<string, string>, chains: ReadonlySet<string>): string[] {
  const name = nameOf(citation);
  const parts = [citation.project_key, citation.session_ref, citation.turn_ref, citation.lines] as unknown[];
  if (parts.some((part) => typeof part !== "string")) return ["a citation lacks a part"];
  if (lines.get(name) !== citation.lines) return [`${name} does not have the lines ${citation.lines}`];
  return chains.has(name) ? [] : [`${name} has no committed evidence`];
}

interface Claim {
  where: string;
  citations: readonly Citation[];
  needs: boolean;
}

function* claims({ title, projects, engagement_assessment, team_learning }: DailyReport): Generator<Claim> {
  if (title) yield { where: "title", citations: title.citations, needs: true };
  for (const { project_key, summary, work_items } of projects) {
    if (summary) yield { where: `summary of ${project_key}`, citations: summary.citations, needs: true };
    for (const item of work_items) {
      const where = `${project_key} ${item.work_item_ref}`;
      for (const { citations } of item.outcomes) yield { where, citations, needs: true };
      const isBare = item.kind === "material_work_item" && item.outcomes.length === 0;
      for (const { citations } of item.terminal_states) yield { where, citations, needs: isBare };
    }
  }
  const { overall_reading: reading, observations } = engagement_assessment;
  const { takeaways, patterns } = team_learning;
  for (const one of [reading, takeaways]) if (one) yield { where: "judgement", citations: one.citations, needs: true };
  for (const { citations } of [...observations, ...patterns]) yield { where: "judgement", citations, needs: true };
}

function nameOf({ project_key, session_ref, turn_ref }: Citation): string {
  return `${project_key}/${session_ref}/${turn_ref}`;
}
