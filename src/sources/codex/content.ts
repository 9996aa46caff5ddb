import type { Fields } from "./fields.ts";
import { fieldsOf, isFields, listOf, stringOf, wordOf } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import type { NativeRecord } from "./native.ts";

/** The content of a user-role message: its texts, and the number of images, documents or sounds. */
export interface Content {
  texts: readonly string[];
  /** Index of each text in the native content list, to look up its provenance. */
  places: readonly number[];
  media: number;
}

// Codex adds labels around media as separate text items; no human typed them.
const MEDIA_LABEL = /^\s*<\/?(?:image|audio)(?:\s[^>]*)?>\s*$/i;

export function contentOf(content: unknown): Content {
  if (typeof content === "string") return { texts: [content], places: [0], media: 0 };
  const texts: string[] = [];
  const places: number[] = [];
  let media = 0;
  const items = listOf(content);
  const hasMedia = items.some((item) => isMedia(fieldsOf(item)));
  for (const [place, item] of items.entries()) {
    if (typeof item === "string") {
      texts.push(item);
      places.push(place);
      continue;
    }
    const fields = fieldsOf(item);
    if (isMedia(fields)) {
      media++;
      continue;
    }
    const text = stringOf(fields.text);
    if (text === null || (hasMedia && MEDIA_LABEL.test(text))) continue;
    texts.push(text);
    places.push(place);
  }
  return { texts, places, media };
}

function isMedia(item: Fields): boolean {
  const type = stringOf(item.type) ?? "";
  return /image|audio|file|document/.test(type) && type !== "input_text";
}

/** Text of an output or message: a string, a list of parts, or the old `{content, success}`. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  if (isFields(value)) return plainText(value.content ?? value.output ?? value.text);
  let text = "";
  for (const part of listOf(value)) {
    if (typeof part === "string") text += part;
    else text += stringOf(fieldsOf(part).text) ?? "";
  }
  return text;
}

/** A prompt as Codex repeats it to its clients. */
export interface Echo {
  text: string;
  media: number;
  /** A `user_message` event, as opposed to an item. */
  isEvent: boolean;
  /**
   * Marked as generated: old versions also echoed their own texts. They decided that by the beginning of the text
   * alone.
   */
  generated: boolean;
  threadId: string | null;
  /** A client sent it and gave it an id. Agents that write to other agents give none. */
  fromClient: boolean;
}

/** The echo in a record, or null. Legacy files write `user_message`, paginated ones an `item_completed` UserMessage. */
export function echoOf(record: NativeRecord | null): Echo | null {
  if (record === null || record.type !== "event_msg") return null;
  const { payload } = record;
  if (record.kind === "user_message") {
    const kind = stringOf(payload.kind);
    return {
      text: stringOf(payload.message) ?? "",
      media:
        listOf(payload.images).length +
        listOf(payload.local_images).length +
        listOf(payload.audio).length +
        listOf(payload.local_audio).length,
      isEvent: true,
      generated: kind !== null && kind !== "plain",
      threadId: null,
      fromClient: wordOf(payload.client_id) !== null,
    };
  }
  if (record.kind !== "item_completed" || record.itemType !== "UserMessage") return null;
  const content = contentOf(record.item.content);
  return {
    text: content.texts.join(""),
    media: content.media,
    isEvent: false,
    generated: false,
    threadId: stringOf(payload.thread_id),
    fromClient: wordOf(record.item.client_id) !== null,
  };
}

/**
 * Whether the echo on the next line repeats this message. The caller checks adjacency; here the complete text must be
 * equal. Clients joined several text items with or without newlines. Media must be in both or in neither, because two
 * different prompts may have the same text; only an event may name images that the message lacks.
 */
export function matchesEcho(message: Content, echo: Echo): boolean {
  const text = echo.text.trim();
  const added = echo.isEvent && message.media === 0 && text !== "";
  if (message.media > 0 !== echo.media > 0 && !added) return false;
  const reads = (texts: readonly string[]): boolean =>
    texts.join("\n").trim() === text || (texts.length > 1 && texts.join("").trim() === text);
  if (reads(message.texts)) return true;
  // The message may also contain generated context; Codex echoes only what was typed.
  const plain = message.texts.filter((part) => fragmentOf(part) === null);
  return plain.length > 0 && plain.length < message.texts.length && reads(plain);
}
