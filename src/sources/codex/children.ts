import type { ChildLinkedBody, Relation } from "../../format/record.ts";
import { fieldsOf, isFields, listOf, parseFields, wordOf, type Fields } from "./fields.ts";
import { recall, remember, type ReaderState } from "./state.ts";

interface Link {
  child: string;
  phase: ChildLinkedBody["phase"];
  relation?: Relation;
  role?: string | null;
  callId?: string | null;
}

/** Reports each phase of a child only once, even if several records state it. */
export function link(state: ReaderState, { child, phase, relation, role, callId }: Link): ChildLinkedBody[] {
  const held = recall(state.children, child) ?? { spawned: false, returned: false };
  if (child === state.sessionId || held[phase]) return [];
  remember(state.children, child, { ...held, [phase]: true });
  const body: ChildLinkedBody = {
    type: "child_linked",
    child: { source: "codex", session_id: child },
    relation: relation ?? "subagent",
    phase,
  };
  if (role !== undefined && role !== null) body.role = role;
  if (callId !== undefined && callId !== null) body.call_id = callId;
  return [body];
}

const FINAL = ["completed", "errored", "failed"];

/** Whether the status contains the child's result; "running" and plain strings do not. */
function isFinal(status: unknown): boolean {
  return isFields(status) && FINAL.some((word) => word in status);
}

function returns(state: ReaderState, statuses: unknown, callId: string | null): ChildLinkedBody[] {
  return Object.entries(fieldsOf(statuses)).flatMap(([child, status]) =>
    isFinal(status) ? link(state, { child: threadOf(state, child), phase: "returned", callId }) : [],
  );
}

/** Newer versions name agents by a path; activity records map it to a thread id. */
function threadOf(state: ReaderState, name: string): string {
  return recall(state.paths, name) ?? name;
}

/** Outputs of the agent tools: `{agent_id}` when spawned, `{status:{id:{completed}}}` when waited for. */
export function linksInOutput(state: ReaderState, callId: string, text: string): ChildLinkedBody[] {
  const call = recall(state.calls, callId);
  if (call === undefined || !/agent|^wait$/.test(call.name)) return [];
  const output = parseFields(text);
  if (output === null) return [];
  const links = returns(state, output.status, callId);
  const child = wordOf(output.agent_id) ?? wordOf(output.thread_id);
  if (child !== null && call.name.includes("spawn")) {
    links.unshift(...link(state, { child, phase: "spawned", role: call.role ?? null, callId }));
  }
  return links;
}

/** `sub_agent_activity` events and `SubAgentActivity` items. */
export function linksInActivity(state: ReaderState, activity: Fields): ChildLinkedBody[] {
  const child = wordOf(activity.agent_thread_id);
  if (child === null) return [];
  const path = wordOf(activity.agent_path);
  if (path !== null) remember(state.paths, path, child);
  if (activity.kind !== "started") return [];
  const callId = wordOf(activity.event_id) ?? wordOf(activity.id);
  return link(state, { child, phase: "spawned", role: recall(state.calls, callId)?.role ?? null, callId });
}

/** `CollabAgentToolCall` items and the `collab_*_end` events before them. */
export function linksInCollab(state: ReaderState, item: Fields, tool: string): ChildLinkedBody[] {
  const callId = wordOf(item.id) ?? wordOf(item.call_id);
  const role = wordOf(item.new_agent_role) ?? recall(state.calls, callId)?.role ?? null;
  const receivers = [item.new_thread_id, ...listOf(item.receiver_thread_ids)].flatMap((id) => wordOf(id) ?? []);
  const links: ChildLinkedBody[] = [];
  if (tool.includes("spawn")) {
    for (const child of receivers) links.push(...link(state, { child, phase: "spawned", role, callId }));
  }
  links.push(...returns(state, item.agents_states, callId), ...returns(state, item.statuses, callId));
  return links;
}

const NOTIFICATION = /<subagent_notification>([\s\S]*?)<\/subagent_notification>/i;

/** The user- or developer-role message that tells an agent that its child has finished. */
export function linksInNotification(state: ReaderState, text: string): ChildLinkedBody[] {
  const notice = parseFields(NOTIFICATION.exec(text)?.[1] ?? "");
  const name = wordOf(notice?.agent_id) ?? wordOf(notice?.agent_path);
  if (notice === null || name === null || !isFinal(notice.status)) return [];
  return link(state, { child: threadOf(state, name), phase: "returned" });
}

const SENDER = /^Sender: (\S+)/m;

/** Messages between agents: the final answer of a child is its return. */
export function linksInMail(state: ReaderState, author: string | null, text: string): ChildLinkedBody[] {
  if (!/^Message Type: FINAL_ANSWER/m.test(text)) return [];
  const name = author ?? SENDER.exec(text)?.[1];
  const child = name === undefined ? undefined : recall(state.paths, name);
  return child === undefined ? [] : link(state, { child, phase: "returned" });
}
