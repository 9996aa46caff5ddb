import { quickHash } from "../../io/hash.ts";
import { contentOf, plainText } from "./content.ts";
import { fieldsOf, listOf, stringOf, wordOf } from "./fields.ts";
import type { NativeRecord } from "./native.ts";
import { reaction, verdict, type ClassifyContext, type Verdict } from "./verdict.ts";
import { pushRecent, removeOne } from "./state.ts";

/**
 * Most files hold the model's messages and reasoning twice: as a response item and as an event for the client, in
 * either order and, in old versions, some lines apart. Each is reported once, from the response item if there is one.
 */
export type Speech = "said" | "thought";

const COPIED = {
  said: {
    empty: "codex.agent_message.empty",
    echo: "codex.agent_message.echo",
    only: "codex.agent_message.only_event",
  },
  thought: { empty: "codex.reasoning.empty", echo: "codex.reasoning.echo", only: "codex.reasoning.only_event" },
} as const;

const SPOKEN = {
  said: { empty: "codex.assistant.empty", byEvent: "codex.assistant.told_by_event", byItem: "codex.assistant" },
  thought: { empty: "codex.reasoning.empty", byEvent: "codex.reasoning.told_by_event", byItem: "codex.reasoning" },
} as const;

/** More lines than were ever observed between an event and its response item. */
const REACH = 12;

function mark(speech: Speech, text: string): string {
  return speech.charAt(0) + quickHash(text);
}

/** The texts of a response item, one of which an event repeats (each summary part has its own event). */
function partsOf(record: NativeRecord, speech: Speech): string[] | null {
  if (record.type !== "response_item") return null;
  const { payload } = record;
  if (speech === "said") {
    if (record.kind !== "message" || payload.role !== "assistant") return null;
    return [assistantText(record)];
  }
  return record.kind === "reasoning" ? [reasoningText(record), ...reasoningParts(record)] : null;
}

/** The message that Codex writes at the end of a session imported from another agent. */
const IMPORTED = "<EXTERNAL SESSION IMPORTED>";

export function endsImport(record: NativeRecord): boolean {
  if (record.kind === "agent_message" || record.itemType === "AgentMessage") return copiedText(record) === IMPORTED;
  return record.payload.role === "assistant" && assistantText(record) === IMPORTED;
}

export function assistantText(record: NativeRecord): string {
  return contentOf(record.payload.content).texts.join("");
}

function reasoningParts({ payload }: NativeRecord): string[] {
  return [...listOf(payload.summary), ...listOf(payload.content)].flatMap((part) => wordOf(fieldsOf(part).text) ?? []);
}

export function reasoningText(record: NativeRecord): string {
  return reasoningParts(record).join("\n\n");
}

/** The text of the client's copy: `agent_message`, `agent_reasoning`, or an item of these kinds. */
export function copiedText(record: NativeRecord): string {
  if (record.itemType === "AgentMessage") return plainText(record.item.content);
  if (record.itemType === "Reasoning") {
    return [...listOf(record.item.summary_text), ...listOf(record.item.raw_content)]
      .flatMap((part) => wordOf(part) ?? wordOf(fieldsOf(part).text) ?? [])
      .join("\n\n");
  }
  return stringOf(record.payload.message) ?? stringOf(record.payload.text) ?? "";
}

/** Classifies the client's copy: an echo if a response item holds the text, else the only record of it. */
export function speechEvent(ctx: ClassifyContext, speech: Speech): Verdict {
  const { state, record } = ctx;
  const text = copiedText(record);
  state.imported = text === IMPORTED;
  const rules = COPIED[speech];
  if (text === "") return reaction(rules.empty);
  const key = mark(speech, text);
  if (removeOne(state.spoken, key)) return reaction(rules.echo);
  const found = itemAhead(ctx, speech, text);
  if (found === "yes") {
    pushRecent(state.echoed, key);
    return reaction(rules.echo);
  }
  pushRecent(state.echoed, `!${key}`);
  if (speech === "said" && state.turn) state.turn.text = true;
  return verdict("reaction", rules.only, [speechBody(ctx, speech, text, null)], found === "unknown");
}

function itemAhead(ctx: ClassifyContext, speech: Speech, text: string): "yes" | "no" | "unknown" {
  for (let k = 0; k < REACH; k++) {
    const next = ctx.ahead(k);
    if (next === null) return "unknown";
    if (partsOf(next, speech)?.includes(text) === true) return "yes";
    // All messages of a turn are written before the next prompt.
    if (next.kind === "task_started" || next.kind === "user_message" || next.itemType === "UserMessage") return "no";
  }
  return "no";
}

/** Classifies the response item: it reports the text, unless its event already did. */
export function speechItem(ctx: ClassifyContext, speech: Speech): Verdict {
  const { state, record } = ctx;
  const text = speech === "said" ? assistantText(record) : reasoningText(record);
  const rules = SPOKEN[speech];
  state.imported = text === IMPORTED;
  if (text === "") return reaction(rules.empty);
  let byEvent = false;
  let heralded = false;
  const parts = speech === "said" ? [text] : [text, ...reasoningParts(record)];
  for (const part of new Set(parts)) {
    const key = mark(speech, part);
    byEvent = removeOne(state.echoed, `!${key}`) || byEvent;
    heralded = removeOne(state.echoed, key) || heralded;
  }
  if (speech === "said" && state.turn) state.turn.text = true;
  if (byEvent) return reaction(rules.byEvent);
  if (!heralded) for (const part of new Set(parts)) pushRecent(state.spoken, mark(speech, part));
  return reaction(rules.byItem, speechBody(ctx, speech, text, wordOf(record.payload.id)));
}

type SpeechBody = Extract<Verdict["records"][number], { type: "assistant_finished" | "reasoning_finished" }>;

function speechBody({ state, full }: ClassifyContext, speech: Speech, text: string, id: string | null): SpeechBody {
  if (speech === "thought") return { type: "reasoning_finished", text: full ? text : "" };
  return { type: "assistant_finished", message_id: id, model: state.model, text: full ? text : "" };
}
