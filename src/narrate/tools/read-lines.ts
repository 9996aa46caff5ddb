import { compactText } from "../compact.ts";

/** Bytes of one reply. */
export const REPLY_BYTES: number = 32 * 1024;
/** Reserved for the JSON around the records. */
const FRAME_BYTES = 512;

/** A readable line as JSON text; lines without content for a reader are left out. */
export interface ReadableLine {
  line: number;
  text: string;
}

export interface ReadCursor {
  line: number;
  /** Characters of the line that were returned already. */
  offset: number;
}

export interface ReadRequest {
  start_line: number;
  end_line: number;
  cursor?: ReadCursor | null | undefined;
}

/** Part of a record that is too large for one reply: its parts joined are its JSON text. */
export interface Fragment {
  line: number;
  record_format: "compact_json" | "raw_line";
  offset: number;
  total_chars: number;
  content: string;
}

export interface ToolError {
  field: string;
  message: string;
  hint: string;
}

export type Invalid = { status: "invalid"; errors: ToolError[] };
export type ReadReply = { records: unknown[]; next_cursor: ReadCursor | null };

/** One page of the lines asked for: whole records, or a part of one that is larger than a page. */
export function readPage(
  lines: readonly ReadableLine[],
  asked: ReadRequest,
  format: Fragment["record_format"],
): ReadReply | Invalid {
  const within = lines.filter(({ line }) => asked.start_line <= line && line <= asked.end_line);
  const wrong = cursorError(within, asked);
  if (wrong) return { status: "invalid", errors: [wrong] };
  const cursor = asked.cursor ?? { line: asked.start_line, offset: 0 };
  const records: unknown[] = [];
  let room = REPLY_BYTES - FRAME_BYTES;
  for (const { line, text } of within) {
    if (line < cursor.line) continue;
    const offset = line === cursor.line ? cursor.offset : 0;
    const whole = format === "compact_json" ? text : compactText({ line, text });
    if (offset === 0 && Buffer.byteLength(whole) + 1 <= room) {
      records.push(JSON.parse(whole));
      room -= Buffer.byteLength(whole) + 1;
      continue;
    }
    // The record waits for the next page, in which it may fit.
    if (records.length > 0) return { records, next_cursor: { line, offset } };
    const { fragment, next } = fragmentOf(line, text, offset, format, room);
    const following = within.find((one) => one.line > line);
    const end = next < text.length ? { line, offset: next } : following ? { line: following.line, offset: 0 } : null;
    return { records: [fragment], next_cursor: end };
  }
  return { records, next_cursor: null };
}

function fragmentOf(
  line: number,
  text: string,
  offset: number,
  record_format: Fragment["record_format"],
  room: number,
): { fragment: Fragment; next: number } {
  const make = (length: number): Fragment => ({
    line,
    record_format,
    offset,
    total_chars: text.length,
    content: text.slice(offset, offset + length),
  });
  let length = Math.min(text.length - offset, room);
  while (length > 1 && Buffer.byteLength(JSON.stringify(make(length))) > room) length = Math.floor(length * 0.8);
  // Never split a surrogate pair.
  const last = text.charCodeAt(offset + length - 1);
  if (length > 1 && last >= 0xd800 && last <= 0xdbff && offset + length < text.length) length--;
  return { fragment: make(length), next: offset + length };
}

function cursorError(within: readonly ReadableLine[], { start_line, end_line, cursor }: ReadRequest): ToolError | null {
  const hint = "use the next_cursor of the reply before, or leave it out";
  if (start_line > end_line)
    return { field: "end_line", message: "the range ends before it begins", hint: "start_line is the smaller one" };
  if (!cursor) return null;
  if (cursor.line < start_line || cursor.line > end_line)
    return { field: "cursor.line", message: "the cursor is outside the range", hint };
  if (cursor.offset === 0) return null;
  const at = within.find(({ line }) => line === cursor.line);
  if (!at) return { field: "cursor.offset", message: "there is nothing on that line to go on in", hint };
  return cursor.offset < 0 || cursor.offset >= at.text.length
    ? { field: "cursor.offset", message: "the cursor is behind the end of the line", hint }
    : null;
}
