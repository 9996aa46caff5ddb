import { quickHash } from "../../io/hash.ts";
import type { ContextBody } from "../../format/record.ts";
import { contentOf } from "./content.ts";
import { ghostBody } from "./context.ts";
import { fieldsOf, listOf, wordOf, type Fields } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import { note, type ReaderState } from "./state.ts";

/** As many messages as a compaction was ever seen to keep, with room. */
const REMEMBERED = 96;
/** What is left at the start of a message that was shortened to fit. */
const HEAD = 40;
const SHORTENED = /\d+ (?:tokens|chars|characters) truncated/;

function textOf(message: Fields): string {
  return contentOf(message.content).texts.join("\n");
}

/** A message of the user stands in the file: a compaction that keeps it says nothing new. */
export function keepMessage(state: ReaderState, message: Fields): void {
  remember(state, textOf(message));
}

export function keepSnapshot(state: ReaderState, snapshot: Fields): void {
  const id = wordOf(fieldsOf(snapshot.ghost_commit).id);
  if (id !== null) note(state.retained, `g${id}`, REMEMBERED);
}

function remember(state: ReaderState, text: string): void {
  note(state.retained, `m${quickHash(text)}${quickHash(text.slice(0, HEAD))}`, REMEMBERED);
}

function isKnown(state: ReaderState, text: string): boolean {
  const [whole, head] = [quickHash(text), quickHash(text.slice(0, HEAD))];
  const shortened = SHORTENED.test(text);
  return state.retained.some(
    (retained) =>
      retained.startsWith(`m${whole}`) || (shortened && retained.startsWith("m") && retained.endsWith(head)),
  );
}

export interface Retained {
  messages: string[];
  snapshots: ContextBody[];
}

/**
 * A compaction puts a new history in the place of the old one: the user's messages word for word, an encrypted summary, the
 * last snapshot. Nearly all of it stands in the file already; what does not (its first part was lost, or is another file) is reported.
 */
export function retainedIn(history: unknown, state: ReaderState): Retained {
  const found: Retained = { messages: [], snapshots: [] };
  for (const item of listOf(history).map(fieldsOf)) {
    if (item.type === "ghost_snapshot") {
      const body = ghostBody(item);
      if (body === null || state.retained.includes(`g${body.git?.ghost_commit ?? ""}`)) continue;
      keepSnapshot(state, item);
      found.snapshots.push(body);
    }
    if (item.type !== "message" || item.role !== "user") continue;
    const text = textOf(item);
    if (text.trim() === "" || isKnown(state, text)) continue;
    remember(state, text);
    if (contentOf(item.content).texts.every((part) => fragmentOf(part) === null)) found.messages.push(text);
  }
  return found;
}
