import type { AssistantFinishedBody, CompactedBody, RecordBody, ReviewFinding } from "../../format/record.ts";
import { echoOf } from "./content.ts";
import { fieldsOf, isFields, listOf, numberOf, stringOf, wordOf, type Fields } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import { humanAction } from "./human-action.ts";
import { isTurnEnd, type NativeRecord } from "./native.ts";
import { retainedIn } from "./retained.ts";
import { assistantText } from "./speech.ts";
import type { ReaderState } from "./state.ts";
import { LOOKAHEAD, reaction, verdict, type ClassifyContext, type Verdict } from "./verdict.ts";

export function isCompaction(record: NativeRecord): boolean {
  return record.type === "compacted" || record.kind === "context_compacted" || record.itemType === "ContextCompaction";
}

function isWork(record: NativeRecord): boolean {
  return record.type === "response_item" && /_call$|^reasoning$/.test(record.kind);
}

function isUser(record: NativeRecord): boolean {
  return echoOf(record) !== null || (record.type === "response_item" && record.payload.role === "user");
}

/**
 * Whether the task consists of nothing but a compaction, with no user message before its end: then the human typed
 * `/compact`. An automatic compaction happens inside a task with a prompt, or before the prompt of the next task.
 */
export function compactsOnly(ctx: ClassifyContext): "yes" | "no" | "unknown" {
  let compacted = false;
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (isCompaction(next)) compacted = true;
    else if (isTurnEnd(next)) return compacted ? "yes" : "no";
    else if (isUser(next) || isWork(next) || next.kind === "task_started") return "no";
    else if (next.itemType === "CommandExecution") return "no";
  }
  return "no";
}

/**
 * A prompt that waited for an automatic compaction is written right after it (0.80, 0.99: 2 ms); nobody types that
 * fast.
 */
const AT_ONCE_MS = 100;

function atOnce(before: NativeRecord, after: NativeRecord): boolean {
  return after.time !== null && before.time !== null && after.time - before.time < AT_ONCE_MS;
}

/**
 * The cause of a compaction: the human typed it, a prompt had to wait for it, or the agent needed it to go on working.
 */
type CompactionCause = "typed" | "waited" | "working" | "unknown";

/**
 * The cause of a compaction in files without lifecycle events (up to 0.99). After an automatic compaction the agent's
 * next item, or the prompt that exceeded the context, follows immediately. `/compact` is typed between turns: it
 * follows an answer, and the next prompt comes later or not at all. `from`: index of the first record after the
 * compaction.
 */
function compactionCause(ctx: ClassifyContext, compaction: NativeRecord, from: number): CompactionCause {
  if (isWorking(ctx.state)) return "working";
  for (let k = from; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (next.kind === "agent_message" && next.payload.message === "Compact task completed") continue;
    if (echoOf(next) !== null) return atOnce(compaction, next) ? "waited" : "typed";
    if (isTurnEnd(next)) return "typed";
    if (next.type !== "response_item") {
      if (next.kind === "agent_message" || next.kind === "agent_reasoning") return "working";
      continue;
    }
    if (isWork(next) || next.payload.role === "assistant") return "working";
    if (next.payload.role === "user") {
      const text = stringOf(fieldsOf(listOf(next.payload.content)[0]).text) ?? "";
      if (fragmentOf(text) === null) return atOnce(compaction, next) ? "waited" : "typed";
    }
  }
  return "working";
}

/** Whether a prompt was not answered yet. */
function isWorking({ last }: ReaderState): boolean {
  return last === "u" || last === "w";
}

/**
 * Whether this token count belongs to a compaction between two turns, which follows it: then it is spent by `/compact`
 * or by the prompt that waited, and not by the turn before, which may have ended hours ago. The request for the summary
 * begins with a `turn_context`; in a file without it, only what is written together belongs together.
 */
export function countsForCompaction(ctx: ClassifyContext): { early: boolean; tentative: boolean } {
  const { record, state } = ctx;
  const no = { early: false, tentative: false };
  if (state.lifecycle || isWorking(state) || state.kind !== "root") return no;
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return { early: false, tentative: true };
    if (next.type === "compacted") {
      if (state.last !== "r" && !atOnce(record, next)) return no;
      const cause = compactionCause(ctx, next, k + 1);
      return { early: cause === "waited" || isTyped(cause, state), tentative: cause === "unknown" };
    }
    if (next.kind !== "token_count") return no;
  }
  return no;
}

/** `exec` has no slash commands. */
function isTyped(cause: CompactionCause, { entry }: ReaderState): boolean {
  return (cause === "typed" || cause === "unknown") && entry !== "headless";
}

/**
 * Whether this message of the model is the summary that the `compacted` record after it repeats, below a preface. Only
 * 0.166 and later mark such messages.
 */
export function isSummary(ctx: ClassifyContext): boolean {
  const text = assistantText(ctx.record);
  for (let k = 0; k < 4; k++) {
    const next = ctx.ahead(k);
    if (next?.type === "compacted") return text !== "" && (stringOf(next.payload.message)?.endsWith(text) ?? false);
    if (next?.kind !== "token_count" && next?.type !== "token_usage_record") return false;
  }
  return false;
}

