import type { ContextBody, RecordBody, UserBody } from "../../format/record.ts";
import { link, linksInNotification } from "./children.ts";
import { contentOf, echoOf, matchesEcho, type Content, type Echo } from "./content.ts";
import { environmentBody } from "./context.ts";
import { fieldsOf, isFields, listOf, wordOf } from "./fields.ts";
import { noteGoalMessage } from "./goals.ts";
import { injectedInstructions } from "./instructions.ts";
import { fragmentOf, withoutEnvelopes, type FragmentKind } from "./markers.ts";
import { nativePath, nativeTurnId, type NativeRecord } from "./native.ts";
import { DELEGATED_REASONS, GENERATED_REASONS, type Evidence, type PromptReason, type Reason } from "./reasons.ts";
import { withInstructions, unknownType, verdict, type ClassifyContext, type Verdict } from "./verdict.ts";
import { answerToPlan, isCarryOut } from "./plans.ts";
import { shellFromTranscript } from "./shell.ts";
import { expandedBody, expansionText } from "../kit/expansion.ts";
import { isProbe } from "../kit/probe.ts";
import { answersIn, hasClientContext, kindOfPrompt, typedText } from "./typed.ts";
import { unattendedPrompt } from "./unattended.ts";

/**
 * Decides who wrote a user-role response item. Evidence from strong to weak: the provenance stated by the agent (0.166
 * and later), the echo on the very next line (Codex echoes only what a user sent), then the shape of the text.
 */
export function userMessage(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const content = contentOf(record.payload.content);
  const next = state.bare ? null : ctx.ahead(0);
  // At the end of a growing file the echo may still follow and change the verdict.
  const open = next === null && !state.bare;
  const echo = echoOf(next);
  const foreign = echo !== null && echo.threadId !== null && isForwarded(ctx, echo);
  const paired = echo !== null && !foreign && matchesEcho(content, echo);
  const authors = provenance(record);
  for (const text of content.texts) noteGoalMessage(ctx, text);

  if (authors !== null && !authors.some((author) => author === "user")) {
    return generatedMessage(ctx, content, "provenance") ?? setupOf(ctx, content, "codex.provenance.generated");
  }
  if (paired && echo.generated) {
    const machine = generatedMessage(ctx, content, "echo");
    if (machine !== null) return machine;
  }
  if (paired || authors !== null) {
    if (paired) state.echoLine = record.line + 1;
    const mine = authors === null ? content : userItems(content, authors);
    const text = paired && content.texts.length > 1 && authors === null ? echo.text : mine.texts.join("\n");
    const reason = authors === null ? "codex.response_item.echoed" : "codex.response_item.provenance_user";
    const media = Math.max(content.media, paired ? echo.media : 0);
    return humanPrompt(ctx, { text, media, fromClient: echo?.fromClient === true }, reason, open);
  }
  const machine = generatedMessage(ctx, content, "marker");
  if (machine !== null) return { ...machine, tentative: open };
  const joined = content.texts.join("\n");
  const rest = withoutEnvelopes(joined);
  if (rest !== joined && rest.trim() !== "") {
    return humanPrompt(
      ctx,
      { text: rest.trim(), media: content.media, fromClient: false },
      "codex.response_item.unwrapped",
      open,
    );
  }
  return humanPrompt(
    ctx,
    { text: joined, media: content.media, fromClient: false },
    state.bare ? "codex.response_item.bare" : "codex.response_item.unechoed",
    open,
  );
}

/** An echo record: it repeats the response item before it, or is the prompt itself if there is no such item. */
export function userEcho(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const echo = echoOf(record);
  if (echo === null) return unknownType(nativePath(record));
  if (state.echoLine === record.line) return verdict("echo", "codex.user_message.echo");
  if (echo.generated) {
    const content: Content = { texts: [echo.text], places: [0], media: 0 };
    const machine = generatedMessage(ctx, content, "echo");
    if (machine !== null) return machine;
  }
  if (isForwarded(ctx, echo)) return verdict("reaction", "codex.review.prompt", forwardedLink(ctx, echo));
  return humanPrompt(ctx, echo, "codex.user_message.only_event", false);
}

/** Whether the echo was forwarded from a reviewer while a review runs: Codex wrote that prompt, not the human. */
function isForwarded({ state }: ClassifyContext, echo: Echo): boolean {
  return state.review && (echo.threadId === null || echo.threadId !== state.sessionId);
}

function forwardedLink({ state }: ClassifyContext, echo: Echo): RecordBody[] {
  return echo.threadId === null ? [] : link(state, { child: echo.threadId, phase: "spawned", relation: "review" });
}

/**
 * The author of each content item as stated by the agent: its provenance type, else the kind of the item; null if
 * unknown.
 */
function provenance(record: NativeRecord): string[] | null {
  const passthrough = fieldsOf(record.payload.internal_chat_message_metadata_passthrough);
  const types = listOf(passthrough.content_item_metadata).map((item) => {
    const source = fieldsOf(item).provenance;
    return isFields(source) ? (wordOf(source.type) ?? "unknown") : "unknown";
  });
  if (types.some((type) => type !== "unknown")) return types;
  const kinds = listOf(passthrough.content_item_kinds).map((kind) => wordOf(kind) ?? "unknown");
  if (kinds.every((kind) => kind === "unknown")) return null;
  return kinds.map((kind) => (kind.startsWith("user.") ? "user" : kind));
}

