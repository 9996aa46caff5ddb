import type { Entry, LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import type { Lines } from "./json-lines.ts";
import { problemEntry, skimmedEntry, type JsonLine } from "./json-lines.ts";
import { LineReading } from "./line-reading.ts";
import type { Native } from "./native.ts";
import type { Verdict } from "./verdict.ts";

/** What a pass over the records of one file begins with. */
export interface JsonPass<State> {
  ref: SourceRef;
  ctx: ReadContext;
  lines: Lines;
  state: State;
  /** What the names of rules begin with. */
  prefix: string;
}

/** What a record says of itself, whatever it is. */
export interface NativeFacts {
  /** Native type path. */
  native: string;
  time: number | null;
  /** Equal in every copy; null when the record has none. */
  identity: string | null;
}

/** One pass over a file whose lines are JSON objects. Sources say what each object is; lines without one are reported here. */
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
    if (line.skimmed !== null) return skimmedEntry(line, this.#prefix);
    const entry = problemEntry(line, this.#prefix);
    return { ...entry, tentative: this.hold(before, entry.tentative) };
  }

  /** The entry of a record as it was judged, before its effects: it tells nothing yet. `sessionId` names triggers without an identity. */
  protected judged(
    line: JsonLine,
    before: LineStartCursor,
    { class: cls, reason, open }: Pick<Verdict, "class" | "reason" | "open">,
    { native, time, identity }: NativeFacts,
    sessionId: () => string,
  ): Entry {
    const { line: at, offset, bytes, terminated } = line;
    const tentative = this.hold(before, open || !terminated);
    const named = identity ?? (cls === "trigger" ? `${sessionId()}:${at}` : null);
    const position = at;
    // Made for every line, so written out: to spread one object into another takes twenty times as long. Pages keep uncertain
    // entries as they are made, and are compared with those of earlier readings as texts: the order stays.
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
