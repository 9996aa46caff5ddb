import type { ToolView } from "../answers/tool-view.ts";
import { recordsOf } from "../answers/recorded.ts";
import { outputsAt } from "../store/search/output-texts.ts";
import { sessionKey } from "../turns/session.ts";
import type { Asking } from "./asking.ts";

export function callKey(view: Pick<ToolView, "source" | "session_id" | "call_id">): string {
  return `${sessionKey(view)}/${view.call_id}`;
}

/** What calls printed, by their keys; without those that printed nothing. */
export async function callOutputs(asking: Asking, calls: readonly ToolView[]): Promise<Map<string, string>> {
  const { index } = asking.at;
  const out = new Map<string, string>();
  for (const key of new Set(calls.map(sessionKey))) {
    const own = calls.filter((call) => sessionKey(call) === key);
    const wanted = new Set(own.map(({ call_id }) => call_id));
    const printed = index ? outputsAt(index.store, own) : await outputsIn(asking, key);
    for (const { call_id, output } of printed) if (output && wanted.has(call_id)) out.set(`${key}/${call_id}`, output);
  }
  return out;
}

async function outputsIn(asking: Asking, key: string): Promise<{ call_id: string; output?: string | null }[]> {
  const recorded = (await asking.rows({ session: key })).recorded(key);
  const records = recorded ? [...recordsOf(recorded, new Set(["tool_finished"] as const))] : [];
  return records.filter((record) => record.type === "tool_finished");
}
