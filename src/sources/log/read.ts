import { withoutEnvelope } from "../../format/entries/bodies.ts";
import { entryOf } from "../../format/entries/entry.ts";
import { emptyMemory, loadMemory, saveMemory, type LogMemory, type SavedMemory } from "../../format/entries/memory.ts";
import type { LogRecord } from "../../format/record.ts";
import { problemsOf } from "../../format/schema.ts";
import { placeOf, shapeProblem } from "../../format/shape.ts";
import { inFull } from "../../format/short-forms.ts";
import { JsonLines, problemEntry, type JsonLine } from "../kit/json-lines.ts";
import { entriesIn, Holding } from "../kit/line-pass.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { ofLogs } from "./names.ts";
import type { Reason } from "./reasons.ts";

/** How a log says what wrote it. */
const VERSION = "schema 1";

/** One pass over a log: one entry per line, resumable after every line that is whole. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new LogPass(ref, cursor, ctx);
}

class LogPass implements Reading {
  readonly #ctx: ReadContext;
  readonly #lines: JsonLines;
  readonly #state: LogMemory;
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  readonly #holding = new Holding(() => saveMemory(this.#state));

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ctx = ctx;
    this.#state = cursor ? loadMemory(cursor.state as SavedMemory) : emptyMemory();
    this.#lines = new JsonLines(ref, cursor, ctx);
  }

  [Symbol.iterator](): Generator<Entry, void, undefined> {
    return entriesIn(this.#lines, this.#ctx.signal, (line, before) => this.#entry(line, before));
  }

  cursor(): Cursor {
    return this.#holding.cursor(this.#lines.position);
  }

  drift(): Drift {
    return structuredClone(this.#drift);
  }

  #entry(line: JsonLine, before: LineStartCursor): Entry {
    if (!line.value) {
      const entry = problemEntry(line, "log");
      return { ...entry, tentative: this.#holding.hold(before, entry.tentative) };
    }
    const tentative = this.#holding.hold(before, !line.terminated);
    const { line: at, offset, bytes } = line;
    const value = inFull(line.value);
    const native = typeof value["type"] === "string" ? value["type"] : "(none)";
    const place = { line: at, offset, bytes, position: at, native, tentative };
    return { ...place, ...this.#told(value, line, native) };
  }

  #told(value: Record<string, unknown>, line: JsonLine, native: string): TellingPart {
    bump(this.#drift.versions, VERSION);
    const state = this.#state;
    const known = placeOf(value);
    if (known && state.session_id !== null && known.session_id !== state.session_id)
      return unusable("log.session.foreign", line, "it belongs to another session");
    // The first line that carries a number is the record.
    if (known && known.seq < state.next_seq)
      return { class: "duplicate", reason: "log.seq.repeated" satisfies Reason, time: null, records: [] };
    if (known) state.next_seq = known.seq + 1;
    const wrong = shapeProblem(value);
    if (wrong?.code === "type_unknown") {
      bump(this.#drift.unknownTypes, `${VERSION} · ${native}`);
      const records = [{ type: "unknown", native_type: native }] as const;
      return { class: "unknown", reason: "log.type.unknown" satisfies Reason, time: null, records };
    }
    if (wrong) {
      const isNewer = wrong.code === "version_unsupported";
      return unusable(isNewer ? "log.version.newer" : "log.record.invalid", line, wrong.message);
    }
    // Whoever wrote it, what is behind takes its fields for what the format says they are.
    const [problem] = problemsOf(value);
    if (problem) return unusable("log.record.invalid", line, `${native}.${problem.field}: ${problem.message}`);
    const entry = entryOf(value as unknown as LogRecord, line.line, state);
    return { ...entry, records: entry.records.map((body) => ofLogs(withoutEnvelope(body), state)) };
  }
}

type TellingPart = Pick<Entry, "class" | "reason" | "time" | "records" | "identity" | "turnId">;

function unusable(reason: Reason, { bytes }: JsonLine, hint: string): TellingPart {
  const what = reason.slice("log.".length).replaceAll(".", " ");
  const records = [{ type: "unreadable", reason: what, bytes, hint }] as const;
  return { class: "corrupt", reason, time: null, records };
}

function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
