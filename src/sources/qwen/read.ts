import { JsonLines, problemEntry, type JsonLine } from "../kit/json-lines.ts";
import type { UsageBody } from "../../format/record.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { classify, nativeType } from "./classify.ts";
import { DriftGuard } from "./drift.ts";
import { headerRecords } from "./header.ts";
import { kindFromPath, sessionIdFromPath } from "./identity.ts";
import { millis, str, type Native } from "../kit/native.ts";
import type { Templates } from "../kit/templates.ts";
import { templatesFor } from "./templates.ts";
import { freshState, loadState, saveState, type ReaderState } from "./state.ts";
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
  readonly #templates: Templates;
  readonly #holding = new Holding(() => saveState(this.#state));

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    const kind = kindFromPath(ref.path);
    this.#state = cursor ? loadState(cursor.state, kind) : freshState(kind);
    this.#drift = new DriftGuard(this.#state);
    this.#templates = templatesFor(ref.path);
    this.#lines = new JsonLines(ref, cursor, ctx);
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
      const entry = problemEntry(line, "qwen");
      return { ...entry, tentative: this.#holding.hold(before, entry.tentative) };
    }
    const full = this.#ctx.detail === "full";
    const native = nativeType(record);
    const uuid = str(record["uuid"]);
    const state = this.#state;
    // A subagent's file is known by its first record where the path does not tell.
    if (!state.meta && record["isSidechain"] === true) state.kind = "subagent";
    const verdict = classify(record, {
      ...{ lines: this.#lines, state, path: this.#ref.path, line: line.line, full },
      templates: this.#templates,
    });
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
    if (uuid !== null) entry.identity = uuid;
    else if (entry.class === "trigger") entry.identity = `${sessionIdFromPath(this.#ref.path)}:${line.line}`;
    return this.#settle(entry, record, verdict);
  }

  /** Copies are recognised before anything they say is taken as news. */
  #settle(entry: Entry, record: Native, verdict: Verdict): Entry {
    const state = this.#state;
    const uuid = str(record["uuid"]);
    if (uuid !== null && !state.uuids.add(uuid)) {
      entry.class = "duplicate";
      entry.reason = "qwen.uuid.repeated";
      return entry;
    }
    const header = headerRecords(record, this.#ref.path, state);
    const inherited = this.#ctx.inherited;
    if (inherited && !state.own) {
      if (uuid !== null && inherited.has(uuid)) {
        entry.class = "inherited";
        entry.reason = "qwen.uuid.inherited";
        // The effects are applied, only not told: later records of this session build on them.
        const usage = verdict.apply().filter((body): body is UsageBody => body.type === "usage");
        const meta = header.filter((body) => body.type === "session_meta");
        entry.records = [...meta, ...usage.map((body): UsageBody => ({ ...body, verdict: "inherited" }))];
        return entry;
      }
      if (verdict.class === "trigger") state.own = true;
    }
    entry.records = [...header, ...verdict.apply()];
    return entry;
  }
}
