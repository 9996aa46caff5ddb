import { order } from "../base/text/order.ts";
import type { Metadata } from "../answers/workspace/window.ts";
import type { DayTexts } from "./day-task.ts";
import type {
  Citation,
  CitedText,
  Confidence,
  DailyItem,
  DailyProject,
  DailyReport,
  Disposition,
  Judged,
  LeftOutTurn,
  ProjectSynthesis,
  WorkItem,
} from "../views/narrative.ts";

/** The citation of each turn of the workspace, by `PROJECT_KEY/S0001/T0001`. */
export type CitationsByName = ReadonlyMap<string, Citation>;

export interface DailyParts {
  metadata: Metadata;
  syntheses: readonly ProjectSynthesis[];
  texts: DayTexts;
  places: CitationsByName;
  leftOut: readonly LeftOutTurn[];
}

/** The day's report: copied, derived and resolved by code, except for the given texts. */
export function dailyReport({ metadata, syntheses, texts, places, leftOut }: DailyParts): DailyReport {
  const cite = (name: string): Citation[] => {
    const place = places.get(name);
    return place ? [place] : [];
  };
  const resolved = ({ text, citations }: { text: string; citations: string[] }): CitedText => ({
    text,
    citations: citations.flatMap(cite),
  });
  const judged = (
    given: { text: string; citations: string[]; confidence: Confidence } | null | undefined,
  ): Judged | null => (given ? { ...resolved(given), confidence: given.confidence } : null);
  const projects = syntheses.map((synthesis): DailyProject => {
    const summary = texts.summaries.get(synthesis.project_key);
    const inProject = (ref: string): Citation[] => cite(`${synthesis.project_key}/${ref}`);
    return {
      project_key: synthesis.project_key,
      project_label: synthesis.project_label,
      summary: summary ? resolved(summary) : null,
      work_items: synthesis.work_items.map((item) => dailyItem(item, inProject)).toSorted(byWeight),
      source_user_messages: synthesis.source_user_messages,
    };
  });
  const report: DailyReport = {
    schema_version: 1,
    report_date: metadata.report_date,
    status: metadata.status,
    window: { ...metadata.report_window_local, timezone: metadata.timezone },
    overall_confidence: null,
    title: texts.title ? resolved(texts.title) : null,
    projects: projects.toSorted(byMaterial),
    engagement_assessment: {
      overall_reading: judged(texts.overall_reading),
      observations: texts.observations.map((one) => ({ ...one, citations: one.citations.flatMap(cite) })),
      limits: texts.engagement_limits,
    },
    team_learning: {
      takeaways: judged(texts.takeaways),
      patterns: texts.patterns.map((one) => ({ ...one, citations: one.citations.flatMap(cite) })),
      limits: texts.learning_limits,
    },
    left_out: [...leftOut],
  };
  return { ...report, overall_confidence: overallConfidence(report) };
}

function dailyItem(item: WorkItem, cite: (ref: string) => Citation[]): DailyItem {
  return {
    work_item_ref: item.work_item_ref,
    title: item.title,
    kind: item.kind,
    disposition: dispositionOf(item),
    confidence: item.confidence,
    covered_turns: item.covered_turns.flatMap(cite),
    trigger_summary: item.trigger?.summary ?? null,
    agent_reaction_summary: item.agent_reaction?.summary ?? null,
    outcomes: item.outcomes.map(({ summary, confidence, proof, evidence_refs }) => ({
      what_changed: summary,
      confidence,
      proof,
      citations: evidence_refs.flatMap(cite),
    })),
    terminal_states: item.terminal_states.map(({ summary, evidence_refs }) => ({
      summary,
      citations: evidence_refs.flatMap(cite),
    })),
    limits: item.limits,
    reason: item.reason,
  };
}

/** How a material work item ended: the worst of its ends decides, then whether it has a result. */
export function dispositionOf(item: Pick<WorkItem, "kind" | "terminal_states" | "outcomes">): Disposition | null {
  if (item.kind !== "material_work_item") return null;
  const ends = new Set(item.terminal_states.map(({ type }) => type));
  for (const bad of ["failed", "blocked", "interrupted"] as const) if (ends.has(bad)) return bad;
  return item.outcomes.length > 0 || ends.has("material_result") ? "completed" : "clarification";
}

const RANK: Readonly<Record<Confidence, number>> = { high: 3, medium: 2, low: 1 };

/** The mean over material items, their outcomes and both assessments; null when there is nothing to average. */
export function overallConfidence(
  report: Pick<DailyReport, "projects" | "engagement_assessment" | "team_learning">,
): Confidence | null {
  const { engagement_assessment: engagement, team_learning: learning } = report;
  const material = report.projects
    .flatMap(({ work_items }) => work_items)
    .filter(({ kind }) => kind === "material_work_item");
  const all = [
    ...material.flatMap(({ confidence, outcomes }) => [confidence, ...outcomes.map((one) => one.confidence)]),
    ...[engagement.overall_reading, ...engagement.observations].flatMap((one) => (one ? [one.confidence] : [])),
    ...[learning.takeaways, ...learning.patterns].flatMap((one) => (one ? [one.confidence] : [])),
  ];
  if (all.length === 0) return null;
  const mean = all.reduce((sum, one) => sum + RANK[one], 0) / all.length;
  return mean >= 2.5 ? "high" : mean >= 1.5 ? "medium" : "low";
}

/** Material items by confidence, then the rest, each in the order of their refs. */
function byWeight(a: DailyItem, b: DailyItem): number {
  return weightOf(b) - weightOf(a) || order(a.work_item_ref, b.work_item_ref);
}

function byMaterial(a: DailyProject, b: DailyProject): number {
  return (
    materialIn(b) - materialIn(a) || order(a.project_label, b.project_label) || order(a.project_key, b.project_key)
  );
}

function weightOf({ kind, confidence }: DailyItem): number {
  return kind === "material_work_item" ? RANK[confidence] : 0;
}

function materialIn({ work_items }: DailyProject): number {
  return work_items.filter(({ kind }) => kind === "material_work_item").length;
}
