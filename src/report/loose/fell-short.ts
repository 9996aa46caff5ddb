import type { Turn } from "../../turns/session.ts";
import { isExpectedExit } from "../../turns/tool-ledger.ts";
import { saysItFailed } from "./prose.ts";

/** Where the last thing a turn did failed: the words by which its end says so. Who only asked why something fails got his answer. */
export function fellShort({ draft, calls }: Turn): string | null {
  const last = calls.map(({ call }) => call).findLast(({ parent_call_id }) => parent_call_id === null);
  if (last?.status !== "failed" || isExpectedExit(last)) return null;
  return saysItFailed(draft.final_text, draft.trigger.text);
}
