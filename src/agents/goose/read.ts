/** One pass over a session: the rows of a database, or the lines of an old file. */
import type { RecordBody, UsageBody } from "../../record/record.ts";
import type { Cursor, Drift, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { isCopied } from "../kit/copies.ts";
import { DriftCounter, SingleVersionDrift } from "../kit/drift.ts";
import { obj, reportImpossibleNumbers, resetImpossibleNumbers, str, type Native } from "../kit/native.ts";
import { addInstructions, toInstructions } from "../kit/instructions.ts";
import { HINTS, JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/reading.ts";
import {
  dateOf,
  isHeader,
  isPromptShaped,
  legacyId,
  loadSession,
  messageOf,
  textOf,
  type GooseMessage,
  type StoredRow,
  type StoredRows,
} from "./native.ts";
import {
  freshState,
  judge,
  loadState,
  sessionFacts,
  sessionRecords,
  type JudgeContext,
  type ReaderState,
  type Reason,
  type HeadFacts,
} from "./rules.ts";
import { beyondLedger, ledgerUsage, sessionUsage } from "./usage.ts";

/** One pass over a session: the session row, then messages and ledger rows in order. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return ref.container === "sqlite" ? new SessionReading(ref, cursor, ctx) : readLegacy(ref, cursor, ctx);
}

type UnplacedEntry = Omit<Entry, "line" | "offset" | "position" | "tentative" | "reason"> & { reason: Reason };

class SessionReading implements Reading {
  readonly #ctx: ReadContext;
  readonly #stored: StoredRows | null;
  readonly #facts: HeadFacts;
  readonly #counter = new DriftCounter();
  /** Goose writes no version of its own into a session, so the schema version is used. */
  readonly #drift: SingleVersionDrift;
  /** The usage reported with the session row; null if it is reported with the last row. */
  readonly #head: string | null;
  #state: ReaderState;
  #line: number;
  #last: string | null = null;
  /** Set at the last row: the session totals it carries may still change. */
  #held: Cursor | null = null;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ctx = ctx;
    this.#stored = loadSession(ref.path, ref.key ?? "");
    if (ctx.meter) ctx.meter.opens++;
    this.#facts = sessionFacts(ref.key ?? "", this.#stored?.row ?? {});
    this.#drift = new SingleVersionDrift(
      this.#counter,
      this.#stored?.schema ?? "schema unknown",
      ctx.detail === "full",
    );
    this.#head = this.#stored && this.#totalStandsFirst(this.#stored) ? digest(this.#totalOf(this.#stored)) : null;
    const saved = obj(cursor?.state);
    const state = cursor && cursor.line > 0 ? loadState(saved?.["state"]) : null;
    // Compaction deletes and rewrites conversations: if another row is now at the cursor, the session is read from its
    // start. The same happens if the first row would now state other usage.
    const same = str(saved?.["head"]) === this.#head;
    const valid = state !== null && cursor !== null && same && this.#keyAt(cursor.line) === str(saved?.["last"]);
    this.#state = valid ? state : freshState();
    this.#line = valid ? cursor.line : 0;
    this.#last = valid ? this.#keyAt(cursor.line) : null;
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    const stored = this.#stored;
    if (!stored || this.#ctx.signal?.aborted) return;
    if (this.#line === 0) {
      const alone = stored.rows.length === 0;
      const held = alone ? this.cursor() : null;
      resetImpossibleNumbers();
      const placed = this.#session(stored);
      this.#held = held;
      yield this.#entry(reportImpossibleNumbers(placed), null, alone);
    }
    for (let i = this.#line - 1; i < stored.rows.length; i++) {
      if (this.#ctx.signal?.aborted) return;
      const row = stored.rows[i];
      if (!row) return;
      const last = i === stored.rows.length - 1;
      const held = last ? this.cursor() : null;
      resetImpossibleNumbers();
      const placed = row.kind === "usage" ? this.#usage(row) : this.#message(row.message, i, stored);
      if (last) placed.records = [...placed.records, ...this.#atTheEnd(stored, placed)];
      if (held) this.#held = held;
      yield this.#entry(reportImpossibleNumbers(placed), row.key, last);
    }
  }

  cursor(): Cursor {
    if (this.#held) return this.#held;
    return {
      line: this.#line,
      offset: 0,
      state: { last: this.#last, head: this.#head, state: structuredClone(this.#state) },
    };
  }

  drift(): Drift {
    return this.#counter.snapshot();
  }

  #keyAt(line: number): string | null {
    return line === 1 ? "session" : (this.#stored?.rows[line - 2]?.key ?? null);
  }

  #session(stored: StoredRows): UnplacedEntry {
    const records = sessionRecords(this.#facts, stored.row);
    this.#state.title = this.#facts.title;
    if (this.#totalStandsFirst(stored)) records.push(...this.#total(stored));
    const time = dateOf(stored.row["created_at"]);
    const placed: UnplacedEntry = {
      class: "session",
      reason: "goose.session",
      native: "session",
      time,
      bytes: stored.bytes,
      records,
    };
    const { instructions: text } = this.#facts;
    if (text !== null)
      addInstructions(placed, toInstructions([{ kind: "recipe", path: null, text }]), this.#ctx.detail === "full");
    return placed;
  }

  /** A sum over several prompts belongs to none of them; a single prompt gets it at the end. */
  #totalStandsFirst({ rows }: StoredRows): boolean {
    const prompts = rows.filter(
      (row) => row.kind === "message" && row.message.userVisible && isPromptShaped(row.message),
    );
    return rows.length === 0 || prompts.length > 1;
  }

  /** The usage the session row states for the whole session. */
  #totalOf({ row, ledger }: StoredRows): UsageBody | null {
    const { id, model } = this.#facts;
    return ledger.length > 0 ? beyondLedger(id, model, row, ledger) : sessionUsage(id, model, row);
  }

  /** The same, unless it was already reported. */
  #total(stored: StoredRows): UsageBody[] {
    const usage = this.#totalOf(stored);
    const digested = digest(usage);
    if (usage === null || digested === this.#state.usage) return [];
    this.#state.usage = digested;
    return [usage];
  }

  #atTheEnd(stored: StoredRows, placed: UnplacedEntry): RecordBody[] {
    const out: RecordBody[] = this.#total(stored);
    if (this.#state.title !== this.#facts.title && placed.class !== "inherited") {
      this.#state.title = this.#facts.title;
      out.push({ type: "session_renamed", title: this.#facts.title, by: this.#facts.titleBy });
    }
    return out;
  }

  #usage(stored: StoredRow & { kind: "usage" }): UnplacedEntry {
    const usage = ledgerUsage(this.#facts.id, this.#facts.model, stored.row);
    const carried = stored.row["cost_source"] === "carried_forward";
    return {
      // Usage of older requests belongs to the session; it is no longer known which prompts caused it.
      class: carried ? "session" : "reaction",
      reason: carried ? "goose.ledger.carried_forward" : "goose.ledger",
      native: "usage_ledger",
      time: stored.time,
      bytes: stored.bytes,
      records: usage ? [usage] : [],
    };
  }

  #message(message: GooseMessage, index: number, stored: StoredRows): UnplacedEntry {
    const native = `message/${message.role}`;
    const base = { native, time: message.time, bytes: message.bytes, identity: message.identity };
    if (!message.content) return { ...base, ...unreadable(message) };
    const verdict = judge(message, this.#judging(index, stored));
    // A copied session repeats the messages, but not their usage.
    if (isCopied(this.#ctx.inherited, this.#state, message.identity, verdict.class))
      return { ...base, class: "inherited", reason: "goose.copy.inherited", records: [] };
    return { ...base, ...verdict };
  }

  #judging(index: number, stored: StoredRows): JudgeContext {
    const later = (): GooseMessage[] =>
      stored.rows.slice(index + 1).flatMap((row) => (row.kind === "message" ? [row.message] : []));
    return {
      facts: this.#facts,
      state: this.#state,
      drift: this.#drift,
      full: this.#ctx.detail === "full",
      next: () => later()[0] ?? null,
      isRepeatedLater: (text) =>
        later().some((message) => message.userVisible && isPromptShaped(message) && textOf(message) === text),
    };
  }

  #withDistinctNames(body: RecordBody): RecordBody {
    const name = (id: string): string => this.#stored?.names.get(id) ?? id;
    if (body.type === "child_linked")
      return { ...body, child: { ...body.child, session_id: name(body.child.session_id) } };
    if (body.type === "session_meta" && body.parent)
      return { ...body, parent: { ...body.parent, session_id: name(body.parent.session_id) } };
    return body;
  }

  #entry(placed: UnplacedEntry, key: string | null, tentative: boolean): Entry {
    this.#line++;
    this.#last = key ?? "session";
    this.#drift.countRow();
    if (this.#ctx.meter) this.#ctx.meter.bytes += placed.bytes;
    if (this.#stored && this.#stored.names.size > 0)
      placed.records = placed.records.map((body) => this.#withDistinctNames(body));
    return { ...placed, line: this.#line, offset: 0, position: this.#line, tentative };
  }
}

function digest(usage: UsageBody | null): string | null {
  return usage === null ? null : `${usage.input_tokens}:${usage.cached_input_tokens}:${usage.output_tokens}`;
}

function unreadable({ bytes, tooDeep }: GooseMessage): Pick<UnplacedEntry, "class" | "reason" | "records"> {
  if (tooDeep) {
    const records: RecordBody[] = [{ type: "unreadable", reason: "too_deep", bytes, hint: HINTS.too_deep }];
    return { class: "corrupt", reason: "goose.row.too_deep", records };
  }
  const hint = "this row does not hold a list of contents and was skipped; the rest of the session is still read";
  const records: RecordBody[] = [{ type: "unreadable", reason: "not_json", bytes, hint }];
  return { class: "corrupt", reason: "goose.row.not_json", records };
}

/**
 * The storage before the database: one `.jsonl` per session, with a header line and a line per message
 * (`session/legacy.rs`).
 */
function readLegacy(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new LegacyReading(ref, cursor, ctx);
}

class LegacyReading extends JsonReading<ReaderState> {
  readonly #facts: HeadFacts;
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
