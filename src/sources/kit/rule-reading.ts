import type { RecordBody } from "../../format/record.ts";
import {
  SESSION_HEADER,
  type Cursor,
  type Entry,
  type LineStartCursor,
  type ReadContext,
  type Reading,
  type SourceRef,
} from "../contract.ts";
import { copiedRecords, isCopied } from "./copies.ts";
import type { DriftCounter } from "./drift.ts";
import { JsonLines, type JsonLine, type Lines } from "./json-lines.ts";
import { JsonReading, type NativeFacts } from "./json-reading.ts";
import type { Native } from "./native.ts";
import { restoreState } from "./state.ts";
import type { CommandTemplates } from "./templates.ts";
import type { RuleContext, Verdict } from "./verdict.ts";

/** What every reader of this kind remembers. */
export interface RuleState {
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
}

export interface TemplateContext<State> extends RuleContext<State> {
  /** The texts that commands expand to. */
  templates: CommandTemplates;
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
  classify(record: Native, ctx: TemplateContext<State>): Verdict<Reason>;
  /** Counts versions and unknown fields; returns the version under which an unknown type is counted. */
  noteDrift(counter: DriftCounter, record: Native, native: string, state: State, checkFields: boolean): string;
  /** The rule for a record that this file holds twice, if this is one. */
  repeated?(record: Native, state: State): Reason | null;
  /** Facts of the session that come before the records of this one. */
  header(record: Native, path: string, state: State, native: string): RecordBody[];
  /** The rule for records copied from another file, and what is kept of them if that is not the usual. */
  inherited: Reason;
  copied?(record: Native, header: RecordBody[]): RecordBody[];
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
    const found = table.classify(record, { lines, state, path, line: line.line, full, templates: this.#templates });
    const facts = table.facts(record);
    const entry = this.entryWithoutRecords(line, before, found, facts, () => table.sessionId(path));
    const version = table.noteDrift(this.counter, record, facts.native, state, full);
    if (found.class === "unknown") this.counter.countUnknownType(version, facts.native);
    return this.#settle(entry, record, found);
  }

  /** Repeated and copied records are recognised before their content is reported as new. */
  #settle(entry: Entry, record: Native, found: Verdict<Reason>): Entry {
    const { state } = this;
    const table = this.#table;
    const repeated = table.repeated?.(record, state) ?? null;
    if (repeated !== null) {
      entry.class = "duplicate";
      entry.reason = repeated;
      return entry;
    }
    const header = table.header(record, this.ref.path, state, entry.native);
    // A header names the session and is never part of the history before it.
    const identity = entry.native === SESSION_HEADER ? null : entry.identity;
    const copied = isCopied(this.ctx.inherited, state, identity, found.class);
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const applied = found.apply();
    entry.records = [...header, ...applied];
    if (!copied) return entry;
    entry.class = "inherited";
    entry.reason = table.inherited;
    entry.records = table.copied?.(record, header) ?? copiedRecords(entry.records);
    return entry;
  }
}
