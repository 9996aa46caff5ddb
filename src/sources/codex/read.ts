import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { problemEntry, skimmedEntry, type JsonLine, type Lines } from "../kit/json-lines.ts";
import { LineReading } from "../kit/line-reading.ts";
import { restoreState } from "../kit/state.ts";
import type { CommandTemplates } from "../kit/templates.ts";
import { compacted } from "./actions.ts";
import { settingsBody } from "./context.ts";
import { openLines } from "./document.ts";
import { noteDrift } from "./drift.ts";
import { event } from "./events.ts";
import { isFields, wordOf } from "./fields.ts";
import { ownedVerdict, turnOf } from "./goals.ts";
import { sessionIdFromPath } from "./header.ts";
import { identityOf, inheritedVerdict, inheritanceRule } from "./inherit.ts";
import { statedInstructions } from "./instructions.ts";
import { nativePath, nativeRecord, nativeTurnId, type NativeRecord } from "./native.ts";
import { mail, responseItem } from "./responses.ts";
import {
  noteAnswer,
  withInstructions,
  LOOKAHEAD,
  reaction,
  setup,
  unknownType,
  type ClassifyContext,
  type Verdict,
} from "./verdict.ts";
import { missingHeader, sessionMeta } from "./session.ts";
import { skippedRecord, applySkipped } from "./skim.ts";
import { initialState, type ReaderState } from "./state.ts";
import { noteResponse } from "./scripts.ts";
import { templatesFor } from "./templates.ts";
import { totalOf, usageOfRecord } from "./usage.ts";

export function readRollout(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new RolloutReading(ref, cursor, ctx);
}

/** One pass over a rollout. Verdicts that need later lines peek at them. */
class RolloutReading extends LineReading<JsonLine, ReaderState, Lines> {
  readonly #templates: CommandTemplates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(initialState(sessionIdFromPath(ref.path), ctx.inherited !== undefined), cursor);
    super(ctx, openLines(ref, cursor, ctx), state);
    this.#templates = templatesFor(ref.path);
  }

  /**
   * Judging a line changes the state. If lines that are not written yet may change the verdict, a cursor is made first.
   */
  protected override entryOf(line: JsonLine, before: LineStartCursor): Entry {
    const cursor = this.#mayChange(line) ? this.cursorAt(before) : null;
    const entry = this.#judge(line);
    if (entry.tentative && cursor !== null) this.holdCursorAt(cursor);
    return entry;
  }

  /** Whether a later reading may classify the line differently. */
  #mayChange(line: JsonLine): boolean {
    // Uses the same look-ahead as the rules, which ignores a line that is still being written.
    if (this.isHeld || this.#ahead(LOOKAHEAD - 1) !== null) return false;
    return !(line.terminated && line.skimmed === null && isCertain(this.#record(line), this.state));
  }

  #judge(line: JsonLine): Entry {
    if (line.value !== null) return this.#entry(line, this.#record(line));
    if (line.skimmed === null) return problemEntry(line, "codex");
    applySkipped(line.skimmed, this.state);
    const entry = skimmedEntry(line, "codex");
    return awaitsPrompt(this.state) && ASSISTANT.test(line.skimmed) ? { ...entry, class: "early" } : entry;
  }

  #record(line: JsonLine): NativeRecord {
    if (line.memo !== null) return line.memo as NativeRecord;
    const record =
      line.skimmed === null
        ? nativeRecord(line.value ?? {}, line.line, line.terminated)
        : skippedRecord(line.skimmed, line.line);
    line.memo = record;
    return record;
  }

  #ahead(k: number): NativeRecord | null {
    const line = this.lines.peek(k);
    // A torn last line counts as the end: the agent may still be writing it.
    if (line === null || (line.value === null && !line.terminated)) return null;
    return this.#record(line);
  }

  #entry(line: JsonLine, record: NativeRecord): Entry {
    const state = this.state;
    const full = this.ctx.detail === "full";
    const detailed = this.ctx.detail === "full" || this.ctx.detail === "lean";
    const ctx: ClassifyContext = {
      record,
      state,
      full,
      detailed,
      templates: this.#templates,
      ahead: (k) => this.#ahead(k),
    };
    const wanted = this.ctx.identities === true || this.ctx.inherited !== undefined;
    // The oldest formats never echo prompts. A state marker alone does not show that the file has such a format.
    if (record.type === "response_item" || record.type === "event_msg") state.bare = record.bare;
    let identity = wanted || record.type === "session_meta" ? identityOf(record) : undefined;

    const copy = inheritanceRule(record, state, this.ctx.inherited, identity);
    const own =
      record.type === "session_meta" && (state.header === null || wordOf(record.payload.id) === state.sessionId);
    const unnamed = state.header === null && AFTER_HEADER.has(record.type) ? [missingHeader(state)] : [];
    const found = copy !== null && !own ? inheritedVerdict(ctx, copy) : ownedVerdict(judge(ctx), record, state);
    if (found.class === "trigger") {
      identity ??= identityOf(record);
      state.inheriting = false;
    }
    if (record.type === "session_meta" && found.class === "session") identity = state.sessionId;
    noteDrift(this.counter, record, state.version, found.class === "unknown", full);

    const entry: Entry = {
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      class: isEarly(found, state) ? "early" : found.class,
      reason: found.reason,
      native: nativePath(record),
      time: record.time,
      position: record.ordinal ?? line.line,
      records: unnamed.length === 0 ? found.records : [...unnamed, ...found.records],
      tentative: found.tentative === true || !line.terminated,
    };
    const turnId = turnOf(record, state);
    if (turnId !== null) entry.turnId = turnId;
    if (identity !== undefined) entry.identity = identity;
    if (found.texts !== undefined) entry.texts = found.texts;
    return entry;
  }
}

