import type { FreeAnswer } from "./answers.ts";
import { DIMENSIONS, LEAST_CONFIDENCE, type Rejected } from "./proposals.ts";

const SIGNALS = [
  "scope-appetite",
  "architecture-care",
  "code-quality-care",
  "test-discipline",
  "detail-preference",
  "design-care",
  "devex-care",
  "distribution-care",
  "decision-autonomy",
  "session-mode",
];

/** The values of the prompt's placeholders. Answers are inserted as JSON, so that no text can end its quotes. */
export type DistillHoles = Record<"dimensions" | "signals" | "confidence" | "answer" | "transcript", string>;

/** Builds the prompt, with the problems of the last answer. */
export type FillPrompt = (holes: DistillHoles, problems: readonly Rejected[]) => string;

export function distillHoles(answers: readonly FreeAnswer[]): DistillHoles {
  const data = answers.map(({ question_id, question, text }) => ({ question_id, question, answer: text }));
  return {
    dimensions: DIMENSIONS.map((name) => JSON.stringify(name)).join(" | "),
    signals: SIGNALS.map((name) => JSON.stringify(name)).join(", "),
    confidence: String(LEAST_CONFIDENCE),
    answer: 'Answer with one JSON object and nothing else, no fence and no word around it: {"proposals": [ … ]}',
    transcript: JSON.stringify(data, null, 1),
  };
}
