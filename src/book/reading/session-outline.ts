import type { LogRecord, RecordBody } from "../../record/record.ts";
import { bodiesIn, readText } from "../pages/page-reader.ts";
import { outlinePage, type OutlinedEntry } from "../pages/page-outline.ts";
import { inheritedPredicate, toInheritedRecords } from "../../turns/inherited.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Session } from "../../turns/session.ts";
import { fileEntries } from "./file-entries.ts";
import { CONTEXT_RESET, headerOf, ownersIn, RecordExporter, type RecordPlace } from "./records.ts";
import { addTo } from "../../base/maps.ts";

/** Bytes read at once: nearby texts are usually needed next. */
const WINDOW = 256 * 1024;

/** Consecutive records of one entry: either in memory, or their place in the book. */
interface RecordRange extends RecordPlace {
  seq: number;
  count: number;
  from: { bodies: RecordBody[] } | Stored;
}

/** Where the text of an entry's records is stored. */
interface Stored extends Pick<OutlinedEntry, "at" | "length" | "sum"> {
  texts: PageTexts;
}

/**
 * Random access to the records that `logRecords` would yield. The ledger tells how many records each line has and which
 * turn owns them; texts stay in the book until they are needed. Nothing else of the session is kept in memory.
 */
export class RecordOutline {
  readonly source: string;
  readonly session_id: string;
  readonly #forms: RecordExporter;
  readonly #stretches: RecordRange[] = [];
  /** The same by owning turn: a session of thousands of turns is read turn by turn. */
  readonly #ofTurn = new Map<string | null, RecordRange[]>();
  #seq = 0;

  constructor(session: Session) {
    this.source = session.source;
    this.session_id = session.session_id;
    this.#forms = new RecordExporter(session);
    // Lines whose totals become more records than they hold.
    const unwritten = new Set(session.usage.flatMap(({ event }) => (event.reason === undefined ? [] : [event.line])));
    for (const [i, part] of session.parts.entries()) this.#addPart(session, part, i === 0, unwritten);
  }

  get entries(): number {
    return this.#stretches.length;
  }

  /** The records of a turn (`null`: those without a turn), or all of them; only those after `after`. */
  seqs(turn?: string | null, after = -1): number[] {
    const found: number[] = [];
    for (const { seq, count } of turn === undefined ? this.#stretches : (this.#ofTurn.get(turn) ?? [])) {
      for (let i = Math.max(seq, after + 1); i < seq + count; i++) found.push(i);
    }
    return found;
  }

  /** Reads these records; `seqs` must be ascending. */
  read(seqs: readonly number[]): LogRecord[] {
    const records: LogRecord[] = [];
    let [stretch, bodies]: [RecordRange | null, RecordBody[]] = [null, []];
    for (const seq of seqs) {
      if (stretch === null || seq >= stretch.seq + stretch.count) {
        stretch = this.#holding(seq);
        bodies = stretch === null ? [] : this.#bodies(stretch);
      }
      const body = stretch && bodies[seq - stretch.seq];
      // A damaged entry has fewer records than its row says.
      if (stretch && body) records.push(this.#forms.record(body, stretch, seq));
    }
    return records;
  }

  #holding(seq: number): RecordRange | null {
    let [low, high] = [0, this.#stretches.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#stretches[middle]?.seq ?? 0) <= seq) low = middle;
      else high = middle - 1;
    }
    const found = this.#stretches[low];
    return found && seq >= found.seq && seq < found.seq + found.count ? found : null;
  }

  #bodies(stretch: RecordRange): RecordBody[] {
    const { from } = stretch;
    return "bodies" in from ? from.bodies : this.#forms.bodies(from.texts.read(from), stretch);
  }

  #addPart(session: Session, part: FileDraft, isFirst: boolean, unwritten: ReadonlySet<number>): void {
    const ownerOf = ownersIn(session, part);
    let isBegun = isFirst;
    const begin = (line: number, time: number | null): RecordPlace => {
      const place = { path: part.path, line, time, turn: ownerOf(line) };
      if (!isBegun) this.#addBodies([CONTEXT_RESET], { ...place, turn: null });
      isBegun = true;
      return place;
    };
    const outline = part.page === null ? null : outlinePage(part.page);
    if (part.page === null || outline === null) {
      for (const { line, time, records } of fileEntries(part)) this.#addRecords(session, records, begin(line, time));
      return;
    }
    const last = outline.rows.at(-1);
    const texts = new PageTexts(part.page, last ? last.at + last.length : 0);
    const isInherited = inheritedPredicate(part.inherited_from);
    for (const row of outline.rows) {
      const place = begin(row.line, row.time);
      const stored: Stored = { texts, at: row.at, length: row.length, sum: row.sum };
      if (isInherited(row)) this.#addRecords(session, texts.read(stored).flatMap(toInheritedRecords), place);
      else if (this.#seq === 0 || unwritten.has(row.line) || isExpanded(place)) {
        this.#addRecords(session, texts.read(stored), place);
      } else this.#add(place, row.count, stored);
    }
    for (const entry of outline.tail) {
      const records = isInherited(entry) ? entry.records.flatMap(toInheritedRecords) : entry.records;
      this.#addRecords(session, records, begin(entry.line, entry.time));
    }
    texts.release();
  }

  #addRecords(session: Session, records: readonly RecordBody[], place: RecordPlace): void {
    const bodies = this.#forms.bodies(records, place);
    if (this.#seq === 0 && bodies.length > 0 && bodies[0]?.type !== "session_meta")
      this.#addBodies([headerOf(session)], { ...place, turn: null });
    this.#addBodies(bodies, place);
  }

  #addBodies(bodies: RecordBody[], place: RecordPlace): void {
    for (const [i, body] of bodies.entries()) this.#forms.note(body, place, this.#seq + i);
    this.#add(place, bodies.length, { bodies });
  }

  #add(place: RecordPlace, count: number, from: RecordRange["from"]): void {
    if (count === 0) return;
    const stretch = { ...place, seq: this.#seq, count, from };
    this.#stretches.push(stretch);
    addTo(this.#ofTurn, place.turn?.ref ?? null, stretch);
    this.#seq += count;
  }
}

/** Export adds to the records of such a turn, or later records refer to them, so they must be read now. */
function isExpanded({ turn }: RecordPlace): boolean {
  return turn !== null && (turn.typed !== undefined || turn.rewound !== null);
}

/** Reads the texts of a page's log in windows: the next one asked for is usually nearby. */
class PageTexts {
  readonly #page: string;
  readonly #end: number;
  #window: { at: number; text: Buffer } | null = null;

  constructor(page: string, end: number) {
    this.#page = page;
    this.#end = end;
  }

  read({ at, length, sum }: Pick<OutlinedEntry, "at" | "length" | "sum">): RecordBody[] {
    if (length === 0) return [];
    return bodiesIn(this.#text(at, length), sum, length);
  }

  #text(at: number, length: number): Buffer {
    const known = this.#window;
    if (!known || at < known.at || at + length > known.at + known.text.length) {
      const bytes = Math.min(Math.max(length, WINDOW), this.#end - at);
      this.#window = { at, text: readText(this.#page, at, bytes) ?? Buffer.alloc(0) };
    }
    const { at: from, text } = this.#window ?? { at, text: Buffer.alloc(0) };
    return text.subarray(at - from, at - from + length);
  }

  release(): void {
    this.#window = null;
  }
}
