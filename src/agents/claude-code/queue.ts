import type { TriggerKind } from "../../record/record.ts";
import { digest } from "./assistant.ts";
import { generatedText, humanWords, rawText, type MarkerName } from "./markers.ts";
import { blocksOf, timeOf } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";
import { parseCommand } from "./commands.ts";

/** A prompt typed while the agent was busy and taken into the running turn: it has no `user` record of its own. */
export interface QueuedVerdict {
  trigger: boolean;
  reason: Reason;
  author: "human" | "source" | "agent";
  text: string;
  attachments: number;
  kind: TriggerKind;
}

export function judgeQueued(attachment: Native, sidechain: boolean): QueuedVerdict {
  const blocks = blocksOf({ content: attachment["prompt"] });
  const mode = str(attachment["commandMode"]);
  const origin = str(obj(attachment["origin"])?.["kind"]);
  const raw = rawText(blocks);
  type Rule = MarkerName | "sidechain" | "meta" | "other_origin" | "empty";
  const not = (rule: Rule, author: "source" | "agent" = "source"): QueuedVerdict => ({
    trigger: false,
    reason: `claude.queued.${rule}`,
    author,
    text: raw,
    attachments: 0,
    kind: "queued",
  });
  if (sidechain) return not("sidechain", "agent");
  if (mode === "task-notification") return not("task_notification");
  if (attachment["isMeta"] === true) return not("meta");
  if (origin !== null && origin !== "human") return not("other_origin", "agent");
  const words = humanWords(blocks, origin === "human");
  const generated = origin === "human" ? null : generatedText(words.text);
  if (generated) return not(generated.name, generated.author);
  if (words.text.trim() === "" && words.attachments === 0) return not("empty");
  const command = parseCommand(words.text);
  const shell = mode === "bash";
  return {
    trigger: true,
    reason: "claude.queued.absorbed",
    author: "human",
    text: command?.text ?? (shell ? `!${words.text}` : words.text),
    attachments: words.attachments,
    kind: "queued",
  };
}

/** A prompt begins that was typed into the running turn: it shares that turn's prompt id and its end. */
export function beginAbsorbed(state: ReaderState): void {
  state.triggers += 1;
  state.turn = "running";
  state.command = "none";
  state.absorbed = true;
}

/** How close in time a `user` record must be to count as the same queued prompt: people do type "go on" twice. */
const NEAR_MS = 10_000;

export function noteQueued(record: Native, attachment: Native | null, text: string, state: ReaderState): void {
  state.queued.set(digest(text), timeOf(record) ?? 0);
  const source = str(attachment?.["source_uuid"]);
  if (source !== null) state.queued.set(`uuid:${source}`, 0);
}

/** Whether the `user` record repeats a queued prompt that was already taken into a turn. */
export function repeatsQueued(record: Native, text: string, state: ReaderState): boolean {
  const uuid = str(record["uuid"]);
  if (uuid !== null && state.queued.get(`uuid:${uuid}`) !== undefined) return true;
  const at = state.queued.get(digest(text));
  const time = timeOf(record);
  return at !== undefined && time !== null && Math.abs(time - at) <= NEAR_MS;
}

/** Tracks the queue, to recognise queued prompts in versions without `promptSource`. */
export function noteQueueOperation(record: Native, state: ReaderState): void {
  const content = str(record["content"]);
  if (record["operation"] === "enqueue" && content !== null) state.enqueued.add(digest(content));
  switch (record["operation"]) {
    case "enqueue":
      state.waiting = [...state.waiting, content ?? ""].slice(-MOST_WAITING);
      if (isPassedIn(content)) state.passage = isIdle(state) ? "idle" : "busy";
      return;
    case "remove":
      state.waiting.splice(placeOf(record, state), 1);
      return;
    case "popAll":
      state.waiting = [];
      return;
    case "dequeue":
      // 2.0.64 to 2.1.23 with `-p` write no `enqueue`.
      if (state.waiting.length === 0) state.passage = "idle";
      state.waiting.shift();
      return;
    default:
  }
}

/** Whether the client puts the text into its queue for somebody else, not for itself. */
function isPassedIn(content: string | null): boolean {
  return content === null || generatedText(content) === null;
}

function isIdle({ triggers, turn }: ReaderState): boolean {
  return triggers === 0 || turn !== "running";
}

const MOST_WAITING = 32;

function placeOf(record: Native, state: ReaderState): number {
  const content = str(record["content"]);
  return Math.max(0, content === null ? 0 : state.waiting.indexOf(content));
}

/** The prompt that a `dequeue` operation takes out of the queue to start a turn; null for any other record. */
export function startedText(record: Native, state: ReaderState): string | null {
  if (record["operation"] !== "dequeue" || state.kind !== "root") return null;
  const text = state.waiting[0] ?? "";
  return text.trim() === "" || text.startsWith("/") || generatedText(text) !== null ? null : text;
}

/**
 * The prompt that a `remove` operation takes into the running turn; null for any other record. Up to 2.1.88 the model
 * gets such a prompt beside a tool result, and the queue operations are its only trace. Later releases store an
 * attachment, so there a removal without one means that the human withdrew the prompt.
 */
export function absorbedText(record: Native, state: ReaderState): string | null {
  if (record["operation"] !== "remove" || state.attaches || state.kind !== "root" || state.turn !== "running")
    return null;
  const text = state.waiting[placeOf(record, state)] ?? "";
  return text.trim() === "" || generatedText(text) !== null ? null : text;
}

/**
 * Whether the prompt was queued. In the terminal only prompts typed into a busy session are; `-p` queues every prompt.
 */
export function wasQueued(record: Native, text: string, state: ReaderState): boolean {
  return state.enqueued.delete(digest(text)) && record["entrypoint"] === "cli" && record["promptSource"] === undefined;
}
