import type { RecordBody } from "../../record/record.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { linkRecord } from "../kit/chain.ts";
import { isCopied } from "../kit/copies.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { str, type Native } from "../kit/native.ts";
import { JsonReading } from "../kit/reading.ts";
import { restoreState } from "../kit/state.ts";
import { placeEntry } from "../kit/windows.ts";
import { classify, contextRecords, headerRecords, instructionsIn, noteLineage } from "./classify.ts";
import { kindFromPath, sessionIdFromPath } from "./discover.ts";
import { noteReplay } from "./lookahead.ts";
import { nativeType, noteDrift, timeOf } from "./native.ts";
import type { Reason, Verdict } from "./rules.ts";
import { freshState, JOINING, skimmerFor, windows, type ReaderState } from "./state.ts";
import { usageOf } from "./usage.ts";

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new ClaudeReading(ref, cursor, ctx);
}

class ClaudeReading extends JsonReading<ReaderState> {
  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(freshState(kindFromPath(ref.path)), cursor);
    super({ ref, ctx, lines: new JsonLines(ref, cursor, ctx, skimmerFor(ctx)), state, prefix: "claude" });
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    const uuid = str(record["uuid"]);
    windows.enter(record, state);
    const found = classify(record, { lines: windows.linesAhead(lines, state), state, path, line: line.line, full });
    const replay = noteReplay(record, lines, state);
    if (replay.open) found.open = true;
    const facts = { native: nativeType(record), time: timeOf(record), identity: uuid };
    const entry = this.entryWithoutRecords(line, before, found, facts, () => sessionIdFromPath(path));
    noteDrift(this.counter, record, state, full);
    if (found.class === "unknown") this.counter.countUnknownType(state.met, facts.native);
    const turnId = record["type"] === "user" ? str(record["promptId"]) : null;
    if (turnId !== null && (entry.class === "trigger" || !state.absorbed)) entry.turnId = turnId;
    if (found.turnId) entry.turnId = found.turnId;
    if (record["type"] === "attachment") state.attaches = true;
    // The file of a forked subagent repeats the answer that started it.
    const copied = replay.copy
      ? "claude.resume.replayed"
      : state.fork && record["type"] === "assistant"
        ? "claude.fork.context"
        : null;
    const isRepeated = copied === null && uuid !== null && state.links.get(uuid) !== undefined;
    const begins = found.class === "trigger" && !isRepeated;
    const follows = begins ? windows.begin(record, line.line, JOINING.has(found.reason), state) : null;
    if (uuid !== null) linkRecord(state, uuid);
    if (copied !== null) this.#fillCopied(entry, record, found, copied);
    else if (isRepeated) this.#fillRepeated(entry, record);
    else this.#fill(entry, record, uuid, found);
    placeEntry(entry, follows, state);
    return entry;
  }

  protected override skimmed(entry: Entry, { memo }: JsonLine): Entry {
    windows.placeSkimmed(entry, typeof memo === "string" ? memo : null, this.state);
    return entry;
  }

  /** The verdict's effects are applied but not reported: later records of this session depend on them. */
  #fillCopied(entry: Entry, record: Native, verdict: Verdict, reason: Reason): void {
    const { state } = this;
    entry.class = state.replay?.class ?? "inherited";
    entry.reason = reason;
    noteLineage(record, this.ref.path, state);
    const { triggers } = state;
    verdict.apply();
    // A copied prompt is not a trigger of this file.
    state.triggers = triggers;
    entry.records = usageOf(record, state, entry.class === "duplicate" ? "duplicate" : "inherited");
  }

  #fillRepeated(entry: Entry, record: Native): void {
    entry.class = "duplicate";
    entry.reason = "claude.uuid.repeated" satisfies Reason;
    // A repeated record may still state larger numbers for its response, and those count.
    entry.records = usageOf(record, this.state, "counted");
  }

  /** Fills in the records of an entry. Copies are recognised first, so that nothing in them is reported as new. */
  #fill(entry: Entry, record: Native, uuid: string | null, verdict: Verdict): void {
    const { state } = this;
    if (isCopied(this.ctx.inherited, state, uuid, verdict.class)) {
      entry.class = "inherited";
      entry.reason = "claude.uuid.inherited" satisfies Reason;
      // The effects are applied but not reported, as above.
      noteLineage(record, this.ref.path, state);
      verdict.apply();
      entry.records = usageOf(record, state, "inherited");
      return;
    }
    const header = headerRecords(record, this.ref.path, state);
    const given = instructionsIn(record, state);
    if (this.full && given.texts.length > 0) entry.texts = given.texts;
    const context = contextRecords(record, state, given.sources);
    const body = verdict.apply();
    const usage = record["type"] === "assistant" ? usageOf(record, state, "counted") : [];
    const records: RecordBody[] = [...header, ...context, ...body, ...usage];
    entry.records = records;
  }
}
