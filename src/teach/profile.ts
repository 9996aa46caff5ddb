import { DIMENSIONS, type Dimension } from "./distill/proposals.ts";
import type { QuestionEvent } from "./events.ts";
import { readJsonFile } from "./json-file.ts";
import type { Registry } from "./registry.ts";
import { stateFile, type State } from "./state.ts";
import type { Calibration } from "./stats.ts";

/** One dimension of how the person works, between 0 and 1. */
export interface ProfileDimension {
  dimension: Dimension;
  /** What the person declared; null when they did not. */
  declared: number | null;
  /** What their answers show; null when there are not enough. */
  observed: number | null;
  /** Number of answers it is based on. */
  answers: number;
  /** How far apart the two are. */
  gap: "close" | "drift" | "mismatch" | null;
}

export interface Profile {
  /** Whether there was enough to observe anything. */
  enough: boolean;
  dimensions: ProfileDimension[];
}

/** Which dimensions a signal affects, and how much. */
const SIGNALS: Readonly<Record<string, Partial<Record<Dimension, number>>>> = {
  "scope-appetite": { scope_appetite: 1 },
  "architecture-care": { architecture_care: 1, risk_tolerance: -0.5 },
  "code-quality-care": { architecture_care: 0.75, detail_preference: 0.5, risk_tolerance: -0.5 },
  "test-discipline": { architecture_care: 1, detail_preference: 0.5, risk_tolerance: -0.5 },
  "detail-preference": { detail_preference: 0.75 },
  "design-care": { architecture_care: 0.75 },
  "devex-care": { architecture_care: 0.75 },
  "distribution-care": { architecture_care: 0.75 },
  "decision-autonomy": { autonomy: 1 },
};

/** The weight of a choice, by its key; negative when it means the opposite. */
const CHOICES: Readonly<Record<string, number>> = {
  expand: 1.5,
  ideal: 1.25,
  accept: 1,
  "fix-now": 1,
  fix: 1,
  "add-test": 1,
  approve: 1,
  proceed: 1,
  "apply-fix": 1,
  selective: 0.75,
  creative: 0.5,
  investigate: 0.5,
  polish: 0.5,
  "false-positive": 0.25,
  hold: -0.25,
  defer: -0.5,
  "fix-later": -0.5,
  triage: -0.5,
  skip: -1,
  reject: -1,
  deny: -1,
  "show-diff": -1,
  "ack-and-ship": -1,
  "accept-risk": -1,
  minimal: -1,
  "review-first": -1.25,
  reduce: -1.5,
};

const STEP = 0.04;

/** Recomputed from all answers each time. */
export function profileOf(
  events: readonly QuestionEvent[],
  registry: Registry,
  { enough }: Calibration,
  state: State | null,
): Profile {
  const sums = new Map<Dimension, { sum: number; answers: number }>();
  for (const { question_id, choice, outcome } of events) {
    const known = registry.get(question_id);
    const weight = choice === null || outcome === "auto_decided" ? null : weightOf(choice, known?.options ?? []);
    if (!known?.signal_key || weight === null) continue;
    for (const [dimension, share] of Object.entries(SIGNALS[known.signal_key] ?? {})) {
      const { sum, answers } = sums.get(dimension as Dimension) ?? { sum: 0, answers: 0 };
      sums.set(dimension as Dimension, { sum: sum + weight * share * STEP, answers: answers + 1 });
    }
  }
  const declared = declaredIn(state);
  return {
    enough,
    dimensions: DIMENSIONS.map((dimension) => {
      const { sum, answers } = sums.get(dimension) ?? { sum: 0, answers: 0 };
      // Without such an answer the middle value would look like a finding.
      const observed = enough && answers > 0 ? Number((1 / (1 + Math.exp(-3 * sum))).toFixed(3)) : null;
      const said = declared[dimension];
      const own = typeof said === "number" ? said : null;
      return { dimension, declared: own, observed, answers, gap: gapOf(own, observed) };
    }),
  };
}

function gapOf(declared: number | null, observed: number | null): ProfileDimension["gap"] {
  if (declared === null || observed === null) return null;
  const apart = Math.abs(declared - observed);
  return apart < 0.1 ? "close" : apart < 0.3 ? "drift" : "mismatch";
}

function declaredIn(state: State | null): Readonly<Record<string, unknown>> {
  const held = state && readJsonFile(stateFile.profile(state))?.["declared"];
  return typeof held === "object" && held !== null ? (held as Record<string, unknown>) : {};
}

const FILLERS = /\b(?:the|a|an|it|this|that|to|now please|please)\b/g;

/** Choices are recorded as labels ("Fix now"), and stand for keys ("fix-now"). */
export function choiceKey(label: string): string {
  return label
    .toLowerCase()
    .replace(/[([].*?[)\]]/g, " ")
    .replace(FILLERS, " ")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/**
 * The weight of the key itself, or else of the longest key that the label begins with, among the question's options and
 * those known.
 */
function weightOf(choice: string, options: readonly string[]): number | null {
  const key = choiceKey(choice);
  const exact = CHOICES[key];
  if (exact !== undefined) return exact;
  const begun = [...options, ...Object.keys(CHOICES)]
    .filter((one) => key.startsWith(`${one}-`) && CHOICES[one] !== undefined)
    .sort((a, b) => b.length - a.length)[0];
  return begun === undefined ? null : (CHOICES[begun] ?? null);
}
