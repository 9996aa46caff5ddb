import { basename } from "node:path";
import type { RecordBody } from "../../format/record.ts";
import { isCopied } from "../kit/copies.ts";
import { SingleVersionDrift } from "../kit/drift.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/json-reading.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { judge } from "./judge.ts";
import { messageOf, type GooseMessage } from "./message.ts";
import type { Native } from "./native.ts";
import { sessionFacts, sessionRecords, type SessionFacts } from "./session.ts";
import { freshState, loadState, type ReaderState } from "./state.ts";
import { sessionUsage } from "./usage.ts";

/**
 * The storage before the database: one `.jsonl` per session, with a header line and a line per message
 * (`session/legacy.rs`).
 */
export function readLegacy(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new LegacyReading(ref, cursor, ctx);
}

/** False for files that begin with a message instead of a header. */
export function isHeader(record: Native): boolean {
  return !("role" in record) && ("working_dir" in record || "description" in record || "message_count" in record);
}

export function legacyId(path: string): string {
  return basename(path).replace(/\.jsonl$/i, "");
}

class LegacyReading extends JsonReading<ReaderState> {
  readonly #facts: SessionFacts;
  readonly #drift: SingleVersionDrift;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = cursor && cursor.line > 0 ? loadState(cursor.state) : null;
    const lines = new JsonLines(ref, state ? cursor : null, ctx);
    super({ ref, ctx, lines, state: state ?? freshState(), prefix: "goose" });
    this.#drift = new SingleVersionDrift(this.counter, "legacy", this.full);
    const head = new JsonLines(ref, null, { detail: "lean" });
    const first = head.next()?.value ?? null;
    head.close();
    this.#facts = sessionFacts(legacyId(ref.path), first && isHeader(first) ? first : {});
  }

  protected override entryOf(line: JsonLine, before: LineStartCursor): Entry {
    this.#drift.countRow();
    return super.entryOf(line, before);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const place = { line: line.line, offset: line.offset, bytes: line.bytes, position: line.line };
    const tentative = this.holdCursor(before, !line.terminated);
    if (line.line === 1 && isHeader(record)) {
      const usage = sessionUsage(this.#facts.id, this.#facts.model, record);
      const records: RecordBody[] = [...sessionRecords(this.#facts, record), ...(usage ? [usage] : [])];
      return { ...place, class: "session", reason: "goose.session", native: "session", time: null, records, tentative };
    }
    const message = fromLine(record, line);
    const native = `message/${message.role}`;
    const base = { ...place, native, time: message.time, identity: message.identity, tentative };
    if (!message.content) {
      const hint = "this line holds no list of contents and was skipped; the rest of the file is still read";
      const records: RecordBody[] = [{ type: "unreadable", reason: "not_message", bytes: line.bytes, hint }];
      return { ...base, class: "corrupt", reason: "goose.line.not_message", records };
    }
    const verdict = judge(message, {
      facts: this.#facts,
      state: this.state,
      drift: this.#drift,
      full: this.full,
      next: () => this.#peek(),
      isRepeatedLater: () => false,
    });
    if (isCopied(this.ctx.inherited, this.state, message.identity, verdict.class))
      return { ...base, class: "inherited", reason: "goose.copy.inherited", records: [] };
    return { ...base, ...verdict };
  }

  #peek(): GooseMessage | null {
    const next = this.lines.peek();
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
