import type { components } from "../api/types.d.ts";
import { sessionKey } from "./session-key.ts";

type Schemas = components["schemas"];
export type LogRecord = Schemas["LogRecord"];
export type SessionRef = Schemas["SessionRef"];
type Of<T extends LogRecord["type"]> = Extract<LogRecord, { type: T }>;

/** A tool call made from its start and finish records; of several results the last one counts. */
export interface Call {
  id: string;
  started: Of<"tool_started">;
  finished: Of<"tool_finished"> | null;
  /** Calls that ran inside this one. */
  inner: Call[];
  /** The session that the call started. */
  child: { ref: SessionRef; relation: string; role: string | null } | null;
}

export type Tone = "quiet" | "bad" | "wait";

/** An item shown in a turn, in order. `key` stays the same while the session grows. */
export type Item =
  | { kind: "asked"; key: number; record: Of<"user"> }
  | { kind: "injected"; key: number; record: Of<"user"> }
  | { kind: "said"; key: number; record: Of<"assistant_finished"> }
  | { kind: "thought"; key: number; texts: string[]; ms: number | null; line: number | null }
  | { kind: "calls"; key: number; calls: Call[] }
  | {
      kind: "child";
      key: number;
      child: { ref: SessionRef; relation: string; role: string | null };
      line: number | null;
    }
  | { kind: "notice"; key: number; text: string; detail: string | null; tone: Tone; line: number | null };

/** Calls per group. Groups far from the viewport are removed from the document as a whole. */
const MOST_CALLS = 40;

export function lineOf(record: Pick<LogRecord, "origin">): number | null {
  return record.origin?.line ?? record.origin?.row ?? null;
}

/** Turns the records of a turn into what a reader sees. The request on `triggerLine` is left out: it is shown above. */
export function itemsOf(records: readonly LogRecord[], triggerLine: number | null): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, Call>();
  const early = new Map<string, Of<"tool_finished">>();
  const linked = new Set<string>();
  /** The last record of an earlier line; records of the same line were written at the same moment. */
  let before: LogRecord | null = null;
  let latest: LogRecord | null = null;
  let model: string | null = null;
  let isAsked = false;

  const notice = (record: LogRecord, text: string, detail: string | null = null, tone: Tone = "quiet"): void => {
    items.push({ kind: "notice", key: record.seq, text, detail, tone, line: lineOf(record) });
  };

  for (const record of records) {
    if (latest !== null && lineOf(latest) !== lineOf(record)) before = latest;
    switch (record.type) {
      case "user": {
        const isTrigger = record.author === "human" && !isAsked && lineOf(record) === triggerLine;
        if (isTrigger) isAsked = true;
        else if (record.text.trim() !== "")
          items.push({ kind: record.author === "human" ? "asked" : "injected", key: record.seq, record });
        break;
      }
      case "assistant_finished":
        if (record.text.trim() !== "" || record.review) items.push({ kind: "said", key: record.seq, record });
        break;
      case "reasoning_finished":
        addThought(items, record, before);
        break;
      case "tool_started": {
        const call: Call = {
          id: record.call_id,
          started: record,
          finished: early.get(record.call_id) ?? null,
          inner: [],
          child: null,
        };
        calls.set(call.id, call);
        const outer = calls.get(record.parent_call_id ?? "");
        if (outer) outer.inner.push(call);
        else addCall(items, call);
        break;
      }
      case "tool_finished": {
        const call = calls.get(record.call_id);
        if (call) call.finished = mergeResults(call.finished, record);
        else early.set(record.call_id, record);
        break;
      }
      case "child_linked": {
        const child = { ref: record.child, relation: record.relation, role: record.role ?? null };
        const name = sessionKey(child.ref);
        if (linked.has(name)) break;
        linked.add(name);
        const call = calls.get(record.call_id ?? "");
        if (call && call.child === null) call.child = child;
        else items.push({ kind: "child", key: record.seq, child, line: lineOf(record) });
        break;
      }
      case "context":
        if (typeof record.model === "string") {
          if (model !== null && record.model !== model) notice(record, `model: ${model} → ${record.model}`);
          model = record.model;
        }
        break;
      case "compacted":
        notice(record, COMPACTED[record.trigger], record.summary ?? null);
        break;
      case "cancelled":
        notice(record, CANCELLED[record.reason], null, record.reason === "interrupted" ? "wait" : "quiet");
        break;
      case "failed":
        notice(record, record.turn_ended ? "failed" : "failed, then retried", record.message, "bad");
        break;
      case "session_renamed":
        if (record.title !== null && record.by === "human") notice(record, `renamed to “${record.title}”`);
        break;
      case "session_archived":
        notice(record, record.archived ? "archived" : "unarchived");
        break;
      case "unknown":
        notice(record, `record of unknown type: ${record.native_type}`);
        break;
      case "unreadable":
        notice(record, `unreadable: ${record.reason}`, record.hint, "bad");
        break;
      default:
        break;
    }
    latest = record;
  }
  return items;
}

