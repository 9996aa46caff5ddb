import {
  SESSION_HEADER,
  type Cursor,
  type Entry,
  type LineStartCursor,
  type ReadContext,
  type Reading,
  type SourceRef,
} from "../contract.ts";
import { isCopied } from "../kit/copies.ts";
import type { JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/json-reading.ts";
import { millis, obj, str, type Native } from "../kit/native.ts";
import { restoreState } from "../kit/state.ts";
import type { CommandTemplates } from "../kit/templates.ts";
import {
  VERSION,
  freshState,
  kindFromPath,
  noteDrift,
  openLines,
  sessionIdFromPath,
  type ReaderState,
} from "./native.ts";
import { classify, headerRecords, nativeType, templatesFor, type Reason, type Verdict } from "./rules.ts";
import { usageOf } from "./usage.ts";

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new GeminiReading(ref, cursor, ctx);
}

class GeminiReading extends JsonReading<ReaderState> {
  readonly #templates: CommandTemplates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(freshState(kindFromPath(ref.path)), cursor);
    super({ ref, ctx, lines: openLines(ref, cursor, ctx), state, prefix: "gemini" });
    this.#templates = templatesFor(ref.path);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    const native = nativeType(record);
    const found = classify(record, { lines, state, path, line: line.line, full, templates: this.#templates });
    const facts = { native, time: timeOf(record), identity: identityOf(record, native) };
    const entry = this.entryWithoutRecords(line, before, found, facts, () => sessionIdFromPath(path));
    if (full) noteDrift(this.counter, record, native);
    if (found.class === "unknown") this.counter.countUnknownType(VERSION, native);
    return this.#settle(entry, record, found);
  }

  /** History copied from another file is recognised before its content is reported as new. */
  #settle(entry: Entry, record: Native, found: Verdict): Entry {
    const { state } = this;
    const isHeader = entry.native === SESSION_HEADER;
    const header = state.meta || isHeader ? [] : headerRecords({}, this.ref.path, state);
    const copied = !isHeader && isCopied(this.ctx.inherited, state, entry.identity, found.class);
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const applied = found.apply();
    if (copied) {
      entry.class = "inherited";
      entry.reason = "gemini.message.inherited" satisfies Reason;
    }
    entry.records = [...header, ...(copied ? usageOf(record, "inherited") : applied)];
    return entry;
  }
}

function timeOf(record: Native): number | null {
  const set = obj(record["$set"]);
  return millis(record["timestamp"]) ?? millis(set ? set["lastUpdated"] : record["startTime"]);
}

/** Message ids are UUIDs. Shorter ids are derived from a message's text and are therefore equal in all sessions. */
function identityOf(record: Native, native: string): string | null {
  if (native === SESSION_HEADER) return str(record["sessionId"]);
  const id = str(record["id"]);
  return id !== null && id.length >= 36 ? id : null;
}
