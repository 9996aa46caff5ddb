import type { DailyItem, DailyReport, DatedCitation, Proof, WeeklyReport } from "../../views/narrative.ts";

/** Shown in a section that has nothing. */
export const NOTHING: Readonly<Record<"work" | "summary" | "engagement" | "learning" | "evidence", string>> = {
  work: "No work was recorded on this day.",
  summary: "Left out: what was written as a summary did not hold.",
  engagement: "No supported reading of engagement.",
  learning: "No supported learning.",
  evidence: "No evidence chains.",
};

/** A limit of every assessment that is based on transcripts. */
export const STANDING_LIMIT =
  "Only what was typed and recorded in sessions is known here: thinking, talking and reading elsewhere is not.";

/** Beside prose of the writing agent. */
export const SAID = "as the agent said";

/** At the head of every narrative. */
export const LEGEND =
  "Daybook words what the records show. Everything marked “as the agent said” is the writer's own text: its quotes, numbers and names stand in the cited records, what it claims is not proven by them.";

export const PROOF: Readonly<Record<Proof, string>> = {
  commit: "a commit shows it",
  check_passed: "a passing check shows it",
  files_changed: "changed files show it",
  call_ok: "a call that ended well shows it",
  check_failed: "a failed check shows it",
  said_only: SAID,
};

/** How a work item ended; without an outcome that is recorded it only ended as the writer says. */
export function endOf({ disposition, outcomes }: Pick<DailyItem, "disposition" | "outcomes">): string {
  const isShown = outcomes.some(({ proof }) => proof !== "said_only");
  return disposition === "completed" && !isShown ? "completed, as the agent said" : (disposition ?? "n/a");
}

export function narrativeTitle({ report_date }: Pick<DailyReport, "report_date">): string {
  return `Daybook Narrative — ${report_date}`;
}

export function weekTitle({ since, until }: WeeklyReport): string {
  return `Daybook Narrative — ${since} to ${until}`;
}

/** Below every narrative. */
export const FOOTER = "Written by an agent. Proofs are worded by Daybook from the records they cite.";

export const NO_THREADS = "No supported threads of work.";

/** A turn of one of several days. */
export function datedName({ report_date, session_ref, turn_ref }: DatedCitation): string {
  return `${report_date} ${session_ref}/${turn_ref}`;
}

export function headLine({ status, window, overall_confidence: confidence }: DailyReport): string {
  return `${status} · ${window.start} – ${window.end}, ${window.timezone} · overall confidence ${confidence ?? "n/a"}`;
}

export const DIMENSION_NAMES: Readonly<Record<"direction" | "review" | "correction" | "recovery", string>> = {
  direction: "Direction",
  review: "Review",
  correction: "Correction",
  recovery: "Recovery",
};

export const PATTERN_NAMES: Readonly<Record<"promote" | "avoid" | "reuse", string>> = {
  promote: "Promote",
  avoid: "Avoid",
  reuse: "Reuse",
};