const COMPACTED: Readonly<Record<Of<"compacted">["trigger"], string>> = {
  manual: "compacted by hand: a summary replaces everything before this point",
  auto: "compacted: a summary replaces everything before this point",
  unknown: "compacted: a summary replaces everything before this point",
};

const CANCELLED: Readonly<Record<Of<"cancelled">["reason"], string>> = {
  interrupted: "interrupted",
  replaced: "replaced by the next request",
  review_ended: "the review ended",
  budget_limited: "stopped: its budget was used up",
  rolled_back: "earlier turns were rolled back",
  rewound: "rewound: what follows replaces earlier turns",
  unknown: "stopped",
};

function addCall(items: Item[], call: Call): void {
  const last = items.at(-1);
  if (last?.kind === "calls" && last.calls.length < MOST_CALLS) last.calls.push(call);
  else items.push({ kind: "calls", key: call.started.seq, calls: [call] });
}

/** Consecutive reasoning records become one item; the duration is the time since the record before them. */
function addThought(items: Item[], record: Of<"reasoning_finished">, before: LogRecord | null): void {
  const took = Date.parse(record.time ?? "") - Date.parse(before?.time ?? "");
  const ms = took > 0 ? took : null;
  const last = items.at(-1);
  if (last?.kind === "thought") {
    if (record.text.trim() !== "") last.texts.push(record.text);
    if (ms !== null) last.ms = (last.ms ?? 0) + ms;
    return;
  }
  const texts = record.text.trim() === "" ? [] : [record.text];
  items.push({ kind: "thought", key: record.seq, texts, ms, line: lineOf(record) });
}

/** A later record of the same result may say less: values it leaves out are kept from the earlier one. */
function mergeResults(known: Of<"tool_finished"> | null, next: Of<"tool_finished">): Of<"tool_finished"> {
  if (known === null) return next;
  return {
    ...next,
    exit_code: next.exit_code ?? known.exit_code ?? null,
    duration_ms: next.duration_ms ?? known.duration_ms ?? null,
    output: next.output ?? known.output ?? null,
    error: next.error ?? known.error ?? null,
    files: next.files ?? known.files ?? [],
  };
}

/** The output as text: most agents record text, some record JSON. */
export function outputOf({ finished }: Call): string {
  const output: unknown = finished?.output ?? "";
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}

/** Start and end of a call, in ms; null if the agent recorded no times. */
export function spanOf({ started, finished }: Call): [start: number, end: number] | null {
  const start = Date.parse(started.time ?? "");
  if (finished === null || Number.isNaN(start)) return null;
  if (typeof finished.duration_ms === "number") return [start, start + finished.duration_ms];
  const end = Date.parse(finished.time ?? "");
  return Number.isNaN(end) ? null : [start, Math.max(start, end)];
}

export interface Bar {
  /** Fractions of the time that all overlapping calls took together, 0 to 1. */
  from: number;
  width: number;
}

/** For calls that overlap in time: start and duration of each, as fractions of the time they took together. */
export function barsOf(calls: readonly Call[]): Map<string, Bar> {
  const bars = new Map<string, Bar>();
  let bunch: { id: string; span: [number, number] }[] = [];
  let end = -Infinity;
  const close = (): void => {
    const start = Math.min(...bunch.map(({ span }) => span[0]));
    const whole = Math.max(end - start, 1);
    if (bunch.length > 1)
      for (const { id, span } of bunch)
        bars.set(id, { from: (span[0] - start) / whole, width: (span[1] - span[0]) / whole });
    bunch = [];
    end = -Infinity;
  };
  for (const call of calls) {
    const span = spanOf(call);
    if (span === null) continue;
    if (bunch.length > 0 && span[0] >= end) close();
    bunch.push({ id: call.id, span });
    end = Math.max(end, span[1]);
  }
  if (bunch.length > 0) close();
  return bars;
}

/** Each call followed by the calls that ran inside it. */
export function flattenCalls(calls: readonly Call[], isInner = false): { call: Call; isInner: boolean }[] {
  return calls.flatMap((call) => [{ call, isInner }, ...flattenCalls(call.inner, true)]);
}

/** Splits items into chunks that are added to the document and removed from it together. */
export function chunksOf(items: readonly Item[], most = 40): Item[][] {
  const chunks: Item[][] = [];
  let weight = Infinity;
  for (const item of items) {
    const own = item.kind === "calls" ? item.calls.length : 2;
    if (weight + own > most) {
      chunks.push([]);
      weight = 0;
    }
    chunks.at(-1)?.push(item);
    weight += own;
  }
  return chunks;
}

/** Whether an item was made from a native line. */
export function itemHasLine(item: Item, line: number): boolean {
  if (item.kind === "calls") return flattenCalls(item.calls).some(({ call }) => callHasLine(call, line));
  if (item.kind === "asked" || item.kind === "injected" || item.kind === "said") return lineOf(item.record) === line;
  return item.line === line;
}

export function callHasLine({ started, finished }: Call, line: number): boolean {
  return lineOf(started) === line || (finished !== null && lineOf(finished) === line);
}