/** The items that the human wrote, in a message that also contains generated ones. */
function userItems(content: Content, authors: readonly string[]): Content {
  const typed = content.places.map((place) => (authors[place] ?? "user") === "user");
  return { ...content, texts: content.texts.filter((_, i) => typed[i] === true) };
}

/**
 * Whether a human wrote the prompt. In the thread of a sub-agent most prompts are messages of its parent, written like
 * those of a human. Others are told by the task, which a client started; by an id or a context that only clients give;
 * or by the messages of other agents, where these have a kind of their own. The first prompt is always the parent's.
 */
function isHumans({ state }: ClassifyContext, { text, fromClient }: Prompt, reason: PromptReason): boolean {
  if (state.kind !== "subagent") return state.kind === "root";
  if (state.turn?.startedBy === "client" || fromClient) return true;
  if (state.mailed) return STATED.has(reason);
  return state.last !== "" && hasClientContext(text);
}

/** Rules by which Codex itself says that a user sent the message. */
const STATED: ReadonlySet<PromptReason> = new Set([
  "codex.response_item.provenance_user",
  "codex.response_item.echoed",
  "codex.user_message.only_event",
]);

type Prompt = Pick<Echo, "text" | "media" | "fromClient">;

/** Builds the trigger or, if an agent wrote the prompt, the delegation. */
export function humanPrompt(ctx: ClassifyContext, prompt: Prompt, reason: PromptReason, tentative: boolean): Verdict {
  const { record, state } = ctx;
  const { text: sent, media } = prompt;
  const human = isHumans(ctx, prompt, reason);
  const turnId = nativeTurnId(record) ?? state.turn?.id ?? null;
  const isFirst = state.last === "";
  const machine = human ? unattendedPrompt(sent, isFirst) : null;
  const running = state.turn !== null && state.turn.prompts > 0 && (turnId === null || turnId === state.turn.id);
  if (state.turn) {
    state.turn.prompts++;
    // What follows in the running task is the answer to this prompt, also if a goal began the task.
    if (state.turn.id !== null) delete state.owners[state.turn.id];
  }
  state.last = "u";
  if (!running) {
    state.spoken = [];
    state.echoed = [];
  }
  const answers = answersIn(sent);
  const text = answers ?? typedText(sent);
  const body: UserBody = { type: "user", author: human ? "human" : "agent", text };
  if (turnId !== null) body.native_turn_id = turnId;
  if (media > 0) body.attachments = media;
  if (state.turn) body.ends_stated = true;
  if (!human) return verdict("reaction", DELEGATED_REASONS[reason], [body], tentative);
  if (machine !== null && machine.kind !== "schedule") {
    const author = machine.kind === "agent" ? "agent" : "source";
    return verdict("reaction", machine.reason, [{ ...body, author }], tentative);
  }
  const expansion = ctx.templates.expansion(text);
  if (expansion) body.text = expansionText(expansion);
  body.kind = answers !== null ? "answer" : expansion && !running ? "command" : kindOfPrompt(text, running);
  const onPlan = answerToPlan(ctx, text, turnId);
  if (onPlan !== null) body.plan_answer = onPlan;
  if (onPlan === "approved" && isCarryOut(text)) body.kind = "command";
  const probe = isFirst && (state.entry === "headless" || state.entry === "sdk") && isProbe(text);
  body.entry = machine || probe ? "automated" : state.entry;
  const records = expansion ? [body, expandedBody(text, ctx.full)] : [body];
  const automated = machine?.reason ?? (probe ? "codex.automation.probe" : null);
  return verdict("trigger", automated ?? reason, records, tentative);
}

/** Kinds of generated text that belong to the running turn; all others are setup for the next one. */
const REACTIONS: ReadonlySet<FragmentKind> = new Set(["aborted", "review_exit", "hook", "warning", "summary"]);

/** The verdict on a message that Codex generated; null if no part of it is known to be generated. */
export function generatedMessage(ctx: ClassifyContext, content: Content, evidence: Evidence): Verdict | null {
  const kinds = content.texts.map((text) => fragmentOf(text));
  const kind = kinds.find((found) => found !== null);
  if (kind === undefined || kind === null) return null;
  const text = content.texts[kinds.indexOf(kind)] ?? "";
  if (kind === "shell") return shellFromTranscript(ctx, text);
  if (kind === "notification") {
    return verdict("reaction", GENERATED_REASONS[evidence].notification, linksInNotification(ctx.state, text));
  }
  if (REACTIONS.has(kind)) return verdict("reaction", GENERATED_REASONS[evidence][kind]);
  return setupOf(ctx, content, GENERATED_REASONS[evidence][kind]);
}

function setupOf(ctx: ClassifyContext, content: Content, reason: Reason): Verdict {
  const records: ContextBody[] = [];
  for (const text of content.texts) {
    const environment = fragmentOf(text) === "environment" ? environmentBody(text, ctx.state) : null;
    if (environment !== null) records.push(environment);
  }
  return withInstructions(ctx, verdict("setup", reason, records), () => injectedInstructions(content.texts));
}
