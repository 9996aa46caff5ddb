import { packText, unpackText } from "./packed-text.ts";

/**
 * A large object in a column, in frames of `[bytes, 32-bit little-endian]` and packed lines. Each line holds one field, or some
 * more elements of a list: what is known of a session of a gigabyte is never one string.
 */
type Line = [path: string[], value: unknown, more?: 1];

const FRAME = 512 * 1024;
const SLICE = 200;

export function packState(state: object): Uint8Array {
  const frames: Uint8Array[] = [];
  let lines: string[] = [];
  let length = 0;
  const flush = (): void => {
    const packed = packText(lines.join("\n"));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(packed.length);
    frames.push(head, packed);
    lines = [];
    length = 0;
  };
  for (const line of linesOf(state, [])) {
    const text = JSON.stringify(line);
    lines.push(text);
    length += text.length;
    if (length > FRAME) flush();
  }
  flush();
  return Buffer.concat(frames);
}

export function unpackState(packed: Uint8Array): unknown {
  const state: Record<string, unknown> = {};
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32LE(at);
    const text = unpackText(bytes.subarray(at + 4, end));
    for (const line of text === "" ? [] : text.split("\n")) put(state, JSON.parse(line) as Line);
    at = end;
  }
  return state;
}

function* linesOf(state: object, path: string[]): Generator<Line, void, undefined> {
  for (const [key, value] of Object.entries(state) as [string, unknown][]) {
    const here = [...path, key];
    if (Array.isArray(value)) {
      yield [here, value.slice(0, SLICE)];
      for (let at = SLICE; at < value.length; at += SLICE) yield [here, value.slice(at, at + SLICE), 1];
    } else if (path.length === 0 && isPlain(value)) {
      yield [here, {}];
      yield* linesOf(value, here);
    } else if (value !== undefined) yield [here, value];
  }
}

function put(state: Record<string, unknown>, [path, value, more]: Line): void {
  const key = path.at(-1) ?? "";
  const owner = path.length === 1 ? state : (state[path[0] ?? ""] as Record<string, unknown>);
  if (more === 1) (owner[key] as unknown[]).push(...(value as unknown[]));
  else owner[key] = value;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
