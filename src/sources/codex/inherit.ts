import { createHash } from "node:crypto";
import type { RecordBody } from "../../format/record.ts";
import { identityAt } from "../contract.ts";
import { settingsBody } from "./context.ts";
import { fieldsOf, numberOf, timeOf, wordOf, type Fields } from "./fields.ts";
import type { NativeRecord } from "./native.ts";
import { rememberMessage } from "./retained.ts";
import type { Reason } from "./reasons.ts";
import { verdict, type ClassifyContext, type Verdict } from "./verdict.ts";
import type { ReaderState } from "./state.ts";
import { markTotalsInherited, usageOfCount, usageOfRecord } from "./usage.ts";

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
