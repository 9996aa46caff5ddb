import type { ContextBody, RecordBody, TriggerKind, UserBody } from "../../format/record.ts";
import { link, linksInNotification } from "./children.ts";
import { contentOf, echoOf, pairs, type Content, type Echo } from "./content.ts";
import { environmentBody } from "./context.ts";
import { fieldsOf, isFields, listOf, wordOf } from "./fields.ts";
import { injectedInstructions } from "./instructions.ts";
import { fragmentOf, withoutEnvelopes, type FragmentKind } from "./markers.ts";
import { nativePath, nativeTurnId, type NativeRecord } from "./native.ts";
import { DELEGATED, GENERATED, type Evidence, type PromptReason, type Reason } from "./reasons.ts";
import { instructed, unknown, verdict, type Scene, type Verdict } from "./scene.ts";
import { shellFromTranscript } from "./shell.ts";
import { expandedBody, expansionText } from "../kit/expansion.ts";
import { isProbe } from "../kit/probe.ts";
import { answersIn, kindOfPrompt, typedText } from "./typed.ts";
import { unattended } from "./unattended.ts";

/**
 * Decides who wrote a user-role response item. Evidence from strong to weak: provenance written by the agent (0.166 and
 * later), the echo on the very next line (Codex echoes only what a user sent), then the shape of the text.
 */
export function userMessage(scene: Scene): Verdict {
  const { record, state } = scene;
  const content = contentOf(record.payload.content);
  const next = state.bare ? null : scene.ahead(0);
  // At the end of a growing file the echo may still come, and with it another verdict.
  const open = next === null && !state.bare;
  const echo = echoOf(next);
  const foreign = echo !== null && echo.threadId !== null && isForwarded(scene, echo);
  const paired = echo !== null && !foreign && pairs(content, echo);
  const authors = provenance(record);

  if (authors !== null && !authors.some((author) => author === "user")) {
    return generated(scene, content, "provenance") ?? setupOf(scene, content, "codex.provenance.generated");
  }
  if (paired && echo.generated) {
    const machine = generated(scene, content, "echo");
    if (machine !== null) return machine;
  }
  if (paired || authors !== null) {
    if (paired) state.echoLine = record.line + 1;
    const mine = authors === null ? content : only(content, authors);
    const text = paired && content.texts.length > 1 && authors === null ? echo.text : mine.texts.join("\n");
    const reason = authors === null ? "codex.response_item.echoed" : "codex.response_item.provenance_user";
    return human(scene, text, content.media, reason, open);
  }
  const machine = generated(scene, content, "marker");
  if (machine !== null) return { ...machine, tentative: open };
  const joined = content.texts.join("\n");
  const rest = withoutEnvelopes(joined);
  if (rest !== joined && rest.trim() !== "") {
    return human(scene, rest.trim(), content.media, "codex.response_item.unwrapped", open);
  }
  return human(
    scene,
    joined,
    content.media,
    state.bare ? "codex.response_item.bare" : "codex.response_item.unechoed",
    open,
  );
}

/** An echo record: the second half of a pair, or a prompt of its own when no response item carries it. */
export function userEcho(scene: Scene): Verdict {
  const { record, state } = scene;
  const echo = echoOf(record);
  if (echo === null) return unknown(nativePath(record));
  if (state.echoLine === record.line) return verdict("echo", "codex.user_message.echo");
  if (echo.generated) {
    const content: Content = { texts: [echo.text], places: [0], media: 0 };
    const machine = generated(scene, content, "echo");
    if (machine !== null) return machine;
  }
  if (isForwarded(scene, echo)) return verdict("reaction", "codex.review.prompt", forwardedLink(scene, echo));
  return human(scene, echo.text, echo.media, "codex.user_message.only_event", false);
}

/** While a review runs, the reviewer's records are forwarded: its prompt is Codex's own, not the human's. */
function isForwarded({ state }: Scene, echo: Echo): boolean {
  return state.review && (echo.threadId === null || echo.threadId !== state.sessionId);
}

function forwardedLink({ state }: Scene, echo: Echo): RecordBody[] {
  return echo.threadId === null ? [] : link(state, { child: echo.threadId, phase: "spawned", relation: "review" });
}

