import type { TriggerKind, UserBody } from "../../format/record.ts";
import { nativeTurnId } from "./native.ts";
import type { Reason } from "./reasons.ts";
import { verdict, type ClassifyContext, type Verdict } from "./verdict.ts";

/** A human action without a prompt: `/review`, `/compact`, `/goal`. */
export function humanAction(
  ctx: ClassifyContext,
  text: string,
  kind: TriggerKind,
  reason: Reason,
  turnId: string | null = nativeTurnId(ctx.record),
): Verdict {
  const { state } = ctx;
  const root = state.kind === "root";
  const body: UserBody = { type: "user", author: root ? "human" : "agent", text };
  if (turnId !== null) body.native_turn_id = turnId;
  if (state.lifecycle) body.ends_stated = true;
  if (root) {
    body.kind = kind;
    body.entry = state.entry;
  }
  return verdict(root ? "trigger" : "reaction", reason, [body]);
}
