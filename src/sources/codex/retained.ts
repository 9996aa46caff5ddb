import { quickHash } from "../../io/hash.ts";
import type { ContextBody } from "../../format/record.ts";
import { contentOf } from "./content.ts";
import { ghostBody } from "./context.ts";
import { fieldsOf, listOf, wordOf, type Fields } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import { pushRecent, type ReaderState } from "./state.ts";

/** More messages than any observed compaction retained. */
const REMEMBERED = 96;
/** Number of characters at the start of a message that survive when it is shortened. */
const HEAD = 40;
const SHORTENED = /\d+ (?:tokens|chars|characters) truncated/;

function textOf(message: Fields): string {
  return contentOf(message.content).texts.join("\n");
}

/** Remembers a user message of the file, so that a compaction that retains it does not report it again. */
export function rememberMessage(state: ReaderState, message: Fields): void {
  rememberText(state, textOf(message));
}

export function rememberSnapshot(state: ReaderState, snapshot: Fields): void {
  const id = wordOf(fieldsOf(snapshot.ghost_commit).id);
  if (id !== null) pushRecent(state.retained, `g${id}`, REMEMBERED);
}

function rememberText(state: ReaderState, text: string): void {
  pushRecent(state.retained, `m${quickHash(text)}${quickHash(text.slice(0, HEAD))}`, REMEMBERED);
}

function isRemembered(state: ReaderState, text: string): boolean {
  const [whole, head] = [quickHash(text), quickHash(text.slice(0, HEAD))];
  const shortened = SHORTENED.test(text);
  return state.retained.some(
    (retained) =>
      retained.startsWith(`m${whole}`) || (shortened && retained.startsWith("m") && retained.endsWith(head)),
  );
}

export interface RetainedHistory {
  messages: string[];
  snapshots: ContextBody[];
}

/**
 * A compaction replaces the history by a new one: the user's messages verbatim, an encrypted summary, and the last
 * snapshot. Nearly all of it is in the file already. Only the rest is reported, for example if the first part of the
 * file was lost or is in another file.
 */
export function retainedIn(history: unknown, state: ReaderState): RetainedHistory {
  const found: RetainedHistory = { messages: [], snapshots: [] };
  for (const item of listOf(history).map(fieldsOf)) {
    if (item.type === "ghost_snapshot") {
      const body = ghostBody(item);
      if (body === null || state.retained.includes(`g${body.git?.ghost_commit ?? ""}`)) continue;
      rememberSnapshot(state, item);
      found.snapshots.push(body);
    }
    if (item.type !== "message" || item.role !== "user") continue;
    const text = textOf(item);
    if (text.trim() === "" || isRemembered(state, text)) continue;
    rememberText(state, text);
    if (contentOf(item.content).texts.every((part) => fragmentOf(part) === null)) found.messages.push(text);
  }
  return found;
}
