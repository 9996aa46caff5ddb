import type { ClaimKind } from "./day-review.ts";

/* The files of a narration and the agent's answers. Names and values are those of the workspace's older tool. */

export const TRIGGERS = [
  "explicit_user_message",
  "implicit_context",
  "user_correction",
  "user_approval",
  "resume_or_continue",
] as const;
export const OUTCOMES = [
  "code_outcome",
  "document_outcome",
  "decision_outcome",
  "validation_outcome",
  "process_outcome",
  "research_outcome",
  "blocker_outcome",
  "other",
] as const;
export const CHECKS = ["command_output", "test_output", "artifact_inspection", "user_feedback", "other"] as const;
export const TERMINALS = [
  "material_result",
  "no_material",
  "blocked",
  "interrupted",
  "failed",
  "clarification_only",
  "evidence_gap",
  "other",
] as const;
export const MATERIALITIES = ["material", "minor", "none"] as const;
export const CONFIDENCES = ["high", "medium", "low"] as const;
export const KINDS = [
  "material_work_item",
  "no_material_work_item",
  "evidence_gap_item",
  "excluded_with_reason",
] as const;
export const DIMENSIONS = ["direction", "review", "correction", "recovery"] as const;
export const PATTERNS = ["promote", "avoid", "reuse"] as const;

/** What came of a turn: a claim of a kind that records can show, and what the writer says about it. */
export interface GivenOutcome {
  category: (typeof OUTCOMES)[number];
  claim: ClaimKind;
  summary: string;
  citations: string[];
}

/** The agent's answer about one turn. */
export interface GivenChain {
  turn_ref: string;
  trigger: {
    type: (typeof TRIGGERS)[number];
    summary: string;
    quoted_messages: { text: string; citations: string[] }[];
    citations: string[];
  };
  agent_reactions: { summary: string; citations: string[] }[];
  outcomes: GivenOutcome[];
  observed_checks: { type: (typeof CHECKS)[number]; summary: string; citations: string[] }[];
  terminal_state: { type: (typeof TERMINALS)[number]; summary: string; citations: string[] };
  materiality: (typeof MATERIALITIES)[number];
}

/** The agent's answer about one work item: turns that belong together. */
export interface GivenWorkItem {
  kind: (typeof KINDS)[number];
  title: string;
  covered_turns: string[];
  trigger?: { summary: string; evidence_refs: string[] } | null | undefined;
  agent_reaction?: { summary: string; main_actions: string[] } | null | undefined;
  outcomes: {
    category: (typeof OUTCOMES)[number];
    summary: string;
    evidence_refs: string[];
    confidence: Confidence;
  }[];
  terminal_states: { type: (typeof TERMINALS)[number]; summary: string; evidence_refs: string[] }[];
  limits: string[];
  reason?: string | null | undefined;
  confidence: Confidence;
}

interface GivenText {
  text: string;
  citations: string[];
}

interface GivenJudgement extends GivenText {
  confidence: Confidence;
}

/** The agent's answer about the day; the rest of the daily report is computed. */
export interface GivenDay {
  title: GivenText;
  projects: { project_key: string; summary: GivenText }[];
  engagement_assessment: {
    overall_reading: GivenJudgement;
    observations: {
      dimension: (typeof DIMENSIONS)[number];
      statement: string;
      citations: string[];
      confidence: Confidence;
    }[];
    limits: string[];
  };
  team_learning: {
    takeaways?: GivenJudgement | null | undefined;
    patterns: {
      kind: (typeof PATTERNS)[number];
      statement: string;
      rationale: string;
      recurrence: string;
      citations: string[];
      confidence: Confidence;
    }[];
    limits: string[];
  };
}

/** The evidence for an outcome in the records, computed by Daybook; `said_only`: only the agent claims it. */
export type Proof = "commit" | "check_passed" | "files_changed" | "call_ok" | "check_failed" | "said_only";

export interface Outcome extends GivenOutcome {
  proof: Proof;
  /** What the cited lines show, in Daybook's words; null where it is only said. */
  shown: string | null;
}
export type Chain = Omit<GivenChain, "outcomes"> & { outcomes: Outcome[] };

export interface EvidenceCard {
  schema_version: 1;
  project_key: string;
  session_ref: string;
  evidence_chains: Chain[];
}

export type Confidence = (typeof CONFIDENCES)[number];

export interface WorkItem {
  work_item_ref: string;
  kind: (typeof KINDS)[number];
  title: string;
  covered_turns: string[];
  trigger: { summary: string; evidence_refs: string[] } | null;
  agent_reaction: { summary: string; main_actions: string[] } | null;
  outcomes: {
    category: Outcome["category"];
    summary: string;
    evidence_refs: string[];
    confidence: Confidence;
    proof: Proof;
  }[];
  terminal_states: { type: (typeof TERMINALS)[number]; summary: string; evidence_refs: string[] }[];
  limits: string[];
  reason: string | null;
  confidence: Confidence;
}

