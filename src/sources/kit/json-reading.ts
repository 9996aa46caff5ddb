import type { Entry, LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import type { Lines } from "./json-lines.ts";
import { problemEntry, skimmedEntry, type JsonLine } from "./json-lines.ts";
import { LineReading } from "./line-reading.ts";
import type { Native } from "./native.ts";
import type { Verdict } from "./verdict.ts";

/** Arguments of a pass over the records of one file. */
export interface JsonPass<State> {
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
