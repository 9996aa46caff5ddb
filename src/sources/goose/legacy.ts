import { basename } from "node:path";
import type { RecordBody } from "../../format/record.ts";
import { JsonLines, problemEntry, type JsonLine } from "../kit/json-lines.ts";
import type { Cursor, Drift, Entry, ReadContext, Reading, SourceRef } from "../contract.ts";
import { DriftGuard } from "./drift.ts";
import { judge } from "./judge.ts";
import { messageOf, type GooseMessage } from "./message.ts";
import type { Native } from "./native.ts";
import { sessionFacts, sessionRecords, type SessionFacts } from "./session.ts";
import { freshState, loadState, type ReaderState } from "./state.ts";
import { sessionUsage } from "./usage.ts";
import { forgetImpossible, tellImpossible } from "../kit/impossible.ts";

/** The store before the database: one `.jsonl` per session, a header line and a line per message (`session/legacy.rs`). */
export function readLegacy(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new LegacyReading(ref, cursor, ctx);
}

/** Some files begin with a message at once. */
export function isHeader(record: Native): boolean {
  return !("role" in record) && ("working_dir" in record || "description" in record || "message_count" in record);
}

export function legacyId(path: string): string {
  return basename(path).replace(/\.jsonl$/i, "");
}

class LegacyReading implements Reading {
  readonly #ctx: ReadContext;
  readonly #lines: JsonLines;
  readonly #facts: SessionFacts;
  readonly #drift: DriftGuard;
  readonly #state: ReaderState;
  /** Set at the first uncertain line: nothing from there on may be skipped by the next read. */
  #held: Cursor | null = null;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ctx = ctx;
    const id = legacyId(ref.path);
    this.#drift = new DriftGuard("legacy", ctx.detail === "full");
    const state = cursor && cursor.line > 0 ? loadState(cursor.state) : null;
    this.#state = state ?? freshState();
    const head = new JsonLines(ref, null, { detail: "lean" });
    const first = head.next()?.value ?? null;
    head.close();
    this.#facts = sessionFacts(id, first && isHeader(first) ? first : {});
    this.#lines = new JsonLines(ref, state ? cursor : null, ctx);
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    try {
      for (;;) {
        if (this.#ctx.signal?.aborted) return;
        const before = this.cursor();
        const line = this.#lines.next();
        if (!line) return;
        forgetImpossible();
        const entry = tellImpossible(this.#entry(line));
        if (entry.tentative) this.#held ??= before;
        yield { ...entry, tentative: this.#held !== null };
      }
    } finally {
      this.#lines.close();
    }
  }

  cursor(): Cursor {
    return this.#held ?? { ...this.#lines.position, state: structuredClone(this.#state) };
  }

  drift(): Drift {
    return this.#drift.snapshot();
  }

  #entry(line: JsonLine): Entry {
    this.#drift.row();
    if (!line.value) return problemEntry(line, "goose");
    const place = { line: line.line, offset: line.offset, bytes: line.bytes, position: line.line };
    const tentative = !line.terminated;
    if (line.line === 1 && isHeader(line.value)) {
      const usage = sessionUsage(this.#facts.id, this.#facts.model, line.value);
      const records: RecordBody[] = [...sessionRecords(this.#facts, line.value), ...(usage ? [usage] : [])];
      return { ...place, class: "session", reason: "goose.session", native: "session", time: null, records, tentative };
    }
    const message = fromLine(line.value, line);
    const native = `message/${message.role}`;
    const base = { ...place, native, time: message.time, identity: message.identity, tentative };
    if (!message.content) {
      const hint = "this line holds no list of contents and was skipped; the rest of the file is still read";
      const records: RecordBody[] = [{ type: "unreadable", reason: "not_message", bytes: line.bytes, hint }];
      return { ...base, class: "corrupt", reason: "goose.line.not_message", records };
    }
    const verdict = judge(message, {
      facts: this.#facts,
      state: this.#state,
      drift: this.#drift,
      full: this.#ctx.detail === "full",
      next: () => this.#peek(),
      comesAgain: () => false,
    });
    const inherited = this.#ctx.inherited;
    if (inherited && !this.#state.own) {
      if (inherited.has(message.identity))
        return { ...base, class: "inherited", reason: "goose.copy.inherited", records: [] };
      if (verdict.class === "trigger") this.#state.own = true;
    }
    return { ...base, ...verdict };
  }

  #peek(): GooseMessage | null {
    const next = this.#lines.peek();
    return next?.value ? fromLine(next.value, next) : null;
  }
}

function fromLine(record: Native, line: JsonLine): GooseMessage {
  return messageOf({
    id: record["id"],
    fallbackId: `line-${line.line}`,
    role: record["role"],
    created: record["created"],
    content: record["content"],
    metadata: record["metadata"],
    bytes: line.bytes,
  });
}