export interface UserMessages {
  session_ref: string;
  turn_ref: string;
  messages: string[];
}

export interface ProjectSynthesis {
  schema_version: 1;
  project_key: string;
  project_label: string;
  work_items: WorkItem[];
  source_user_messages: UserMessages[];
}

/** The turn and lines that prove a statement. */
export interface Citation {
  project_key: string;
  session_ref: string;
  turn_ref: string;
  lines: string;
}

export interface CitedText {
  text: string;
  citations: Citation[];
}

export type Disposition = "failed" | "blocked" | "interrupted" | "completed" | "clarification";

export interface DailyItem {
  work_item_ref: string;
  title: string;
  kind: WorkItem["kind"];
  disposition: Disposition | null;
  confidence: Confidence;
  covered_turns: Citation[];
  trigger_summary: string | null;
  agent_reaction_summary: string | null;
  outcomes: { what_changed: string; confidence: Confidence; proof: Proof; citations: Citation[] }[];
  terminal_states: { summary: string; citations: Citation[] }[];
  limits: string[];
  reason: string | null;
}

export interface DailyProject {
  project_key: string;
  project_label: string;
  summary: CitedText | null;
  work_items: DailyItem[];
  source_user_messages: UserMessages[];
}

export interface Judged extends CitedText {
  confidence: Confidence;
}

/** A turn that the narrative does not cover, and why. */
export interface LeftOutTurn {
  project_key: string;
  session_ref: string;
  turn_ref: string;
  reason: string;
}

export interface DailyReport {
  schema_version: 1;
  report_date: string;
  status: "final" | "partial";
  window: { start: string; end: string; timezone: string };
  overall_confidence: Confidence | null;
  title: CitedText | null;
  projects: DailyProject[];
  engagement_assessment: {
    overall_reading: Judged | null;
    observations: {
      dimension: (typeof DIMENSIONS)[number];
      statement: string;
      citations: Citation[];
      confidence: Confidence;
    }[];
    limits: string[];
  };
  team_learning: {
    takeaways: Judged | null;
    patterns: {
      kind: (typeof PATTERNS)[number];
      statement: string;
      rationale: string;
      recurrence: string;
      citations: Citation[];
      confidence: Confidence;
    }[];
    limits: string[];
  };
  /** Turns that are in a work item but not covered by its text. Every indexed turn is in a work item. */
  left_out: LeftOutTurn[];
}

/** The requests that a narration would make, and their estimated cost. */
export interface NarrationPlan {
  report_date: string;
  projects: number;
  sessions: number;
  turns: number;
  /** `least`: every answer is accepted at once. `most`: every request is retried as often as allowed. */
  requests: { least: number; most: number };
  /** An estimate. */
  tokens: { least: number; most: number };
  /** By the price table; null when the model is not known or has no price. */
  cost_usd: { least: number; most: number } | null;
  cost_note: string | null;
  tasks: { task: string; tokens: number }[];
  /** Files of the workspace that it would write. */
  files: string[];
}

/** A statement of an agent's answer that a check rejected. */
export interface RejectedStatement {
  task: string;
  attempt: number;
  /** Stable name of the rule that it broke. */
  rule: string;
  /** Path of the statement in the answer. */
  path: string;
  message: string;
  hint: string;
  /** The rejected text. */
  said: string | null;
}

/** Usage of the narration's requests, including reused answers of earlier runs. */
export interface NarrationSpent {
  requests: number;
  input_tokens: number;
  output_tokens: number;
  /** Requests whose tokens were not reported: estimated from the length of the texts at four bytes per token. */
  estimated: number;
  /** The known part of the cost; null when none is known. */
  cost_usd: number | null;
  /** Requests whose cost was not reported: computed from the model's price, without cache discounts. */
  reckoned: number;
  /** Requests whose cost was not reported and whose model has no known price. */
  unpriced: number;
}

/** The files that a narration writes to a workspace. */
export interface NarrationFiles {
  "daily-report.json": DailyReport;
  "projects/KEY/evidence/S0001.json": EvidenceCard;
  "projects/KEY/project-synthesis.json": ProjectSynthesis;
  "narration/rejected.jsonl": RejectedStatement;
  "weekly-report.json": WeeklyReport;
}

/** The agent's answer about several days. */
export interface GivenWeek {
  title: { text: string; citations: string[] };
  threads: { text: string; citations: string[]; confidence: Confidence }[];
}

/** A citation with its day, for reports over several days. */
export interface DatedCitation extends Citation {
  report_date: string;
}

/** A report over several days, each of which has its own report too. */
export interface WeeklyReport {
  schema_version: 1;
  since: string;
  until: string;
  title: { text: string; citations: DatedCitation[] } | null;
  threads: { text: string; citations: DatedCitation[]; confidence: Confidence }[];
  days: { report_date: string; title: string | null; work: string[]; left_out: number; report: string }[];
}
