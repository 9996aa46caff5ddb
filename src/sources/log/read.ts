import { withoutEnvelope } from "../../format/entries/bodies.ts";
import { entryOf, type RecordEntry } from "../../format/entries/entry.ts";
import { emptyMemory, loadMemory, saveMemory, type LogMemory, type SavedMemory } from "../../format/entries/memory.ts";
import type { LogRecord } from "../../format/record.ts";
import { problemsOf } from "../../format/schema.ts";
import { placeOf, shapeProblem } from "../../format/shape.ts";
import { inFull } from "../../format/short-forms.ts";
import { copiedRecords } from "../kit/copies.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/json-reading.ts";
import type { Native } from "../kit/native.ts";
import { identityAt } from "../contract.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { ofLogs } from "./names.ts";
import type { Reason } from "./reasons.ts";

/** How a log says what wrote it. */
const VERSION = "schema 1";

/** One pass over a log: one entry per line, resumable after every line that is whole. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new LogReading(ref, cursor, ctx);
}

class LogReading extends JsonReading<LogMemory> {
  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = cursor ? loadMemory(cursor.state as SavedMemory) : emptyMemory();
    super({ ref, ctx, lines: new JsonLines(ref, cursor, ctx), state, prefix: "log" });
  }

  protected override saved(): SavedMemory {
    return saveMemory(this.state);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const tentative = this.hold(before, !line.terminated);
    const { line: at, offset, bytes } = line;
    const value = inFull(record);
    const native = typeof value["type"] === "string" ? value["type"] : "(none)";
    const place = { line: at, offset, bytes, position: at, native, tentative };
    return { ...place, ...this.#partOf(value, line, native) };
  }

  #partOf(value: Record<string, unknown>, line: JsonLine, native: string): ReadPart {
    this.counter.version(VERSION);
    const state = this.state;
    const known = placeOf(value);
    if (known && state.session_id !== null && known.session_id !== state.session_id)
      return unusable("log.session.foreign", line, "it belongs to another session");
    // The first line that carries a number is the record.
    if (known && known.seq < state.next_seq)
      return { class: "duplicate", reason: "log.seq.repeated" satisfies Reason, time: null, records: [] };
    if (known) state.next_seq = known.seq + 1;
    const wrong = shapeProblem(value);
    if (wrong?.code === "type_unknown") {
      this.counter.unknownType(VERSION, native);
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
    const record = value as unknown as LogRecord;
    const entry = entryOf(record, line.line, state);
    const records = entry.records.map((body) => ofLogs(withoutEnvelope(body), record, state));
    return this.#isCopied(entry) ? copied({ ...entry, records }) : { ...entry, records };
  }

  /** With its time: a log that was restored and went on has other records under the same numbers. */
  #isCopied({ identity, time, records }: RecordEntry): boolean {
    const known = this.ctx.inherited?.has(identityAt(identity, time)) === true;
    // The header says that it is a copy.
    return known && records[0]?.type !== "session_meta";
  }
}

type ReadPart = Pick<Entry, "class" | "reason" | "time" | "records" | "identity" | "turnId">;

function copied(entry: ReadPart): ReadPart {
  return { ...entry, class: "inherited", reason: "log.copied" satisfies Reason, records: copiedRecords(entry.records) };
}

function unusable(reason: Reason, { bytes }: JsonLine, hint: string): ReadPart {
  const what = reason.slice("log.".length).replaceAll(".", " ");
  const records = [{ type: "unreadable", reason: what, bytes, hint }] as const;
  return { class: "corrupt", reason, time: null, records };
}
