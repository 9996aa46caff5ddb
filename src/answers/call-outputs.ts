import type { ToolView } from "../views/tool-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { sessionKey } from "../record/session-key.ts";

export function callKey(view: Pick<ToolView, "source" | "session_id" | "call_id">): string {
  return `${sessionKey(view)}/${view.call_id}`;
}

/** The outputs of calls, by call key; calls without output are left out. */
export async function callOutputs({ index }: AnswerContext, calls: readonly ToolView[]): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  for (const key of new Set(calls.map(sessionKey))) {
    const own = calls.filter((call) => sessionKey(call) === key);
    const wanted = new Set(own.map(({ call_id }) => call_id));
    for (const { call_id, output } of index.outputs(own))
      if (output && wanted.has(call_id)) out.set(`${key}/${call_id}`, output);
  }
  return out;
}
