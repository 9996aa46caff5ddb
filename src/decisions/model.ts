import type { RecordEnvelope, SessionKind, SourceId } from "../format/record.ts";
import type { Option } from "./brief.ts";
import { importedAs } from "../sources/traits.ts";

/** A question an agent put to the human, in the words of the JSON contract. */
export interface Decision {
  id: string;
  /** How it was found: a tool call of the agent, a brief with a marker, a brief by its form. */
  tier: "structured" | "marker" | "pattern";
  question_id: string;
  title: string;
  options: Option[];
  recommended: string | null;
  /** Label of the option taken; several are joined by ", ". */
  choice: string | null;
  free_text: string | null;
  answered: boolean;
  /** Null while unanswered, without a recommendation, and when the answer names no option. */
  followed_recommendation: boolean | null;
  asked_line: number | null;
  answered_line: number | null;
  source: SourceId;
  session_id: string;
  turn_ref: string | null;
  project: string;
  time: string | null;
}

/** A decision with what the question log needs beside it. */
export interface Asked {
  decision: Decision;
  /** `plan` and `permission` are asked by the agent's client; only questions go to the question log. */
  kind: "question" | "plan" | "permission";
  call_id: string | null;
  cwd: string | null;
  /** The tool says it was answered in a form we do not know: no choice is made up. */
  unknown_answer: boolean;
}

/** The session the records are of. */
export interface About {
  source: SourceId;
  session_id: string;
  project: string;
  cwd: string | null;
  kind: SessionKind;
}

/** gstack's importer calls every question by its agent; its live hook calls all `unknown`. */
export function skillOf(source: SourceId): string {
  return importedAs(source) ?? "unknown";
}

export function lineOf(record: RecordEnvelope): number | null {
  return record.origin.line ?? record.origin.row ?? null;
}
