import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { problemEntry, skimmedEntry, type JsonLine, type Lines } from "../kit/json-lines.ts";
import { LineReading } from "../kit/line-reading.ts";
import { restored } from "../kit/state.ts";
import type { Templates } from "../kit/templates.ts";
import { compacted } from "./actions.ts";
import { settingsBody } from "./context.ts";
import { openLines } from "./document.ts";
import { noteDrift } from "./drift.ts";
import { event } from "./events.ts";
import { isFields, wordOf } from "./fields.ts";
import { sessionIdFromPath } from "./header.ts";
import { identityOf, inherited, inheritedBy } from "./inherit.ts";
import { statedInstructions } from "./instructions.ts";
import { nativePath, nativeRecord, nativeTurnId, type NativeRecord } from "./native.ts";
import { mail, responseItem } from "./responses.ts";
import { answered, instructed, LOOKAHEAD, reaction, setup, unknown, type Scene, type Verdict } from "./scene.ts";
import { headerless, sessionMeta } from "./session.ts";
import { foldedRecord, passFolded } from "./skim.ts";
import { initialState, type ReaderState } from "./state.ts";
import { templatesFor } from "./templates.ts";
import { totalOf, usageOfRecord } from "./usage.ts";

export function readRollout(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new RolloutReading(ref, cursor, ctx);
}

/** One pass over a rollout. Verdicts that need later lines peek at them. */
class RolloutReading extends LineReading<JsonLine, ReaderState, Lines> {
  readonly #templates: Templates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restored(initialState(sessionIdFromPath(ref.path), ctx.inherited !== undefined), cursor);
    super(ctx, openLines(ref, cursor, ctx), state);
    this.#templates = templatesFor(ref.path);
  }

  /** A verdict comes with its effects: where lines not yet written may change it, the state before it is kept. */
  protected override entryOf(line: JsonLine, before: LineStartCursor): Entry {
    const mark = this.#mayTurn(line) ? this.cursorAt(before) : null;
    const entry = this.#judged(line);
    if (entry.tentative && mark !== null) this.holdAt(mark);
    return entry;
  }

  #mayTurn(line: JsonLine): boolean {
    // Exactly what verdicts look at: a line that is being written does not count for them either.
    if (this.isHeld || this.#ahead(LOOKAHEAD - 1) !== null) return false;
    return !(line.terminated && line.skimmed === null && isCertain(this.#record(line), this.state));
  }

  #judged(line: JsonLine): Entry {
    if (line.value !== null) return this.#entry(line, this.#record(line));
    if (line.skimmed === null) return problemEntry(line, "codex");
    passFolded(line.skimmed, this.state);
    const entry = skimmedEntry(line, "codex");
    return awaitsPrompt(this.state) && ASSISTANT.test(line.skimmed) ? { ...entry, class: "early" } : entry;
  }

  #record(line: JsonLine): NativeRecord {
    if (line.memo !== null) return line.memo as NativeRecord;
    const record =
      line.skimmed === null
        ? nativeRecord(line.value ?? {}, line.line, line.terminated)
        : foldedRecord(line.skimmed, line.line);
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
    const scene: Scene = { record, state, full, detailed, templates: this.#templates, ahead: (k) => this.#ahead(k) };
    const wanted = this.ctx.identities === true || this.ctx.inherited !== undefined;
    // The oldest formats never echo prompts; a state marker alone does not make a file one of them.
    if (record.type === "response_item" || record.type === "event_msg") state.bare = record.bare;
    let identity = wanted || record.type === "session_meta" ? identityOf(record) : undefined;

    const copy = inheritedBy(record, state, this.ctx.inherited, identity);
    const own =
      record.type === "session_meta" && (state.header === null || wordOf(record.payload.id) === state.sessionId);
    const unnamed = state.header === null && NAMELESS.has(record.type) ? [headerless(state)] : [];
    const found = copy !== null && !own ? inherited(scene, copy) : judge(scene);
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
    const turnId = nativeTurnId(record);
    if (turnId !== null) entry.turnId = turnId;
    if (identity !== undefined) entry.identity = identity;
    if (found.texts !== undefined) entry.texts = found.texts;
    return entry;
  }
}

/** A task runs whose prompt is still to come. */
function awaitsPrompt({ turn }: ReaderState): boolean {
  return turn !== null && turn.prompts === 0 && !turn.silent;
}

const COMPACTS = /^codex\.(?:usage|compact)/;
const ASSISTANT = /\/message\/assistant$/;

/** Before its prompt a task only compacts, and pays for it: because of the prompt. */
function isEarly(found: Verdict, state: ReaderState): boolean {
  return found.class === "reaction" && awaitsPrompt(state) && COMPACTS.test(found.reason);
}

/** What no file begins with: its header stands before it. */
const NAMELESS: ReadonlySet<string> = new Set(["response_item", "event_msg", "turn_context", "compacted"]);

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
  // Without tasks a count may be that of a compaction before a prompt.
  if (record.kind === "token_count") return state.lifecycle;
  if (CERTAIN.has(record.kind)) return true;
  if (record.kind === "message") return record.payload.role === "assistant" || record.payload.role === "developer";
  return record.type === "turn_context" || record.type === "token_usage_record";
}

function usageRecord(scene: Scene): Verdict {
  const { record, state, detailed } = scene;
  answered(scene);
  const usage = usageOfRecord(record.payload, state);
  const total = detailed && isFields(record.payload.thread_token_usage) ? totalOf(state) : null;
  return reaction("codex.usage.counted", usage, ...(total === null ? [] : [total]));
}

/** The rules, by top-level type. */
function judge(scene: Scene): Verdict {
  const { record, state } = scene;
  switch (record.type) {
    case "session_meta":
      return sessionMeta(scene);
    case "turn_context":
      return instructed(
        scene,
        setup("codex.turn_context", settingsBody(record.payload, nativeTurnId(record), state)),
        () => statedInstructions(scene),
      );
    case "response_item":
      return responseItem(scene);
    case "event_msg":
      return event(scene);
    case "compacted":
      return compacted(scene);
    case "token_usage_record":
      return usageRecord(scene);
    case "world_state":
      return setup("codex.world_state");
    case "inter_agent_communication":
      return mail(scene);
    case "inter_agent_communication_metadata":
      return reaction("codex.agent_mail.metadata");
    case "retained_context":
      return reaction("codex.retained_context");
    case "security_risk_score":
      return reaction("codex.risk_score");
    case "record_type/state":
      return setup("codex.state_marker");
    default:
      return unknown(nativePath(record));
  }
}
