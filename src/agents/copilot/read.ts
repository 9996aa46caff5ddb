import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { linkRecord } from "../kit/chain.ts";
import { copiedRecords, isCopied } from "../kit/copies.ts";
import { addInstructions } from "../kit/instructions.ts";
import type { JsonLine } from "../kit/json-lines.ts";
import { millis, str, type Native } from "../kit/native.ts";
import { JsonReading } from "../kit/reading.ts";
import { restoreState } from "../kit/state.ts";
import { placeEntry } from "../kit/windows.ts";
import {
  freshState,
  headerRecords,
  noteDrift,
  openLines,
  sessionIdFromPath,
  systemPrompt,
  windows,
  type ReaderState,
} from "./native.ts";
import { classify, type Reason, type Verdict } from "./rules.ts";

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new CopilotReading(ref, cursor, ctx);
}

class CopilotReading extends JsonReading<ReaderState> {
  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(freshState(), cursor);
    super({ ref, ctx, lines: openLines(ref, cursor, ctx), state, prefix: "copilot" });
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    const native = str(record["type"]) ?? "(untyped)";
    windows.enter(record, state);
    const ahead = windows.linesAhead(lines, state);
    const found = classify(record, { lines: ahead, state, path, line: line.line, full });
    const facts = { native, time: millis(record["timestamp"]), identity: str(record["id"]) };
    const entry = this.entryWithoutRecords(line, before, found, facts, () => sessionIdFromPath(path));
    noteDrift(this.counter, record, state, full);
    if (found.class === "unknown") this.counter.countUnknownType(state.met, native);
    return this.#settle(entry, record, found);
  }

  /** Copies are recognised before their content is reported as new. */
  #settle(entry: Entry, record: Native, found: Verdict): Entry {
    const { state } = this;
    const id = str(record["id"]);
    if (id !== null && !state.ids.add(id)) {
      entry.class = "duplicate";
      entry.reason = "copilot.id.repeated" satisfies Reason;
      placeEntry(entry, null, state);
      return entry;
    }
    const follows = found.class === "trigger" ? windows.begin(record, entry.line, false, state) : null;
    if (id !== null) linkRecord(state, id);
    const header = state.meta || entry.native === "session.start" ? [] : headerRecords({}, this.ref.path, state);
    const copied = isCopied(this.ctx.inherited, state, id, found.class);
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const records = [...header, ...found.apply()];
    if (copied) {
      entry.class = "inherited";
      entry.reason = "copilot.id.inherited" satisfies Reason;
      entry.records = copiedRecords(records);
      return entry;
    }
    entry.records = records;
    addInstructions(entry, systemPrompt(record), this.full);
    placeEntry(entry, follows, state);
    return entry;
  }
}
