import { problemEntry, type JsonLine } from "../kit/json-lines.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { classify, nativeType } from "./classify.ts";
import type { Lines } from "../kit/document-lines.ts";
import { openLines } from "./document.ts";
import { DriftGuard } from "./drift.ts";
import { headerRecords } from "./header.ts";
import { kindFromPath, sessionIdFromPath } from "./identity.ts";
import { millis, obj, str, type Native } from "../kit/native.ts";
import type { Templates } from "../kit/templates.ts";
import { templatesFor } from "./templates.ts";
import { freshState, loadState, saveState, type ReaderState } from "./state.ts";
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
  readonly #lines: Lines;
  readonly #drift = new DriftGuard();
  readonly #state: ReaderState;
  readonly #templates: Templates;
  readonly #holding = new Holding(() => saveState(this.#state));

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    const kind = kindFromPath(ref.path);
    this.#state = cursor ? loadState(cursor.state, kind) : freshState(kind);
    this.#templates = templatesFor(ref.path);
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
      const entry = problemEntry(line, "gemini");
      return { ...entry, tentative: this.#holding.hold(before, entry.tentative) };
    }
    const full = this.#ctx.detail === "full";
    const native = nativeType(record);
    const state = this.#state;
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
      time: timeOf(record),
      position: line.line,
      records: [],
      tentative: this.#holding.hold(before, verdict.open || !line.terminated),
    };
    if (full) this.#drift.note(record, native);
    if (verdict.class === "unknown") this.#drift.unknownType(native);
    const identity = identityOf(record, native);
    if (identity !== null) entry.identity = identity;
    else if (entry.class === "trigger") entry.identity = `${sessionIdFromPath(this.#ref.path)}:${line.line}`;
    return this.#settle(entry, record, verdict);
  }

  /** History copied from another file is recognised before anything it says is taken as news. */
  #settle(entry: Entry, record: Native, verdict: Verdict): Entry {
    const state = this.#state;
    const header = state.meta || entry.native === "session_meta" ? [] : headerRecords({}, this.#ref.path, state);
    const inherited = this.#ctx.inherited;
    if (inherited && !state.own && entry.native !== "session_meta") {
      if (entry.identity !== undefined && inherited.has(entry.identity)) {
        // The effects are applied, only not told: later records of this session build on them.
        verdict.apply();
        entry.class = "inherited";
        entry.reason = "gemini.message.inherited";
        entry.records = [...header, ...usageOf(record, "inherited")];
        return entry;
      }
      if (verdict.class === "trigger") state.own = true;
    }
    entry.records = [...header, ...verdict.apply()];
    return entry;
  }
}

function timeOf(record: Native): number | null {
  const set = obj(record["$set"]);
  return millis(record["timestamp"]) ?? millis(set ? set["lastUpdated"] : record["startTime"]);
}

/** Message ids are UUIDs. Shorter ids are made from the text of a message and so are the same in every session. */
function identityOf(record: Native, native: string): string | null {
  if (native === "session_meta") return str(record["sessionId"]);
  const id = str(record["id"]);
  return id !== null && id.length >= 36 ? id : null;
}
