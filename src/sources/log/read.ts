import { withoutEnvelope } from "../../format/entries/bodies.ts";
import { entryOf, type RecordEntry } from "../../format/entries/entry.ts";
import { emptyMemory, loadMemory, saveMemory, type LogMemory, type SavedMemory } from "../../format/entries/memory.ts";
import type { LogRecord } from "../../format/record.ts";
import { problemsOf } from "../../format/schema.ts";
import { recordPlaceOf, shapeProblem } from "../../format/shape.ts";
import { expandShortForms } from "../../format/short-forms.ts";
import { copiedRecords } from "../kit/copies.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/json-reading.ts";
import type { Native } from "../kit/native.ts";
import { identityAt } from "../contract.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { sessionIdOf } from "./identity.ts";
import { toLogReferences } from "./names.ts";
import type { Reason } from "./reasons.ts";

/** The name under which a log's format version is counted. */
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

  protected override savedState(): SavedMemory {
    return saveMemory(this.state);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const tentative = this.holdCursor(before, !line.terminated);
    const { line: at, offset, bytes } = line;
    const value = expandShortForms(record, record["session_id"] === undefined ? this.#sessionId() : null);
    const native = typeof value["type"] === "string" ? value["type"] : "(none)";
    const place = { line: at, offset, bytes, position: at, native, tentative };
    return { ...place, ...this.#partOf(value, line, native) };
  }

  #sessionId(): string {
    return this.state.session_id ?? sessionIdOf(this.ref.path);
  }

  #partOf(value: Record<string, unknown>, line: JsonLine, native: string): ReadPart {
    this.counter.countVersion(VERSION);
    const state = this.state;
    const known = recordPlaceOf(value);
    if (known && state.session_id !== null && known.session_id !== state.session_id)
      return unusablePart("log.session.foreign", line, "it belongs to another session");
    // Of several lines with the same number, the first is the record.
    if (known && known.seq < state.next_seq)
      return { class: "duplicate", reason: "log.seq.repeated" satisfies Reason, time: null, records: [] };
    if (known) state.next_seq = known.seq + 1;
    const wrong = shapeProblem(value);
    if (wrong?.code === "type_unknown") {
      this.counter.countUnknownType(VERSION, native);
      const records = [{ type: "unknown", native_type: native }] as const;
      return { class: "unknown", reason: "log.type.unknown" satisfies Reason, time: null, records };
    }
    if (wrong) {
      const isNewer = wrong.code === "version_unsupported";
      return unusablePart(isNewer ? "log.version.newer" : "log.record.invalid", line, wrong.message);
    }
    // Logs may come from any writer, and the code behind this relies on the field types of the format.
    const [problem] = problemsOf(value);
    if (problem) return unusablePart("log.record.invalid", line, `${native}.${problem.field}: ${problem.message}`);
    const record = value as unknown as LogRecord;
    const entry = entryOf(record, line.line, state);
    const records = entry.records.map((body) => toLogReferences(withoutEnvelope(body), record, state));
    return this.#isCopied(entry) ? inheritedPart({ ...entry, records }) : { ...entry, records };
  }

  /** Compares the time too: a log that was restored and then continued has different records under the same numbers. */
  #isCopied({ identity, time, records }: RecordEntry): boolean {
    const known = this.ctx.inherited?.has(identityAt(identity, time)) === true;
    // The header is kept: it says that this is a copy.
    return known && records[0]?.type !== "session_meta";
  }
}

type ReadPart = Pick<Entry, "class" | "reason" | "time" | "records" | "identity" | "turnId">;

function inheritedPart(entry: ReadPart): ReadPart {
  return { ...entry, class: "inherited", reason: "log.copied" satisfies Reason, records: copiedRecords(entry.records) };
}

function unusablePart(reason: Reason, { bytes }: JsonLine, hint: string): ReadPart {
  const what = reason.slice("log.".length).replaceAll(".", " ");
  const records = [{ type: "unreadable", reason: what, bytes, hint }] as const;
  return { class: "corrupt", reason, time: null, records };
}
