/** One pass over the rows of a session. */
import type { RecordBody } from "../../record/record.ts";
import type { Cursor, Drift, Entry, ReadContext, Reading, SourceRef } from "../contract.ts";
import { isCopied } from "../kit/copies.ts";
import { DriftCounter, SingleVersionDrift } from "../kit/drift.ts";
import { obj, reportImpossibleNumbers, resetImpossibleNumbers, str } from "../kit/native.ts";
import type { CommandTemplates } from "../kit/prompts.ts";
import { isUnsettled } from "./calls.ts";
import { assembleGo, assembleV2, readGo, readV2 } from "./generations.ts";
import {
  corrupt,
  finishedAt,
  freshState,
  loadPlace,
  sessionFacts,
  sessionRecords,
  type EntryDraft,
  type Message,
  type MessageContext,
  type NativeRow,
  type ReaderState,
  type SavedPlace,
  type HeadFacts,
  type MessageStore,
} from "./native.ts";
import { assembleMessage, readMessage, templatesFor } from "./rules.ts";
import { openFiles, openSession } from "./stores.ts";

/** One pass over a session: the session row, then every message followed by its parts. */
export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new SessionReading(ref, cursor, ctx);
}

class SessionReading implements Reading {
  readonly #ctx: ReadContext;
  readonly #store: MessageStore;
  readonly #facts: HeadFacts;
  readonly #counter = new DriftCounter();
  readonly #drift: SingleVersionDrift;
  readonly #templates: CommandTemplates;
  #place: SavedPlace;
  #line: number;
  /** Set at the first row that may still be rewritten: the next read must not skip anything from there on. */
  #held: Cursor | null = null;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#ctx = ctx;
    this.#templates = templatesFor(ref.path);
    this.#store = ref.container === "sqlite" ? openSession(ref.path, ref.key ?? "") : openFiles(ref.path, ctx.meter);
    if (ctx.meter && ref.container === "sqlite") ctx.meter.opens++;
    this.#facts = sessionFacts(ref.key ?? this.#store.session?.id ?? "", this.#store.session?.data ?? null);
    this.#drift = new SingleVersionDrift(this.#counter, this.#facts.schema, ctx.detail === "full");
    const saved = cursor && cursor.line > 0 ? loadPlace(cursor.state) : null;
    const lines = saved ? this.#linesAt(saved) : null;
    // A session that was rewritten since (compacted, reverted, restored) is reported again from its start.
    const valid = saved !== null && lines === cursor?.line;
    this.#place = valid && saved ? saved : { state: freshState(), messages: 0, rows: 0, last: null };
    this.#line = valid && cursor ? cursor.line : 0;
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    try {
      if (this.#ctx.signal?.aborted) return;
      if (this.#line === 0 && this.#store.session) yield this.#sessionEntry(this.#store.session);
      for (let index = this.#place.messages; index < this.#store.messages; index++) {
        if (this.#ctx.signal?.aborted) return;
        yield* this.#message(index);
      }
    } finally {
      this.#store.close();
    }
  }

  cursor(): Cursor {
    return this.#held ?? { line: this.#line, offset: 0, state: structuredClone(this.#place) };
  }

  drift(): Drift {
    return this.#counter.snapshot();
  }

  #sessionEntry(row: NativeRow): Entry {
    const { state } = this.#place;
    const info = row.data;
    state.title = this.#facts.title;
    const draft: EntryDraft = info
      ? {
          class: "session",
          reason: "opencode.session",
          native: "session",
          time: row.time,
          bytes: row.bytes,
          records: sessionRecords(this.#facts, info),
        }
      : corrupt(row, "session");
    return this.#entry(draft, false);
  }

  *#message(index: number): Generator<Entry, void, undefined> {
    // The saved place keeps the state before the message until its last row: a resumed read classifies the whole
    // message.
    const { state: before, rows: skip } = this.#place;
    const state = structuredClone(before);
    const row = this.#store.message(index);
    const message = this.#assemble(index, row);
    resetImpossibleNumbers();
    const drafts = this.#drafts(index, row, message, state);
    addImpossible(drafts);
    if (this.#store.total?.index === index) drafts.at(-1)?.records.push(this.#store.total.usage);
    this.#inherit(drafts, message, before, state);
    if (index === this.#store.messages - 1) this.#reportRevert(drafts.at(-1), this.#line - skip + drafts.length);
    const open = this.#isOpen(index, message);
    for (const [i, draft] of drafts.entries()) {
      if (i < skip) continue;
      if (open && !this.#held) this.#held = this.cursor();
      this.#reportTitle(draft, state);
      this.#place =
        i === drafts.length - 1
          ? { state, messages: index + 1, rows: 0, last: row.id }
          : { ...this.#place, rows: i + 1 };
      yield this.#entry(draft, this.#held !== null);
    }
  }

  #assemble(index: number, row: NativeRow): Message | null {
    if (this.#store.flavour === "v2") return assembleV2(row);
    if (this.#store.flavour === "go") return assembleGo(row);
    return assembleMessage({ message: row, parts: this.#store.parts(index) });
  }

  #drafts(index: number, row: NativeRow, message: Message | null, state: ReaderState): EntryDraft[] {
    const ctx: MessageContext = {
      state,
      facts: this.#facts,
      drift: this.#drift,
      full: this.#ctx.detail === "full",
      templates: this.#templates,
      next: () => (index + 1 < this.#store.messages ? this.#assemble(index + 1, this.#store.message(index + 1)) : null),
    };
    if (this.#store.flavour === "v2") return readV2(row, message, ctx);
    if (this.#store.flavour === "go") return readGo(row, message, ctx);
    const parts = message ? message.pieces.flatMap((piece) => piece.row ?? []) : this.#store.parts(index);
    return readMessage({ message: row, parts }, message, ctx);
  }

  /** Copies are recognised before their content is reported as new; they end at the session's first own prompt. */
  #inherit(drafts: EntryDraft[], message: Message | null, before: ReaderState, state: ReaderState): void {
    if (!isCopied(this.#ctx.inherited, state, message?.identity, drafts[0]?.class)) return;
    for (const draft of drafts) {
      draft.class = "inherited";
      draft.reason = "opencode.copy.inherited";
      draft.records = draft.records.flatMap((body): RecordBody[] =>
        body.type === "usage" ? [{ ...body, verdict: "inherited" }] : [],
      );
    }
    // Nothing was reported, so the session's first own message has to state all settings.
    state.ruling = structuredClone(before.ruling);
    state.busyUntil = null;
  }

  /**
   * A revert hides messages until the next prompt deletes them; it is reported once all affected messages were read.
   */
  #reportRevert(last: EntryDraft | undefined, lastLine: number): void {
    const from = this.#revertLine();
    if (last && from !== null && from <= lastLine)
      last.records.push({ type: "cancelled", reason: "rewound", from_line: from });
  }

  #revertLine(): number | null {
    const { revert } = this.#facts;
    if (!revert) return null;
    let line = this.#store.session ? 2 : 1;
    for (let i = 0; i < this.#store.messages; i++) {
      const next = line + 1 + this.#store.partCount(i);
      // A revert to a part keeps its message and takes back only what came after.
      if (this.#store.message(i).id === revert.message) return revert.inside ? next : line;
      line = next;
    }
    return null;
  }

  /** True for a message that may still change: it is unfinished and no later message was answered. */
  #isOpen(index: number, message: Message | null): boolean {
    const last = index === this.#store.messages - 1;
    if (last && this.#facts.revert) return true;
    const { total } = this.#store;
    // The next request overwrites the totals that are reported there.
    if (total && index >= total.index) return true;
    if (!message) return false;
    const role = str(message.data["role"]);
    if (role === "user") return last;
    if (role !== "assistant") return false;
    const unfinished = finishedAt(message.data) === null && !obj(message.data["error"]);
    if (!unfinished && !message.pieces.some((piece) => isUnsettled(piece.data))) return false;
    for (let next = index + 1; next < this.#store.messages; next++) {
      const row = this.#store.message(next);
      if ((row.type ?? row.data?.["role"]) === "assistant") return false;
    }
    return true;
  }

  /**
   * The session row is rewritten in place and read only once; a title that changed since is reported with the next row.
   */
  #reportTitle(draft: EntryDraft, state: ReaderState): void {
    const { title } = this.#facts;
    if (state.title === title || draft.class === "inherited") return;
    state.title = title;
    draft.records.push({ type: "session_renamed", title, by: "agent" });
  }

  #entry(draft: EntryDraft, tentative: boolean): Entry {
    this.#line++;
    this.#drift.countRow();
    if (this.#ctx.meter) this.#ctx.meter.bytes += draft.bytes;
    return { ...draft, line: this.#line, offset: 0, position: this.#line, tentative };
  }

  /** Number of lines up to and including the saved place; null if another message is there now. */
  #linesAt(place: SavedPlace): number | null {
    if (place.messages > this.#store.messages) return null;
    const last = place.messages === 0 ? null : this.#store.message(place.messages - 1).id;
    if (last !== place.last) return null;
    let lines = this.#store.session ? 1 : 0;
    for (let i = 0; i < place.messages; i++) lines += 1 + this.#store.partCount(i);
    if (place.rows > 0 && place.rows > 1 + this.#store.partCount(place.messages)) return null;
    return lines + place.rows;
  }
}

/** The usage of a message is in one of its rows, and numbers that are impossible are reported with it. */
function addImpossible(drafts: EntryDraft[]): void {
  const at = drafts.findIndex(({ records }) => records.some(({ type }) => type === "usage"));
  const [place, draft] = [at === -1 ? drafts.length - 1 : at, at === -1 ? drafts.at(-1) : drafts[at]];
  if (draft) drafts[place] = reportImpossibleNumbers(draft);
}
