import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { linkRecord } from "../kit/chain.ts";
import { copiedRecords, isCopied } from "../kit/copies.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/json-reading.ts";
import { millis, str, type Native } from "../kit/native.ts";
import { restoreState } from "../kit/state.ts";
import type { CommandTemplates } from "../kit/templates.ts";
import { placeEntry } from "../kit/windows.ts";
import { classify, nativeType } from "./classify.ts";
import { noteDrift } from "./drift.ts";
import { headerRecords } from "./header.ts";
import { kindFromPath, sessionIdFromPath } from "./identity.ts";
import type { Reason } from "./reasons.ts";
import { freshState, type ReaderState } from "./state.ts";
import { templatesFor } from "./templates.ts";
import type { Verdict } from "./verdict.ts";
import { windows } from "./windows.ts";

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new QwenReading(ref, cursor, ctx);
}

class QwenReading extends JsonReading<ReaderState> {
  readonly #templates: CommandTemplates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(freshState(kindFromPath(ref.path)), cursor);
    super({ ref, ctx, lines: new JsonLines(ref, cursor, ctx), state, prefix: "qwen" });
    this.#templates = templatesFor(ref.path);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    // If the path does not tell, a subagent's file is recognised by its first record.
    if (!state.meta && record["isSidechain"] === true) state.kind = "subagent";
    windows.enter(record, state);
    const scene = { lines: windows.linesAhead(lines, state), state, path, line: line.line, full };
    const found = classify(record, { ...scene, templates: this.#templates });
    const facts = { native: nativeType(record), time: millis(record["timestamp"]), identity: str(record["uuid"]) };
    const entry = this.entryWithoutRecords(line, before, found, facts, () => sessionIdFromPath(path));
    noteDrift(this.counter, record, state, full);
    if (found.class === "unknown") this.counter.countUnknownType(state.met, facts.native);
    return this.#settle(entry, record, found);
  }

  /** Copies are recognised before their content is reported as new. */
  #settle(entry: Entry, record: Native, found: Verdict): Entry {
    const { state } = this;
    const uuid = str(record["uuid"]);
    if (uuid !== null && !state.uuids.add(uuid)) {
      entry.class = "duplicate";
      entry.reason = "qwen.uuid.repeated" satisfies Reason;
      placeEntry(entry, null, state);
      return entry;
    }
    const follows = found.class === "trigger" ? windows.begin(record, entry.line, false, state) : null;
    if (uuid !== null) linkRecord(state, uuid);
    const header = headerRecords(record, this.ref.path, state);
    const copied = isCopied(this.ctx.inherited, state, uuid, found.class);
    if (copied) {
      entry.class = "inherited";
      entry.reason = "qwen.uuid.inherited" satisfies Reason;
    }
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const records = [...header, ...found.apply()];
    entry.records = copied ? copiedRecords(records) : records;
    placeEntry(entry, follows, state);
    return entry;
  }
}
