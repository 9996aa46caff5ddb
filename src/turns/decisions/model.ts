import type { RecordEnvelope, SessionKind, SourceId } from "../../record/record.ts";
import type { Option } from "./brief.ts";
import { gstackImportName } from "../../agents/traits.ts";

/** A question an agent put to the human, in the words of the JSON contract. */
export interface Decision {
  id: string;
  /**
   * How it was found: `structured` by a tool call, `marker` by a marker in the text, `pattern` by its form. `prose`: an
   * agent's words and a human's short answer, or a human's own words; never counted with the others.
   */
  tier: "structured" | "marker" | "pattern" | "prose";
  question_id: string;
  title: string;
  options: Option[];
  recommended: string | null;
  /** Label of the chosen option; several labels are joined by ", ". */
  choice: string | null;
  free_text: string | null;
  answered: boolean;
  /** Null while unanswered, if there is no recommendation, and if the answer names no option. */
  followed_recommendation: boolean | null;
  asked_line: number | null;
  answered_line: number | null;
  source: SourceId;
  session_id: string;
  turn_ref: string | null;
  project: string;
  time: string | null;
}

/** A decision with the additional data the question log needs. */
export interface Asked {
  decision: Decision;
  /** `plan` and `permission` are asked by the agent's client; only `question` goes to the question log. */
  kind: "question" | "plan" | "permission" | "prose";
  call_id: string | null;
  cwd: string | null;
  /** The tool says it was answered, but in an unknown form: no choice is inferred. */
  unknown_answer: boolean;
}

/** The session the records belong to. */
export interface DecisionPlace {
  source: SourceId;
  session_id: string;
  project: string;
  cwd: string | null;
  kind: SessionKind;
}

/** gstack's importer uses the agent's name as the skill of every question; its live hook uses `unknown`. */
export function skillOf(source: SourceId): string {
  return gstackImportName(source) ?? "unknown";
}

export function lineOf(record: RecordEnvelope): number | null {
  return record.origin.line ?? record.origin.row ?? null;
}
