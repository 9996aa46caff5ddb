/** One pass over a file: of lines, of JSON objects, by a table of rules. */
import type { RecordBody } from "../../record/record.ts";
import {
  SESSION_HEADER,
  type Cursor,
  type Drift,
  type Entry,
  type EntryClass,
  type LineStartCursor,
  type ReadContext,
  type Reading,
  type SourceRef,
} from "../contract.ts";
import { copiedRecords, isCopied } from "./copies.ts";
import { DriftCounter } from "./drift.ts";
import { NO_INSTRUCTIONS } from "./instructions.ts";
import { JsonLines, problemEntry, skimmedEntry, type JsonLine, type LineProblem, type Lines } from "./json-lines.ts";
import { reportImpossibleNumbers, resetImpossibleNumbers, type Native } from "./native.ts";
import type { CommandTemplates } from "./prompts.ts";
import { restoreState } from "./state.ts";
import type { RuleContext, Verdict } from "./verdict.ts";

/** The lines of a file in order, and the position of the next line. */
interface LinesInOrder<Line> {
  readonly position: LineStartCursor;
  next(): Line | null;
  close(): void;
}

/**
 * One pass over a file: yields an entry per line until the caller stops; resumable after every entry that is not
 * tentative.
 */
export abstract class LineReading<Line, State extends object, Lines extends LinesInOrder<Line>> implements Reading {
  protected readonly ctx: ReadContext;
  protected readonly lines: Lines;
  /** Everything the reader remembers between two lines; must be serialisable to JSON. */
  protected readonly state: State;
  protected readonly counter: DriftCounter = new DriftCounter();
  /** Where the next reading starts if an entry was tentative: before the first of them, so that all are read again. */
  #held: Cursor | null = null;

  protected constructor(ctx: ReadContext, lines: Lines, state: State) {
    this.ctx = ctx;
    this.lines = lines;
    this.state = state;
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    const { ctx, lines } = this;
    try {
      for (;;) {
        if (ctx.signal?.aborted === true) return;
        const before = lines.position;
        const line = lines.next();
        if (line === null) return yield* this.behind(before);
        resetImpossibleNumbers();
        yield reportImpossibleNumbers(this.entryOf(line, before));
      }
    } finally {
      lines.close();
    }
  }

  cursor(): Cursor {
    return this.#held ?? this.cursorAt(this.lines.position);
  }

  drift(): Drift {
    return this.counter.snapshot();
  }

  /** Entries that come behind the last line, for readers of files beside it. */
  protected *behind(_end: LineStartCursor): Generator<Entry, void, undefined> {}

  /** `before` is the position of the line. */
  protected abstract entryOf(line: Line, before: LineStartCursor): Entry;

  /** A copy of the current state, for a cursor. */
  protected savedState(): unknown {
    return JSON.parse(JSON.stringify(this.state)) as unknown;
  }

  protected cursorAt(position: LineStartCursor): Cursor {
    return { ...position, state: this.savedState() };
  }

  /**
   * Whether an entry is tentative: by itself (`open`), or because an earlier one is and both will be read again. Holds
   * the cursor at the first such entry. Must be called before the line changes the state.
   */
  protected holdCursor(before: LineStartCursor, open: boolean): boolean {
    if (open && this.#held === null) this.#held = this.cursorAt(before);
    return this.#held !== null;
  }

  /**
   * Like `holdCursor`, for readers that change the state while judging a line and so have to make the cursor
   * beforehand.
   */
  protected holdCursorAt(before: Cursor): void {
    this.#held ??= before;
  }

  protected get isHeld(): boolean {
    return this.#held !== null;
  }
}

/** Arguments of a pass over the records of one file. */
interface JsonPass<State> {
  ref: SourceRef;
  ctx: ReadContext;
  lines: Lines;
  state: State;
  /** First part of the rule names, for example `claude`. */
  prefix: string;
}

/** Facts stated by every native record, whatever its type. */
export interface NativeFacts {
  /** Native type path. */
  native: string;
  time: number | null;
  /** Equal in every copy; null when the record has none. */
  identity: string | null;
}

/** `name`: the record's identity, or its session and line if it has none. */
export interface NamedFacts extends NativeFacts {
  name: string;
}

/** One pass over a file of JSON objects. Subclasses classify each object; lines without an object are handled here. */
export abstract class JsonReading<State extends object> extends LineReading<JsonLine, State, Lines> {
  protected readonly ref: SourceRef;
  readonly #prefix: string;

