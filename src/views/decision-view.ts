import type { Decision } from "../turns/decisions/model.ts";
import type { NotPushed } from "./not-pushed.ts";

/** A decision as printed in JSON. From a team store some fields may be null: `not_pushed` names them. */
export interface DecisionView extends Omit<Decision, "id" | "question_id" | "title" | "options"> {
  id: string | null;
  question_id: string | null;
  title: string | null;
  options: Decision["options"] | null;
  /** Only from a team store: the fields that were not pushed. */
  not_pushed?: NotPushed;
}
