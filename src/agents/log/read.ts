/** One pass over a log; the names of all rules. */
import { withoutEnvelope } from "../../record/entries.ts";
import { entryOf, type RecordEntry } from "../../record/entries.ts";
import { emptyLogState, loadLogState, saveLogState, type LogState, type SavedLogState } from "../../record/entries.ts";
import type { LogRecord, RecordBody, SessionMetaBody, SessionRef } from "../../record/record.ts";
import { problemsOf } from "../../record/schema.ts";
import { recordPlaceOf, shapeProblem } from "../../record/shape.ts";
import { expandShortForms } from "../../record/short-forms.ts";
import {
  identityAt,
  type Cursor,
  type Entry,
  type LineStartCursor,
  type ReadContext,
  type Reading,
  type SourceRef,
} from "../contract.ts";
import { copiedRecords } from "../kit/copies.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/reading.ts";
import type { Native } from "../kit/native.ts";
import { SOURCE_ID, sessionIdOf } from "./discover.ts";

/** The name under which a log's format version is counted. */
const VERSION = "schema 1";

/** One pass over a log: one entry per line, resumable after every line that is whole. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new LogReading(ref, cursor, ctx);
}

class LogReading extends JsonReading<LogState> {
  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = cursor ? loadLogState(cursor.state as SavedLogState) : emptyLogState();
    super({ ref, ctx, lines: new JsonLines(ref, cursor, ctx), state, prefix: "log" });
  }

  protected override savedState(): SavedLogState {
    return saveLogState(this.state);
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

/** Maps references to sessions of the same agent to logs; the agent that wrote the log is reported as its client. */
function toLogReferences(body: RecordBody, record: LogRecord, memory: LogState): RecordBody {
  switch (body.type) {
    case "session_meta": {
      const parent = body.parent ? { parent: refOf(body.parent, memory) } : {};
      // A position in native files says nothing about a log.
      const { forked_before: _native, ...stated } = body;
      const header = { ...stated, source: SOURCE_ID, originator: body.originator ?? body.source, ...parent };
      const copied = copiedFrom(body, record);
      return copied ? { ...header, copy_of: copied } : header;
    }
    case "child_linked":
      return { ...body, child: refOf(body.child, memory) };
    default:
      return body;
  }
}

/**
 * A log whose header has an origin in another file was created from that session. For a copy of a copy, the first
 * original is used.
 */
function copiedFrom({ source, copy_of }: SessionMetaBody, { origin, session_id }: LogRecord): SessionRef | null {
  if (copy_of) return copy_of;
  return Object.keys(origin).length > 0 && source !== SOURCE_ID ? { source, session_id } : null;
}

function refOf(ref: SessionRef, { source }: LogState): SessionRef {
  return ref.source === source ? { ...ref, source: SOURCE_ID } : ref;
}

/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "log.before_the_request",
  "log.copied",
  "log.delegated",
  "log.line.blank",
  "log.line.not_json",
  "log.line.not_object",
  "log.line.nul_bytes",
  "log.line.too_deep",
  "log.line.too_large",
  "log.line.torn",
  "log.of_the_session",
  "log.of_the_turn",
  "log.preparation",
  "log.record.invalid",
  "log.record.unreadable",
  "log.request",
  "log.request.restated",
  "log.seq.repeated",
  "log.session.foreign",
  "log.turn.unasked",
  "log.type.unknown",
  "log.version.newer",
] as const;

type Reason = (typeof REASONS)[number];