  protected constructor({ ref, ctx, lines, state, prefix }: JsonPass<State>) {
    super(ctx, lines, state);
    this.ref = ref;
    this.#prefix = prefix;
  }

  protected get full(): boolean {
    return this.ctx.detail === "full";
  }

  protected abstract recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry;

  protected override entryOf(line: JsonLine, before: LineStartCursor): Entry {
    if (line.value !== null) return this.recordEntry(line.value, line, before);
    if (line.skimmed !== null) return this.skimmed(skimmedEntry(line, this.#prefix), line);
    const entry = problemEntry(line, this.#prefix);
    return { ...entry, tentative: this.holdCursor(before, entry.tentative) };
  }

  /** For readers that know more of a line that was not parsed than its type. */
  protected skimmed(entry: Entry, _line: JsonLine): Entry {
    return entry;
  }

  /**
   * The entry for a verdict whose effects have not been applied yet: it has no canonical records. `sessionId` provides
   * an identity for triggers that have none.
   */
  protected entryWithoutRecords(
    line: JsonLine,
    before: LineStartCursor,
    { class: cls, reason, open }: Pick<Verdict, "class" | "reason" | "open">,
    { native, time, identity }: NativeFacts,
    sessionId: () => string,
  ): Entry {
    const { line: at, offset, bytes, terminated } = line;
    const tentative = this.holdCursor(before, open || !terminated);
    const named = identity ?? (cls === "trigger" ? `${sessionId()}:${at}` : null);
    const position = at;
    // Written out instead of spread, because this runs for every line and a spread takes twenty times as long. Keep the
    // key order: pages store tentative entries as they are, and compare them with those of earlier readings as text.
    return named === null
      ? { line: at, offset, bytes, class: cls, reason, native, time, position, records: [], tentative }
      : {
          line: at,
          offset,
          bytes,
          class: cls,
          reason,
          native,
          time,
          position,
          identity: named,
          records: [],
          tentative,
        };
  }
}

/** What every reader of this kind remembers. */
interface RuleState {
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
}

export interface TemplateContext<State> extends RuleContext<State> {
  /** The texts that commands expand to. */
  templates: CommandTemplates;
}

/** Which turn owns a record, for sessions that several windows may write. */
export interface RuleOwner<State> {
  /** What was taken back before this record; asked before it is noted. */
  rewound?(record: Native, state: State): RecordBody[];
  /** Before a record is judged: finds its turn, and the lines that may be looked at ahead of it. */
  find(record: Native, state: State, lines: Lines): Lines;
  /** Notes a prompt and the names of a record; returns the turn that a prompt continues, if its order does not tell. */
  note(record: Native, line: number, isPrompt: boolean, state: State): number | null;
  /** States the turn of an entry where the order of lines would tell it wrong. */
  place(entry: Entry, follows: number | null, state: State): void;
}

/**
 * A reader of JSON records in small functions. The kit opens the file, resumes, recognises copies, and puts the entry
 * together; the source says what each record is.
 */
export interface RuleTable<State extends RuleState, Reason extends string> {
  /** First part of the rule names. */
  prefix: string;
  freshState(path: string): State;
  /** How lines are found, if not every line is a record. */
  open?(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines;
  /** The session id from the path. */
  sessionId(path: string): string;
  templates(path: string): CommandTemplates;
  /** Learns from a record what the rules need to know before they judge it. */
  prepare?(record: Native, state: State): void;
  facts(record: Native): NativeFacts;
  /** Decides without changing any state: only `apply` does, so that an uncertain verdict can be discarded. */
  classify(record: Native, ctx: TemplateContext<State>, facts: NamedFacts): Verdict<Reason>;
  /** Counts versions and unknown fields; returns the version under which an unknown type is counted. */
  noteDrift(counter: DriftCounter, record: Native, native: string, state: State, checkFields: boolean): string;
  /** The rule for a record that this file holds twice, if this is one. */
  repeated?(record: Native, state: State): Reason | null;
  /** What is kept of such a record. */
  again?(record: Native, state: State, name: string): RecordBody[];
  /** Facts of the session that come before the records of this one. */
  header(record: Native, path: string, state: State, native: string): RecordBody[];
  /** Absent: turns own what follows them. */
  owner?: RuleOwner<State>;
  /** The rule for records copied from another file (absent: there are none), and what is kept of them if not the usual. */
  inherited?: Reason;
  copied?(record: Native, header: RecordBody[], state: State, name: string): RecordBody[];
  /** The files beside the log. */
  beside?(path: string, state: State, full: boolean): RecordBeside<Reason>[];
}

/** A file beside the log, as an entry behind its last line. */
export interface RecordBeside<Reason extends string> {
  native: string;
  class: EntryClass;
  reason: Reason | `${string}.line.${LineProblem}`;
  bytes: number;
  time: number | null;
  apply: () => RecordBody[];
}

export function readByRules<State extends RuleState, Reason extends string>(
  table: RuleTable<State, Reason>,
  ref: SourceRef,
  cursor: Cursor | null,
  ctx: ReadContext,
): Reading {
  return new RuleReading(table, ref, cursor, ctx);
}

class RuleReading<State extends RuleState, Reason extends string> extends JsonReading<State> {
  readonly #table: RuleTable<State, Reason>;
  readonly #templates: CommandTemplates;
  #session: string | null = null;

  constructor(table: RuleTable<State, Reason>, ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const lines = table.open?.(ref, cursor, ctx) ?? new JsonLines(ref, cursor, ctx);
    super({ ref, ctx, lines, state: restoreState(table.freshState(ref.path), cursor), prefix: table.prefix });
    this.#table = table;
    this.#templates = table.templates(ref.path);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    const table = this.#table;
    table.prepare?.(record, state);
    const ahead = table.owner?.find(record, state, lines) ?? lines;
    const scene = { lines: ahead, state, path, line: line.line, full };
    const facts = table.facts(record);
    const name = facts.identity ?? `${this.#sessionId()}:${line.line}`;
    const found = table.classify(record, { ...scene, templates: this.#templates }, { ...facts, name });
    const entry = this.entryWithoutRecords(line, before, found, facts, () => this.#sessionId());
    const version = table.noteDrift(this.counter, record, facts.native, state, full);
    if (found.class === "unknown") this.counter.countUnknownType(version, facts.native);
    return this.#settle(entry, record, found, name);
  }

  /** These files are rewritten, so they are read again with every change: see `BESIDE`. */
  protected override *behind(end: LineStartCursor): Generator<Entry, void, undefined> {
    const { ref, state, full } = this;
    let { line } = end;
    for (const { class: cls, reason, native, bytes, time, apply } of this.#table.beside?.(ref.path, state, full) ??
      []) {
      const tentative = this.holdCursor(end, true);
      line++;
      resetImpossibleNumbers();
      const place = { line, offset: end.offset, bytes, position: line };
      yield reportImpossibleNumbers({ ...place, class: cls, reason, native, time, records: apply(), tentative });
    }
  }

  /** Asked once: some sources have to open the file to know it. */
  #sessionId(): string {
    return (this.#session ??= this.#table.sessionId(this.ref.path));
  }

  /** Repeated and copied records are recognised before their content is reported as new. */
  #settle(entry: Entry, record: Native, found: Verdict<Reason>, name: string): Entry {
    const { state } = this;
    const table = this.#table;
    const rewound = table.owner?.rewound?.(record, state) ?? [];
    const repeated = table.repeated?.(record, state) ?? null;
    if (repeated !== null) {
      entry.class = "duplicate";
      entry.reason = repeated;
      entry.records = table.again?.(record, state, name) ?? [];
      table.owner?.place(entry, null, state);
      return entry;
    }
    const follows = table.owner?.note(record, entry.line, found.class === "trigger", state) ?? null;
    const header = table.header(record, this.ref.path, state, entry.native);
    // A header names the session and is never part of the history before it.
    const identity = entry.native === SESSION_HEADER ? null : entry.identity;
    const { inherited } = table;
    const copied = inherited !== undefined && isCopied(this.ctx.inherited, state, identity, found.class);
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const applied = found.apply();
    const given = found.given?.() ?? NO_INSTRUCTIONS;
    entry.records = [...rewound, ...header, ...applied];
    if (copied) {
      entry.class = "inherited";
      entry.reason = inherited;
      entry.records = table.copied?.(record, header, state, name) ?? copiedRecords(entry.records);
    } else if (this.full && given.texts.length > 0) entry.texts = given.texts;
    table.owner?.place(entry, follows, state);
    return entry;
  }
}
