import { JsonLines, problemEntry, type JsonLine } from "../json-lines.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../source.ts";
import { classify } from "./classify.ts";
import { DriftGuard } from "./drift.ts";
import { identityOf, kindFromPath, sessionIdOf } from "./identity.ts";
import { nativeType, timeOf } from "./native.ts";
import { type Native } from "../shared/native.ts";
import { freshState, loadState, saveState, type ReaderState } from "./state.ts";
import { grow, rewindOf } from "./tree.ts";
import { usageOf } from "./usage.ts";
import type { Verdict } from "./verdict.ts";

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
  /** Set at the first uncertain entry: nothing from there on may be skipped by the next read. */
  #held: Cursor | null = null;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ref = ref;
    this.#ctx = ctx;
    this.#state = cursor ? loadState(cursor.state) : freshState(kindFromPath(ref.path));
    this.#lines = new JsonLines(ref, cursor, ctx);
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    try {
      for (;;) {
        if (this.#ctx.signal?.aborted) return;
        const before = this.#lines.position;
        const line = this.#lines.next();
        if (!line) return;
        yield this.#entry(line, before);
      }
    } finally {
      this.#lines.close();
    }
  }

  cursor(): Cursor {
    return this.#held ?? { ...this.#lines.position, state: saveState(this.#state) };
  }

  drift(): Drift {
    return this.#drift.snapshot();
  }

  /** What follows an uncertain entry is read again with it, so it is uncertain too. */
  #hold(before: LineStartCursor, open: boolean): boolean {
    if (open && !this.#held) this.#held = { ...before, state: saveState(this.#state) };
    return this.#held !== null;
  }

  #entry(line: JsonLine, before: LineStartCursor): Entry {
    const record = line.value;
    if (!record) {
      const entry = problemEntry(line, "pi");
      return { ...entry, tentative: this.#hold(before, entry.tentative) };
    }
    const state = this.#state;
    const full = this.#ctx.detail === "full";
    const time = timeOf(record);
    const identity = identityOf(record) ?? `${sessionIdOf(this.#ref.path)}:${line.line}`;
    const scene = { record, identity, time, path: this.#ref.path, state, lines: this.#lines, full };
    const verdict = classify(scene);
    const tentative = this.#hold(before, verdict.open || !line.terminated);
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
  }
}
