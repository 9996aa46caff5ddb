import type { ChildLinkedBody } from "../../format/record.ts";

/** Where an agent keeps a subagent's session under the name `agent-<id>`: the link to it from the call that began it. */
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
