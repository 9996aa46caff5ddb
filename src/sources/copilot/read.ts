import { problemEntry, type JsonLine } from "../kit/json-lines.ts";
import type { UsageBody } from "../../format/record.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { classify } from "./classify.ts";
import type { Lines } from "../kit/document-lines.ts";
import { openLines } from "./document.ts";
import { DriftGuard } from "./drift.ts";
import { sessionIdFromPath } from "./identity.ts";
import { millis, str, type Native } from "../kit/native.ts";
import { headerRecords, systemPrompt } from "./session.ts";
import { freshState, loadState, saveState, type ReaderState } from "./state.ts";
import type { Verdict } from "./verdict.ts";
import { tellInstructions } from "../kit/instructions.ts";
import { entriesIn, Holding } from "../kit/line-pass.ts";

/** One pass over a session file: one entry per line, resumable after every certain entry. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new SessionReading(ref, cursor, ctx);
}

class SessionReading implements Reading {
  readonly #ref: SourceRef;
  readonly #ctx: ReadContext;
  readonly #lines: Lines;
  readonly #drift: DriftGuard;
  readonly #state: ReaderState;
  readonly #holding = new Holding(() => saveState(this.#state));

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    this.#state = cursor ? loadState(cursor.state) : freshState();
    this.#drift = new DriftGuard(this.#state);
    this.#lines = openLines(ref, cursor, ctx);
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

  #entry(line: JsonLine, before: LineStartCursor): Entry {
    const record = line.value;
    if (!record) {
      const entry = problemEntry(line, "copilot");
      return { ...entry, tentative: this.#holding.hold(before, entry.tentative) };
    }
    const full = this.#ctx.detail === "full";
    const native = str(record["type"]) ?? "(untyped)";
    const id = str(record["id"]);
    const state = this.#state;
    const verdict = classify(record, { lines: this.#lines, state, path: this.#ref.path, line: line.line, full });
    const entry: Entry = {
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      class: verdict.class,
      reason: verdict.reason,
      native,
      time: millis(record["timestamp"]),
      position: line.line,
      records: [],
      tentative: this.#holding.hold(before, verdict.open || !line.terminated),
    };
    this.#drift.note(record, full);
    if (verdict.class === "unknown") this.#drift.unknownType(native);
    if (id !== null) entry.identity = id;
    else if (entry.class === "trigger") entry.identity = `${sessionIdFromPath(this.#ref.path)}:${line.line}`;
    return this.#settle(entry, record, verdict);
  }

  /** Copies are recognised before anything they say is taken as news. */
  #settle(entry: Entry, record: Native, verdict: Verdict): Entry {
    const state = this.#state;
    const id = str(record["id"]);
    if (id !== null && !state.ids.add(id)) {
      entry.class = "duplicate";
      entry.reason = "copilot.id.repeated";
      return entry;
    }
    const header = state.meta || entry.native === "session.start" ? [] : headerRecords({}, this.#ref.path, state);
    const inherited = this.#ctx.inherited;
    if (inherited && !state.own) {
      if (id !== null && inherited.has(id)) {
        entry.class = "inherited";
        entry.reason = "copilot.id.inherited";
        // The effects are applied, only not told: later records of this session build on them.
        const told = [...header, ...verdict.apply()];
        const usage = told.filter((body): body is UsageBody => body.type === "usage");
        const meta = told.filter((body) => body.type === "session_meta");
        entry.records = [...meta, ...usage.map((body): UsageBody => ({ ...body, verdict: "inherited" }))];
        return entry;
      }
      if (verdict.class === "trigger") state.own = true;
    }
    entry.records = [...header, ...verdict.apply()];
    tellInstructions(entry, systemPrompt(record), this.#ctx.detail === "full");
    return entry;
  }
}
