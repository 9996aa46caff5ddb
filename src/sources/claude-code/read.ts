import type { RecordBody } from "../../format/record.ts";
import { JsonLines, problemEntry, skimmedEntry, type JsonLine } from "../kit/json-lines.ts";
import type { Cursor, Drift, Entry, ReadContext, Reading, SourceRef } from "../contract.ts";
import { classify } from "./classify.ts";
import { contextRecords, headerRecords, noteLineage } from "./context.ts";
import { instructionsIn } from "./instructions.ts";
import { DriftGuard } from "./drift.ts";
import { kindFromPath, sessionIdFromPath } from "./identity.ts";
import { nativeType, timeOf } from "./native.ts";
import { str, type Native } from "../kit/native.ts";
import { freshState, loadState, saveState, type ReaderState } from "./state.ts";
import type { Reason } from "./reasons.ts";
import { noteReplay } from "./replay.ts";
import { skimmerFor } from "./skim.ts";
import { usageOf } from "./usage.ts";
import type { Verdict } from "./verdict.ts";
import { entriesIn, Holding } from "../kit/line-pass.ts";

/** One pass over a session file: one entry per line, resumable after every certain entry. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new SessionReading(ref, cursor, ctx);
}

class SessionReading implements Reading {
  readonly #ref: SourceRef;
  readonly #ctx: ReadContext;
  readonly #lines: JsonLines;
  readonly #drift: DriftGuard;
  readonly #state: ReaderState;
  readonly #holding = new Holding(() => saveState(this.#state));

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    const kind = kindFromPath(ref.path);
    this.#state = cursor ? loadState(cursor.state, kind) : freshState(kind);
    this.#drift = new DriftGuard(this.#state);
    this.#lines = new JsonLines(ref, cursor, ctx, skimmerFor(ctx));
  }

  [Symbol.iterator](): Generator<Entry, void, undefined> {
    return entriesIn(this.#lines, this.#ctx.signal, (line, before) => this.#entry(line, before));
  }

  cursor(): Cursor {
    return this.#holding.cursor(this.#lines.position);
  }

  drift(): Drift {
    return this.#drift.snapshot();
  }

  #entry(line: JsonLine, before: { line: number; offset: number }): Entry {
    if (line.skimmed !== null) return skimmedEntry(line, "claude");
    const record = line.value;
    if (!record) {
      const entry = problemEntry(line, "claude");
      return { ...entry, tentative: this.#holding.hold(before, entry.tentative) };
    }
    const full = this.#ctx.detail === "full";
    const native = nativeType(record);
    const uuid = str(record["uuid"]);
    const state = this.#state;
    const verdict = classify(record, { lines: this.#lines, state, path: this.#ref.path, line: line.line, full });
    const replay = noteReplay(record, this.#lines, state);
    const tentative = this.#holding.hold(before, verdict.open || replay.open || !line.terminated);
    this.#drift.note(record, full);
    if (verdict.class === "unknown") this.#drift.unknownType(native);
    const entry: Entry = {
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      class: verdict.class,
      reason: verdict.reason,
      native,
      time: timeOf(record),
      position: line.line,
      records: [],
      tentative,
    };
    const turnId = record["type"] === "user" ? str(record["promptId"]) : null;
    if (turnId !== null && (entry.class === "trigger" || !state.absorbed)) entry.turnId = turnId;
    if (verdict.turnId) entry.turnId = verdict.turnId;
    if (uuid !== null) entry.identity = uuid;
    else if (entry.class === "trigger") entry.identity = `${sessionIdFromPath(this.#ref.path)}:${line.line}`;
    if (record["type"] === "attachment") state.attaches = true;
    if (replay.copy) return this.#copied(entry, record, verdict, "claude.resume.replayed");
    // A forked subagent's file repeats the answer that started it.
    if (state.fork && record["type"] === "assistant")
      return this.#copied(entry, record, verdict, "claude.fork.context");
    return this.#settleClass(entry, record, uuid, verdict);
  }

  /** The effects are applied, only not told: later records of this session build on them. */
  #copied(entry: Entry, record: Native, verdict: Verdict, reason: Reason): Entry {
    const state = this.#state;
    entry.class = state.replay?.class ?? "inherited";
    entry.reason = reason;
    noteLineage(record, this.#ref.path, state);
    const { triggers } = state;
    verdict.apply();
    // What was asked before is no trigger of this file.
    state.triggers = triggers;
    entry.records = usageOf(record, state, entry.class === "duplicate" ? "duplicate" : "inherited");
    return entry;
  }

  /** Copies are recognised before anything they say is taken as news. */
  #settleClass(entry: Entry, record: Native, uuid: string | null, verdict: Verdict): Entry {
    const state = this.#state;
    if (uuid !== null && !state.uuids.add(uuid)) {
      entry.class = "duplicate";
      entry.reason = "claude.uuid.repeated" satisfies Reason;
      // Repeated or not, a larger statement of a response is the better one.
      entry.records = usageOf(record, state, "counted");
      return entry;
    }
    const inherited = this.#ctx.inherited;
    if (inherited && !state.own) {
      if (uuid !== null && inherited.has(uuid)) {
        entry.class = "inherited";
        entry.reason = "claude.uuid.inherited" satisfies Reason;
        // The effects are applied, only not told: later records of this session build on them.
        noteLineage(record, this.#ref.path, state);
        verdict.apply();
        entry.records = usageOf(record, state, "inherited");
        return entry;
      }
      if (verdict.class === "trigger") state.own = true;
    }
    const header = headerRecords(record, this.#ref.path, state);
    const told = instructionsIn(record, state);
    if (this.#ctx.detail === "full" && told.texts.length > 0) entry.texts = told.texts;
    const context = contextRecords(record, state, told.sources);
    const body = verdict.apply();
    const usage = record["type"] === "assistant" ? usageOf(record, state, "counted") : [];
    const records: RecordBody[] = [...header, ...context, ...body, ...usage];
    entry.records = records;
    return entry;
  }
}
