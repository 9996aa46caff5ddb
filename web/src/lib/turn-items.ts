import type { components } from "../api/types.d.ts";

type Schemas = components["schemas"];
export type LogRecord = Schemas["LogRecord"];
export type SessionRef = Schemas["SessionRef"];
type Of<T extends LogRecord["type"]> = Extract<LogRecord, { type: T }>;

/** A tool call between its two records; of several results the last one holds. */
export interface Call {
  id: string;
  started: Of<"tool_started">;
  finished: Of<"tool_finished"> | null;
  /** Calls that ran inside this one. */
  inner: Call[];
  /** The session it caused. */
  child: { ref: SessionRef; relation: string; role: string | null } | null;
}

export type Tone = "quiet" | "bad" | "wait";

/** What is shown of a turn, in order. `key` stays the same while the session grows. */
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
  | { kind: "mark"; key: number; text: string; detail: string | null; tone: Tone; line: number | null };

/** So many calls stand in one group: what is far away is taken out of the page by groups. */
const MOST_CALLS = 40;

export function lineOf(record: Pick<LogRecord, "origin">): number | null {
  return record.origin?.line ?? record.origin?.row ?? null;
}

/** Puts the records of a turn together to what a reader sees. `triggerLine`: the request itself stands above them already. */
export function itemsOf(records: readonly LogRecord[], triggerLine: number | null): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, Call>();
  const early = new Map<string, Of<"tool_finished">>();
  const linked = new Set<string>();
  /** The last record of an earlier line: what stands on one line was written at once. */
  let before: LogRecord | null = null;
  let latest: LogRecord | null = null;
  let model: string | null = null;
  let isAsked = false;

  const mark = (record: LogRecord, text: string, detail: string | null = null, tone: Tone = "quiet"): void => {
    items.push({ kind: "mark", key: record.seq, text, detail, tone, line: lineOf(record) });
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
        if (record.text.trim() !== "") items.push({ kind: "said", key: record.seq, record });
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
        if (call) call.finished = merged(call.finished, record);
        else early.set(record.call_id, record);
        break;
      }
      case "child_linked": {
        const child = { ref: record.child, relation: record.relation, role: record.role ?? null };
        const name = `${child.ref.source}/${child.ref.session_id}`;
        if (linked.has(name)) break;
        linked.add(name);
        const call = calls.get(record.call_id ?? "");
        if (call && call.child === null) call.child = child;
        else items.push({ kind: "child", key: record.seq, child, line: lineOf(record) });
        break;
      }
      case "context":
        if (typeof record.model === "string") {
          if (model !== null && record.model !== model) mark(record, `model: ${model} → ${record.model}`);
          model = record.model;
        }
        break;
      case "compacted":
        mark(record, COMPACTED[record.trigger], record.summary ?? null);
        break;
      case "cancelled":
        mark(record, CANCELLED[record.reason], null, record.reason === "interrupted" ? "wait" : "quiet");
        break;
      case "failed":
        mark(record, record.turn_ended ? "failed" : "failed, and tried again", record.message, "bad");
        break;
      case "session_renamed":
        if (record.title !== null && record.by === "human") mark(record, `named “${record.title}”`);
        break;
      case "session_archived":
        mark(record, record.archived ? "put away" : "taken out again");
        break;
      case "unknown":
        mark(record, `a record of unknown kind: ${record.native_type}`);
        break;
      case "unreadable":
        mark(record, `unreadable: ${record.reason}`, record.hint, "bad");
        break;
      default:
        break;
    }
    latest = record;
  }
  return items;
}

const COMPACTED: Readonly<Record<Of<"compacted">["trigger"], string>> = {
  manual: "compacted by hand: what came before is a summary from here on",
  auto: "compacted: what came before is a summary from here on",
  unknown: "compacted: what came before is a summary from here on",
};

const CANCELLED: Readonly<Record<Of<"cancelled">["reason"], string>> = {
  interrupted: "interrupted",
  replaced: "replaced by what was asked next",
  review_ended: "the review ended",
  budget_limited: "stopped: its budget was used up",
  rolled_back: "turns before this were rolled back",
  rewound: "rewound: what follows takes the place of earlier turns",
  unknown: "stopped",
};

function addCall(items: Item[], call: Call): void {
  const last = items.at(-1);
  if (last?.kind === "calls" && last.calls.length < MOST_CALLS) last.calls.push(call);
  else items.push({ kind: "calls", key: call.started.seq, calls: [call] });
}

/** Thinking that was written in pieces is one thought; how long it took is shown by what stands before it. */
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

/** A later statement of the same result may say less: what it leaves open stays as it was. */
function merged(known: Of<"tool_finished"> | null, next: Of<"tool_finished">): Of<"tool_finished"> {
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

/** A result as text: most agents write text, some write data. */
export function outputOf({ finished }: Call): string {
  const output: unknown = finished?.output ?? "";
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}

/** When a call began and ended, in ms; null where the agent wrote no times. */
export function spanOf({ started, finished }: Call): [start: number, end: number] | null {
  const start = Date.parse(started.time ?? "");
  if (finished === null || Number.isNaN(start)) return null;
  if (typeof finished.duration_ms === "number") return [start, start + finished.duration_ms];
  const end = Date.parse(finished.time ?? "");
  return Number.isNaN(end) ? null : [start, Math.max(start, end)];
}

export interface Bar {
  /** Parts of the whole that all calls of the bunch took, 0 to 1. */
  from: number;
  width: number;
}

/** Where calls ran side by side: when each began and how long it took, as parts of the time that all of them took. */
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

/** Calls with those that ran inside them behind each. */
export function flattened(calls: readonly Call[], isInner = false): { call: Call; isInner: boolean }[] {
  return calls.flatMap((call) => [{ call, isInner }, ...flattened(call.inner, true)]);
}

/** Items in pieces that are put into the page and taken out of it together. */
export function piecesOf(items: readonly Item[], most = 40): Item[][] {
  const pieces: Item[][] = [];
  let weight = Infinity;
  for (const item of items) {
    const own = item.kind === "calls" ? item.calls.length : 2;
    if (weight + own > most) {
      pieces.push([]);
      weight = 0;
    }
    pieces.at(-1)?.push(item);
    weight += own;
  }
  return pieces;
}

/** The lines an item was made from. */
export function holdsLine(item: Item, line: number): boolean {
  if (item.kind === "calls") return flattened(item.calls).some(({ call }) => callHolds(call, line));
  if (item.kind === "asked" || item.kind === "injected" || item.kind === "said") return lineOf(item.record) === line;
  return item.line === line;
}

export function callHolds({ started, finished }: Call, line: number): boolean {
  return lineOf(started) === line || (finished !== null && lineOf(finished) === line);
}
