import type { ToolView } from "../answers/tool-view.ts";
import { recordsOf } from "../answers/recorded.ts";
import { outputsAt } from "../store/search/output-texts.ts";
import type { AnswerContext } from "./answer-context.ts";
import { sessionKey } from "../format/session-key.ts";

export function callKey(view: Pick<ToolView, "source" | "session_id" | "call_id">): string {
  return `${sessionKey(view)}/${view.call_id}`;
}

/** The outputs of calls, by call key; calls without output are left out. */
export async function callOutputs(ctx: AnswerContext, calls: readonly ToolView[]): Promise<Map<string, string>> {
  const { index } = ctx.snapshot;
  const out = new Map<string, string>();
  for (const key of new Set(calls.map(sessionKey))) {
    const own = calls.filter((call) => sessionKey(call) === key);
    const wanted = new Set(own.map(({ call_id }) => call_id));
    const printed = index ? outputsAt(index.store, own) : await outputsIn(ctx, key);
    for (const { call_id, output } of printed) if (output && wanted.has(call_id)) out.set(`${key}/${call_id}`, output);
  }
  return out;
}

async function outputsIn(ctx: AnswerContext, key: string): Promise<{ call_id: string; output?: string | null }[]> {
  const recorded = (await ctx.rows({ session: key })).recordedSession(key);
  const records = recorded ? [...recordsOf(recorded, new Set(["tool_finished"] as const))] : [];
  return records.filter((record) => record.type === "tool_finished");
}