/** Whether the running task has not received its prompt yet. */
function awaitsPrompt({ turn }: ReaderState): boolean {
  return turn !== null && turn.prompts === 0 && !turn.silent;
}

const COMPACTS = /^codex\.(?:usage|compact)/;
const ASSISTANT = /\/message\/assistant$/;

/** Compactions in a task before its prompt, and their usage, are caused by that prompt. */
function isEarly(found: Verdict, state: ReaderState): boolean {
  return found.class === "reaction" && awaitsPrompt(state) && COMPACTS.test(found.reason);
}

/** Types that are always preceded by a header in a complete file. */
const AFTER_HEADER: ReadonlySet<string> = new Set(["response_item", "event_msg", "turn_context", "compacted"]);

const CERTAIN: ReadonlySet<string> = new Set([
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
  "task_complete",
  "turn_aborted",
]);

/** Kinds whose class no later line can change. */
function isCertain(record: NativeRecord, state: ReaderState): boolean {
  // In files without tasks a token count may belong to a compaction before the next prompt.
  if (record.kind === "token_count") return state.lifecycle;
  if (CERTAIN.has(record.kind)) return true;
  if (record.kind === "message") return record.payload.role === "assistant" || record.payload.role === "developer";
  return record.type === "turn_context" || record.type === "token_usage_record";
}

function usageRecord(ctx: ClassifyContext): Verdict {
  const { record, state, detailed } = ctx;
  noteAnswer(ctx);
  noteResponse(state, record.time);
  const usage = usageOfRecord(record.payload, state);
  const total = detailed && isFields(record.payload.thread_token_usage) ? totalOf(state) : null;
  return reaction("codex.usage.counted", usage, ...(total === null ? [] : [total]));
}

/** The rules, by top-level type. */
function judge(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  switch (record.type) {
    case "session_meta":
      return sessionMeta(ctx);
    case "turn_context":
      if (state.last === "m") state.last = "r";
      return withInstructions(
        ctx,
        setup("codex.turn_context", settingsBody(record.payload, nativeTurnId(record), state)),
        () => statedInstructions(ctx),
      );
    case "response_item":
      return responseItem(ctx);
    case "event_msg":
      return event(ctx);
    case "compacted":
      return compacted(ctx);
    case "token_usage_record":
      return usageRecord(ctx);
    case "world_state":
      return setup("codex.world_state");
    case "inter_agent_communication":
      return mail(ctx);
    case "inter_agent_communication_metadata":
      return reaction("codex.agent_mail.metadata");
    case "retained_context":
      return reaction("codex.retained_context");
    case "security_risk_score":
      return reaction("codex.risk_score");
    case "record_type/state":
      return setup("codex.state_marker");
    default:
      return unknownType(nativePath(record));
  }
}
