import type { Origin, Tokens } from "../../record/record.ts";
import { addTokens, noTokens, totalTokens } from "../../record/tokens.ts";
import { iso } from "../../base/time/zone.ts";
import type { ChildLink, FileDraft, ToolCall, TurnDraft, UsageEvent } from "../model.ts";
import { findUnwritten } from "../unwritten.ts";
import type { AssistantMessage } from "./conversation.ts";
import type { ChildState, ToolState, TurnState, UsageState } from "./state.ts";

/** What is known about a turn only from the record that began it. */
export interface StatedRequest {
  turn_id: string | null;
  native_turn_id: string | null;
  origin: Origin;
  author: "human" | "agent";
}

/** The builder counts lines from 1, a log counts records from 0. */
export function lineOf(seq: number): number {
  return seq + 1;
}

function seqOf(line: number): number {
  return line - 1;
}

export function turnState(
  draft: TurnDraft,
  { turn_id, native_turn_id, origin, author }: StatedRequest,
  more: { assistant: AssistantMessage[]; stated: boolean; usage: Tokens },
): TurnState {
  const { trigger, delegated, duration_ms, records, final_text, outcome, outcome_detail, taken_back, context } = draft;
  const { text, kind, entry, attachments } = trigger;
  const time = iso(trigger.time);
  return {
    turn_id,
    native_turn_id,
    delegated,
    trigger: { seq: seqOf(trigger.line), time, origin, author, text, kind, entry, attachments },
    first_seq: seqOf(draft.start_line),
    last_seq: seqOf(draft.end_line),
    started_at: time,
    ended_at: iso(draft.ended_at),
    duration_ms,
    records,
    assistant: more.assistant,
    final_text,
    outcome,
    outcome_stated: more.stated,
    outcome_detail,
    taken_back,
    files: draft.files.map(({ path, operation }) => ({ path, operation })),
    context,
    usage: more.usage,
  };
}

export function toolState(call: ToolCall, turn_id: string | null): ToolState {
  const { call_id, parent_call_id, name, input, status, settled, exit_code, duration_ms, error, result } = call;
  return {
    call_id,
    turn_id,
    parent_call_id,
    name,
    input,
    status,
    settled,
    exit_code,
    duration_ms,
    started_at: iso(call.started_at),
    ended_at: iso(call.ended_at),
    start_seq: seqOf(call.start_line),
    end_seq: call.end_line === null ? null : seqOf(call.end_line),
    output: result?.output ?? null,
    truncated: result?.truncated ?? false,
    error,
    files: result?.files ?? [],
  };
}

/** Responses that count: those with records of their own, and the usage that the agent's totals prove beyond them. */
export function countedResponses({ session_id, usage, statements }: FileDraft): UsageEvent[] {
  const own = usage.filter((event) => event.copied === undefined);
  if (statements.length === 0) return own;
  return [...own, ...findUnwritten({ session_id, statements, children: [], baseOf: () => [] }).events];
}

export function usageState({ tokens, stated }: FileDraft, counted: readonly UsageEvent[]): UsageState {
  const totals = noTokens();
  const models = new Map<string, Tokens>();
  const balance = { ...tokens };
  for (const event of counted) {
    addTokens(totals, event);
    const sum = models.get(event.model ?? "") ?? noTokens();
    addTokens(sum, event);
    models.set(event.model ?? "", sum);
    // Usage without a record of its own is not in the balance of the records read, so it is added.
    if (event.reason === undefined) continue;
    balance.tokens_read += totalTokens(event);
    balance.counted += totalTokens(event);
  }
  const { line, ...total } = stated ?? { line: 0 };
  return {
    totals,
    responses: counted.length,
    models: Object.fromEntries(models),
    balance,
    stated: stated && { ...(total as Omit<typeof stated, "line">), seq: seqOf(line) },
  };
}

/** `calls`: call ids by the `seq` of the records that began them. */
export function childState(
  link: ChildLink,
  turn_id: string | null,
  calls: ReadonlyMap<number | null, string>,
): ChildState {
  const { child, relation, role, spawn_line, result_line, returned_at } = link;
  const spawn_seq = spawn_line === null ? null : seqOf(spawn_line);
  const call_id = calls.get(spawn_seq) ?? null;
  return {
    child: { source: child.source, session_id: child.session_id },
    relation,
    role,
    turn_id,
    call_id,
    spawn_seq,
    result_seq: result_line === null ? null : seqOf(result_line),
    returned_at: iso(returned_at),
  };
}