/** Authorship the agent wrote down for each content item: by provenance type, else by the kind of the item. */
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

/** The items the human wrote, of a message that also holds generated ones. */
function only(content: Content, authors: readonly string[]): Content {
  const typed = content.places.map((place) => (authors[place] ?? "user") === "user");
  return { ...content, texts: content.texts.filter((_, i) => typed[i] === true) };
}

/** Builds the trigger, or, in a session no human drives, the delegation prompt of an agent. */
export function human(scene: Scene, sent: string, media: number, reason: PromptReason, tentative: boolean): Verdict {
  const { record, state } = scene;
  const turnId = nativeTurnId(record) ?? state.turn?.id ?? null;
  const isFirst = state.last === "";
  const machine = state.kind === "root" ? unattended(sent, isFirst) : null;
  const running = state.turn !== null && state.turn.prompts > 0 && (turnId === null || turnId === state.turn.id);
  if (state.turn) state.turn.prompts++;
  state.last = "u";
  if (!running) {
    state.spoken = [];
    state.echoed = [];
  }
  const answers = answersIn(sent);
  const text = answers ?? typedText(sent);
  const body: UserBody = { type: "user", author: state.kind === "root" ? "human" : "agent", text };
  if (turnId !== null) body.native_turn_id = turnId;
  if (media > 0) body.attachments = media;
  if (state.turn) body.ends_stated = true;
  if (state.kind !== "root") return verdict("reaction", DELEGATED[reason], [body], tentative);
  if (machine !== null && machine.kind !== "schedule") {
    const author = machine.kind === "agent" ? "agent" : "source";
    return verdict("reaction", machine.reason, [{ ...body, author }], tentative);
  }
  const expansion = scene.templates.expansion(text);
  if (expansion) body.text = expansionText(expansion);
  body.kind = answers !== null ? "answer" : expansion && !running ? "command" : kindOfPrompt(text, running);
  const probe = isFirst && (state.entry === "headless" || state.entry === "sdk") && isProbe(text);
  body.entry = machine || probe ? "automated" : state.entry;
  const records = expansion ? [body, expandedBody(text, scene.full)] : [body];
  const automated = machine?.reason ?? (probe ? "codex.automation.probe" : null);
  return verdict("trigger", automated ?? reason, records, tentative);
}

/** A human action without a prompt of its own: `/review`, `/compact`. */
export function action(scene: Scene, text: string, kind: TriggerKind, reason: Reason): Verdict {
  const { state, record } = scene;
  const root = state.kind === "root";
  const body: UserBody = { type: "user", author: root ? "human" : "agent", text };
  const turnId = nativeTurnId(record);
  if (turnId !== null) body.native_turn_id = turnId;
  if (state.turn) body.ends_stated = true;
  if (root) {
    body.kind = kind;
    body.entry = state.entry;
  }
  return verdict(root ? "trigger" : "reaction", reason, [body]);
}

/** Fragments that answer to the running turn; all other generated texts prepare the next one. */
const REACTIONS: ReadonlySet<FragmentKind> = new Set(["aborted", "review_exit", "hook", "warning", "summary"]);

/** The verdict on a message Codex made itself; null when no part of it is known to be generated. */
export function generated(scene: Scene, content: Content, evidence: Evidence): Verdict | null {
  const kinds = content.texts.map((text) => fragmentOf(text));
  const kind = kinds.find((found) => found !== null);
  if (kind === undefined || kind === null) return null;
  const text = content.texts[kinds.indexOf(kind)] ?? "";
  if (kind === "shell") return shellFromTranscript(scene, text);
  if (kind === "notification") {
    return verdict("reaction", GENERATED[evidence].notification, linksInNotification(scene.state, text));
  }
  if (REACTIONS.has(kind)) return verdict("reaction", GENERATED[evidence][kind]);
  return setupOf(scene, content, GENERATED[evidence][kind]);
}

function setupOf(scene: Scene, content: Content, reason: Reason): Verdict {
  const records: ContextBody[] = [];
  for (const text of content.texts) {
    const environment = fragmentOf(text) === "environment" ? environmentBody(text, scene.state) : null;
    if (environment !== null) records.push(environment);
  }
  return instructed(scene, verdict("setup", reason, records), () => injectedInstructions(content.texts));
}
