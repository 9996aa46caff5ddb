import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { isCopied } from "../kit/copies.ts";
import { addInstructions } from "../kit/instructions.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/reading.ts";
import type { Native } from "../kit/native.ts";
import { restoreState } from "../kit/state.ts";
import type { CommandTemplates } from "../kit/prompts.ts";
import { placeEntry } from "../kit/windows.ts";
import { classify } from "./classify.ts";
import { noteDrift } from "./drift.ts";
import { identityOf, kindFromPath, sessionIdOf } from "./identity.ts";
import { nativeType, timeOf } from "./native.ts";
import type { Reason } from "./reasons.ts";
import { freshState, type ReaderState } from "./state.ts";
import { systemPrompt } from "./system-prompt.ts";
import { templatesFor } from "./templates.ts";
import { addToTree, addToTurn, beginTurn, rewindOf, windows } from "./tree.ts";
import { usageOf } from "./usage.ts";
import type { Verdict } from "./verdict.ts";

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new PiReading(ref, cursor, ctx);
}

class PiReading extends JsonReading<ReaderState> {
  readonly #templates: CommandTemplates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(freshState(kindFromPath(ref.path)), cursor);
    super({ ref, ctx, lines: new JsonLines(ref, cursor, ctx), state, prefix: "pi" });
    this.#templates = templatesFor(ref.path);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    const time = timeOf(record);
    const identity = identityOf(record) ?? `${sessionIdOf(path)}:${line.line}`;
    windows.enter(record, state);
    const scene = {
      lines: windows.linesAhead(lines, state),
      state,
      path,
      line: line.line,
      full,
      record,
      identity,
      time,
    };
    const found = classify({ ...scene, templates: this.#templates });
    const facts = { native: nativeType(record), time, identity };
    const entry = this.entryWithoutRecords(line, before, found, facts, () => identity);
    const follows = this.#settle(entry, record, identity, found);
    placeEntry(entry, follows, state);
    noteDrift(this.counter, record, state.version, entry.class === "unknown", full);
    return entry;
  }

  /**
   * Copies are recognised before their content is reported as new. Returns the turn that a prompt follows, null if that
   * is the one that began last.
   */
  #settle(entry: Entry, record: Native, identity: string, found: Verdict): number | null {
    const { state } = this;
    const rewind = rewindOf(record, state);
    if (!addToTree(record, entry.line, state)) {
      entry.class = "duplicate";
      entry.reason = "pi.id.repeated" satisfies Reason;
      entry.records = usageOf(record, identity, "duplicate");
      return null;
    }
    const follows = found.class === "trigger" ? beginTurn(record, entry.line, state) : null;
    addToTurn(entry.line, state);
    const known = record["type"] === "session" ? null : identity;
    const copied = isCopied(this.ctx.inherited, state, known, found.class);
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const applied = found.apply();
    if (copied) {
      entry.class = "inherited";
      entry.reason = "pi.id.inherited" satisfies Reason;
      entry.records = usageOf(record, identity, "inherited");
      return follows;
    }
    entry.records = [...rewind, ...applied, ...usageOf(record, identity, "counted")];
    addInstructions(entry, systemPrompt(record), this.full);
    return follows;
  }
}
