import type { ChildLinkedBody } from "../../record/record.ts";
import { SOURCE_ID } from "./identity.ts";
import { subagentLink } from "../kit/subagent-link.ts";
import { insideTag } from "./markers.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

const SPAWNERS: ReadonlySet<string> = new Set(["Agent", "Task"]);
const CODEX_THREAD = /\[codex\] Thread ready \(([^)\s]+)\)/g;

/**
 * Remembers the role a subagent was asked for: the record that names the agent's id comes later and may not repeat it.
 */
export function noteSpawn(call: string, name: string, input: unknown, state: ReaderState): void {
  if (!SPAWNERS.has(name)) return;
  // Its result may have been written first.
  const known = state.agents.get(call);
  state.agents.set(call, {
    role: str(obj(input)?.["subagent_type"]) ?? known?.role ?? null,
    agent: known?.agent ?? null,
  });
}

/** Links stated by the result of a subagent call: a launch receipt starts the child, a complete result also ends it. */
export function childrenOfResult(call: string, result: Native | null, state: ReaderState): ChildLinkedBody[] {
  const agent = str(result?.["agentId"]) ?? str(result?.["agent_id"]);
  if (!result || agent === null) return [];
  const known = state.agents.get(call);
  const role = str(result["agentType"]) ?? str(result["agent_type"]) ?? known?.role ?? null;
  const out: ChildLinkedBody[] = [];
  if (known?.agent !== agent) out.push(subagentLink(SOURCE_ID, agent, "spawned", role, call));
  state.agents.set(call, { role, agent });
  const launched = result["isAsync"] === true || /launched|spawned/.test(str(result["status"]) ?? "");
  if (!launched) out.push(subagentLink(SOURCE_ID, agent, "returned", role, call));
  return out;
}

/** `progress/agent_progress` names the agent of a call while it still runs. */
export function childOfProgress(record: Native, state: ReaderState): ChildLinkedBody[] {
  const agent = str(obj(record["data"])?.["agentId"]);
  const call = str(record["parentToolUseID"]);
  if (agent === null || call === null) return [];
  const known = state.agents.get(call);
  if (known?.agent === agent) return [];
  const role = known?.role ?? null;
  state.agents.set(call, { role, agent });
  return [subagentLink(SOURCE_ID, agent, "spawned", role, call)];
}

/**
 * The end of a background agent arrives as a notification. Shell tasks send the same notification, but are not
 * children.
 */
export function childOfNotification(text: string, state: ReaderState): ChildLinkedBody[] {
  const task = (insideTag(text, "task-id") ?? insideTag(text, "agent-id"))?.trim() ?? "";
  const call = insideTag(text, "tool-use-id")?.trim() ?? null;
  if (task === "") return [];
  const known = call === null ? undefined : state.agents.get(call);
  const agent = known?.agent ?? null;
  // A resumed session reports agents of its killed process without the calls that started them.
  const isAgent =
    agent === task || known !== undefined || /^(?:Background agent|Agent) "/.test(insideTag(text, "summary") ?? "");
  return isAgent ? [subagentLink(SOURCE_ID, agent ?? task, "returned", known?.role ?? null, call)] : [];
}

/** The Codex plug-in prints the id of the thread it opened, which is a companion session of another source. */
export function companionsIn(text: string, call: string): ChildLinkedBody[] {
  if (!text.includes("[codex] Thread ready")) return [];
  const out: ChildLinkedBody[] = [];
  for (const match of text.matchAll(CODEX_THREAD)) {
    const child = { source: "codex", session_id: match[1] ?? "" };
    for (const phase of ["spawned", "returned"] as const)
      out.push({ type: "child_linked", child, relation: "companion", phase, role: null, call_id: call });
  }
  return out;
}