export function compacted(ctx: ClassifyContext): Verdict {
  const { record, state, full } = ctx;
  const body: CompactedBody = { type: "compacted", trigger: "unknown" };
  const summary = wordOf(record.payload.message);
  if (summary !== null && full) body.summary = summary;
  const { messages, snapshots } = retainedIn(record.payload.replacement_history, state);
  if (messages.length > 0 && full) body.retained = messages;
  const records: RecordBody[] = [body, ...(ctx.detailed ? snapshots : [])];
  state.compacted = "stated";
  if (state.turn) {
    if (state.turn.prompts > 0) state.turn.output = true;
    body.trigger = state.turn.compact ? "manual" : "auto";
    return reaction("codex.compacted", ...records);
  }
  if (state.lifecycle || state.kind !== "root") return reaction("codex.compacted", ...records);
  const cause = compactionCause(ctx, record, 0);
  const typed = isTyped(cause, state);
  body.trigger = typed ? "manual" : "auto";
  const tentative = cause === "unknown";
  if (cause === "waited") {
    state.compacted = "early";
    return verdict("early", "codex.compacted.before_prompt", records);
  }
  if (!typed) return verdict("reaction", "codex.compacted.auto", records, tentative);
  const trigger = humanAction(ctx, "/compact", "command", "codex.compaction.typed_between_turns");
  // The record is written when the compaction is done, and nothing else says so.
  const done: AssistantFinishedBody = { type: "assistant_finished", text: "", turn_ended: true };
  return { ...trigger, records: [...trigger.records, ...records, done], tentative };
}

/**
 * The client's marker of a compaction. The `compacted` record is before or right after it; without such a record the
 * marker is the only evidence. Some versions write it in two forms.
 */
export function compactionMarker(ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  if (state.turn && state.turn.prompts > 0) state.turn.output = true;
  if (state.compacted !== "")
    return verdict(state.compacted === "early" ? "early" : "reaction", "codex.compacted.marker");
  const follows = recordFollows(ctx);
  if (follows === "yes") return reaction("codex.compacted.marker_first");
  const trigger = state.turn === null ? "unknown" : state.turn.compact ? "manual" : "auto";
  state.compacted = "stated";
  return verdict("reaction", "codex.compacted.only_event", [{ type: "compacted", trigger }], follows === "unknown");
}

function recordFollows(ctx: ClassifyContext): "yes" | "no" | "unknown" {
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (next.type === "compacted") return "yes";
    if (isCompaction(next) || isTurnEnd(next) || next.kind === "task_started") return "no";
    if (isUser(next) || isWork(next) || next.payload.role === "assistant") return "no";
  }
  return "no";
}

export function enteredReview(ctx: ClassifyContext, fields: Fields): Verdict {
  const { state } = ctx;
  state.review = true;
  if (state.turn) state.turn.silent = true;
  const hint = wordOf(fields.user_facing_hint);
  return humanAction(ctx, hint === null ? "/review" : `/review ${hint}`, "command", "codex.review.entered");
}

export function exitedReview(ctx: ClassifyContext, fields: Fields): Verdict {
  ctx.state.review = false;
  const output = fields.review_output;
  if (!isFields(output)) return reaction("codex.review.exited");
  const explanation = stringOf(output.overall_explanation);
  // New versions also write the review as an assistant message, which then reports the text.
  const [first, second] = [ctx.ahead(0), ctx.ahead(1)];
  const answered = [first, second].some((next) => next?.type === "response_item" && next.payload.role === "assistant");
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    text: answered || !ctx.full ? "" : (explanation ?? ""),
    review: {
      findings: listOf(output.findings).map((finding) => findingOf(fieldsOf(finding))),
      overall_correctness: stringOf(output.overall_correctness),
      overall_explanation: explanation,
      overall_confidence: numberOf(output.overall_confidence_score),
    },
  };
  if (ctx.state.turn) ctx.state.turn.output = true;
  return verdict("reaction", "codex.review.exited", [body], !answered && (first === null || second === null));
}

const PLACE = /^(.*?):(\d+)(?:-(\d+))?$/;

/** Old findings have `file`, `line`, `severity`, `message`; newer ones a code location with a range. */
function findingOf(finding: Fields): ReviewFinding {
  const place = fieldsOf(finding.code_location);
  const range = fieldsOf(place.line_range);
  const text = PLACE.exec(stringOf(finding.code_location) ?? "");
  const line = numberOf(range.start) ?? numberOf(finding.line) ?? (text ? Number(text[2]) : null);
  return {
    title: stringOf(finding.title) ?? stringOf(finding.message),
    body: stringOf(finding.body),
    priority: numberOf(finding.priority),
    severity: stringOf(finding.severity),
    confidence: numberOf(finding.confidence_score),
    path: stringOf(place.absolute_file_path) ?? stringOf(finding.file) ?? text?.[1] ?? null,
    start_line: line,
    end_line: numberOf(range.end) ?? (text?.[3] === undefined ? line : Number(text[3])),
  };
}
