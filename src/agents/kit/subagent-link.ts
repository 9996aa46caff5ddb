import type { ChildLinkedBody } from "../../record/record.ts";

/** Links a call to the subagent session it started, for agents that name such sessions `agent-<id>`. */
export function subagentLink(
  source: string,
  agent: string,
  phase: ChildLinkedBody["phase"],
  role: string | null,
  call: string | null,
): ChildLinkedBody {
  const child = { source, session_id: `agent-${agent}` };
  return { type: "child_linked", child, relation: "subagent", phase, role, call_id: call };
}
