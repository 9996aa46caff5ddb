import type { PlanAnswer } from "../../format/record.ts";
import { fieldsOf, stringOf, wordOf } from "./fields.ts";
import { nativeTurnId } from "./native.ts";
import type { ReaderState } from "./state.ts";
import { isHandOver } from "./typed.ts";
import { reaction, type ClassifyContext, type Verdict } from "./verdict.ts";

/** What the client sends when the human chooses to carry out the plan in the same thread. */
const CARRY_OUT = "Implement the plan.";
const START_CHARS = 200;

/** The plan that the model proposed in plan mode: the client asks the human whether to carry it out. */
export function planShown(ctx: ClassifyContext): Verdict {
  const { record, state, full } = ctx;
  const plan = stringOf(record.item.text) ?? "";
  if (state.turn) state.turn.output = true;
  if (state.kind !== "root") return reaction("codex.item.plan");
  state.plan = {
    task: nativeTurnId(record) ?? state.turn?.id ?? null,
    start: plan.trim().slice(0, START_CHARS),
    open: true,
  };
  return reaction("codex.item.plan", { type: "assistant_finished", text: "", plan: full ? plan : "" });
}

/** The mode that tasks run in; tasks and contexts state it (0.99 and later). */
export function noteMode(state: ReaderState, mode: unknown): void {
  state.mode = wordOf(fieldsOf(mode).mode) ?? wordOf(mode) ?? state.mode;
}

/**
 * What a prompt says about the plan shown before it. To carry out a plan, the client leaves plan mode and sends a fixed
 * text or the plan itself. Who writes something else and stays in plan mode does not accept the plan yet.
 */
export function answerToPlan({ state }: ClassifyContext, text: string, task: string | null): PlanAnswer | null {
  const { plan, mode } = state;
  // A prompt in the task of the plan was typed before the plan was there.
  if (plan?.open !== true || (plan.task !== null && plan.task === task)) return null;
  plan.open = false;
  if (mode === "plan") return "refused";
  return isCarryOut(text) || (plan.start !== "" && text.includes(plan.start)) ? "approved" : "unclear";
}

/** The client wrote the text, not the human. */
export function isCarryOut(text: string): boolean {
  return text.trim() === CARRY_OUT || isHandOver(text);
}
