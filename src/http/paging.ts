import { DaybookError } from "../errors.ts";

/** A piece of a list, and where the next one begins. */
export interface Piece<T> {
  piece: T[];
  total: number;
  next_cursor: string | null;
}

/**
 * Cuts a piece out of a list that is whole at each question. The cursor names the last element that was given: elements that came
 * or went before it neither repeat nor hide one.
 */
export function pieceOf<T>(
  list: readonly T[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  nameOf: (one: T) => string,
): Piece<T> {
  const start = cursor === undefined ? 0 : behind(list, cursor, nameOf);
  const piece = list.slice(start, start + limit);
  const last = piece.at(-1);
  const isEnd = last === undefined || start + limit >= list.length;
  return { piece, total: list.length, next_cursor: isEnd ? null : cursorOf(start + limit, nameOf(last)) };
}

/**
 * The same of a list of which only a piece is ever asked for: `list` gives so many behind so many others, or all behind them. Where elements
 * came or went before the cursor, it is looked for in the whole list.
 */
export async function pieceFrom<T>(
  list: (offset: number, limit?: number) => Promise<readonly T[]>,
  count: () => number | Promise<number>,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  nameOf: (one: T) => string,
): Promise<Piece<T>> {
  const [at, name] = cursor === undefined ? [0, null] : read(cursor);
  const from = Math.max(at - 1, 0);
  // With the one before, to see that nothing moved.
  const found = await list(from, limit + at - from);
  const [before] = found;
  if (name !== null && (before === undefined || nameOf(before) !== name)) {
    return pieceOf(await list(0), { cursor, limit }, nameOf);
  }
  const total = await count();
  const piece = found.slice(at - from);
  const last = piece.at(-1);
  const isEnd = last === undefined || at + limit >= total;
  return { piece, total, next_cursor: isEnd ? null : cursorOf(at + limit, nameOf(last)) };
}

function cursorOf(at: number, name: string): string {
  return Buffer.from(JSON.stringify([at, name])).toString("base64url");
}

function behind<T>(list: readonly T[], cursor: string, nameOf: (one: T) => string): number {
  const [at, name] = read(cursor);
  // Where nothing changed it is where it was.
  const before = list[at - 1];
  if (before !== undefined && nameOf(before) === name) return at;
  const found = list.findIndex((one) => nameOf(one) === name);
  return found === -1 ? Math.min(at, list.length) : found + 1;
}

function read(cursor: string): [at: number, name: string] {
  try {
    const [at, name] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (Number.isInteger(at) && typeof name === "string") return [Number(at), name];
  } catch {
    // Said below.
  }
  throw new DaybookError("this cursor is none of ours", {
    code: "usage",
    op: "read cursor",
    hint: "leave it out to begin at the start",
  });
}
