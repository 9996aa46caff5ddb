import { JsonLines, problemEntry, type JsonLine } from "../kit/json-lines.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { classify } from "./classify.ts";
import { DriftGuard } from "./drift.ts";
import { identityOf, kindFromPath, sessionIdOf } from "./identity.ts";
import { nativeType, timeOf } from "./native.ts";
import { type Native } from "../kit/native.ts";
import { freshState, loadState, saveState, type ReaderState } from "./state.ts";
import { systemPrompt } from "./system-prompt.ts";
import { templatesFor } from "./templates.ts";
import { grow, rewindOf } from "./tree.ts";
import { usageOf } from "./usage.ts";
import type { Verdict } from "./verdict.ts";
import { tellInstructions } from "../kit/instructions.ts";
import { entriesIn, Holding } from "../kit/line-pass.ts";
import type { Templates } from "../kit/templates.ts";

/** One pass over a session file: one entry per line, resumable after every certain entry. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new SessionReading(ref, cursor, ctx);
}

class SessionReading implements Reading {
  readonly #ref: SourceRef;
  readonly #ctx: ReadContext;
  readonly #lines: JsonLines;
  readonly #state: ReaderState;
  readonly #drift = new DriftGuard();
  readonly #templates: Templates;
  readonly #holding = new Holding(() => saveState(this.#state));

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    this.#state = cursor ? loadState(cursor.state) : freshState(kindFromPath(ref.path));
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
      const entry = problemEntry(line, "pi");
      return { ...entry, tentative: this.#holding.hold(before, entry.tentative) };
    }
    const state = this.#state;
    const full = this.#ctx.detail === "full";
    const time = timeOf(record);
    const identity = identityOf(record) ?? `${sessionIdOf(this.#ref.path)}:${line.line}`;
    const scene = {
      ...{ record, identity, time, path: this.#ref.path, state, lines: this.#lines, full },
      templates: this.#templates,
    };
    const verdict = classify(scene);
    const tentative = this.#holding.hold(before, verdict.open || !line.terminated);
    const entry: Entry = {
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      class: verdict.class,
      reason: verdict.reason,
      native: nativeType(record),
      time,
      position: line.line,
      identity,
      records: [],
      tentative,
    };
    this.#settleClass(entry, record, verdict);
    this.#drift.note(record, state.version, entry.class === "unknown", full);
    return entry;
  }

  /** Copies are recognised before anything they say is taken as news. */
  #settleClass(entry: Entry, record: Native, verdict: Verdict): void {
    const state = this.#state;
    const identity = entry.identity ?? "";
    const rewind = rewindOf(record, state);
    if (!grow(record, entry.line, state)) {
      entry.class = "duplicate";
      entry.reason = "pi.id.repeated";
      entry.records = usageOf(record, identity, "duplicate");
      return;
    }
    const known = this.#ctx.inherited;
    if (known && !state.own) {
      if (record["type"] !== "session" && known.has(identity)) {
        entry.class = "inherited";
        entry.reason = "pi.id.inherited";
        // The effects are applied, only not told: later records of this session build on them.
        verdict.apply();
        entry.records = usageOf(record, identity, "inherited");
        return;
      }
      if (verdict.class === "trigger") state.own = true;
    }
    const body = verdict.apply();
    entry.records = [...body, ...rewind, ...usageOf(record, identity, "counted")];
    tellInstructions(entry, systemPrompt(record), this.#ctx.detail === "full");
  }
}
