/** Other sessions: sub-agents that this one started, and history that was copied from another. */
import { createHash } from "node:crypto";
import type { ChildLinkedBody, RecordBody, Relation } from "../../record/record.ts";
import { identityAt } from "../contract.ts";
import { rememberMessage, settingsBody } from "./context.ts";
import {
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  parseFields,
  timeOf,
  wordOf,
  type Fields,
  type NativeRecord,
} from "./native.ts";
import {
  recall,
  remember,
  verdict,
  type ClassifyContext,
  type ReaderState,
  type Reason,
  type Verdict,
} from "./state.ts";
import { markTotalsInherited, usageOfCount, usageOfRecord } from "./usage.ts";

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

/**
 * Equal in every copy of a record: a hash of type and payload, without the time of the line, which changes in a copy.
 */
export function identityOf(record: NativeRecord): string {
  if (record.type === "session_meta") {
    const id = wordOf(record.payload.id);
    if (id !== null) return id;
  }
  const text = canonical([record.type, record.payload]);
  return createHash("sha1").update(text).digest("hex").slice(0, 16);
}

/**
 * JSON with sorted keys, so that key order makes no difference. The recursion is bounded: no value exceeds `MAX_DEPTH`.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`);
  return `{${parts.join(",")}}`;
}

/**
 * Without the parent's file, a copied history can only be recognised by its times: Codex writes the copy at once, right
 * after the new header, and gives every copied line that time. A second is ample for the copy and too short for a
 * person to type. Copied turns keep their original start time, which tells them from the first turn of a program that
 * prompts at once.
 */
const COPY_MS = 1000;

export function expectCopy(state: ReaderState, header: NativeRecord): void {
  const created = timeOf(header.payload.timestamp) ?? header.time;
  const written = header.time ?? created;
  state.copy = {
    until: written === null ? null : written + COPY_MS,
    startedAfter: created === null ? 0 : Math.floor(created / 1000),
  };
}

/**
 * Equal content alone does not prove a copy: people type "continue" again. A copy has the time of its original, or the
 * time at which the whole copy was written.
 */
function isCopy(record: NativeRecord, state: ReaderState, parent: ReadonlySet<string>, identity: string): boolean {
  if (!parent.has(identity)) return false;
  const until = state.copy?.until ?? null;
  if (until === null || record.time === null || record.time <= until) return true;
  return parent.has(identityAt(identity, record.time));
}

/** Whether the record was copied from another session, and by which rule; null when it is the session's own. */
export function inheritanceRule(
  record: NativeRecord,
  state: ReaderState,
  parent: ReadonlySet<string> | undefined,
  identity: string | undefined,
): Reason | null {
  if (state.historyStart !== null && record.ordinal !== null && record.ordinal < state.historyStart) {
    return "codex.inherited.before_own_history";
  }
  if (parent !== undefined) {
    if (!state.inheriting || identity === undefined) return null;
    if (isCopy(record, state, parent, identity)) return "codex.inherited.parent_record";
    // Copied tasks keep their ids: a task unknown to the parent is the session's own, and so is everything after it.
    if (record.kind === "task_started" || record.kind === "turn_started") state.inheriting = false;
    return null;
  }
  if (state.copy === null) return null;
  const { until, startedAfter } = state.copy;
  const started = record.kind === "task_started" ? numberOf(record.payload.started_at) : null;
  const own = started !== null && started >= startedAfter;
  if (own || until === null || (record.time !== null && record.time > until)) {
    state.copy = null;
    return null;
  }
  return record.time === null ? null : "codex.inherited.copied_at_start";
}

/** A copied record reports nothing new, but the session's own counters and settings continue from those it states. */
export function inheritedVerdict(ctx: ClassifyContext, reason: Reason): Verdict {
  const { record, state } = ctx;
  const records: RecordBody[] = [];
  if (record.kind === "token_count") {
    const usage = usageOfCount(record.payload.info, state);
    if (usage) records.push({ ...usage, verdict: "inherited" });
    markTotalsInherited(state);
  } else if (record.type === "token_usage_record") {
    records.push({ ...usageOfRecord(record.payload, state), verdict: "inherited" });
    markTotalsInherited(state);
  } else if (record.kind === "message" && record.payload.role === "user") {
    rememberMessage(state, record.payload);
  } else if (record.type === "turn_context") {
    settingsBody(withoutCwd(record.payload), null, state);
  } else if (record.kind === "thread_settings_applied") {
    settingsBody(withoutCwd(fieldsOf(record.payload.thread_settings)), null, state);
  }
  return verdict("inherited", reason, records);
}

/** Only the model is taken over: the original session may have worked in another directory. */
function withoutCwd(settings: Fields): Fields {
  return { model: settings.model };
}
