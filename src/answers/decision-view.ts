import type { Decision } from "../decisions/model.ts";
import type { NotPushed } from "./not-pushed.ts";

/** A question put to the human as the contract prints it. From a store some of it may be null: `not_pushed` names that. */
export interface DecisionView extends Omit<Decision, "id" | "question_id" | "title" | "options"> {
  id: string | null;
  question_id: string | null;
  title: string | null;
  options: Decision["options"] | null;
  /** Only from a store: what did not leave the machine it is on. */
  not_pushed?: NotPushed;
}
