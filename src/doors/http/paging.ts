import { DaybookError } from "../../base/errors.ts";

/** One page of a list, and the cursor of the next one. */
export interface Piece<T> {
  piece: T[];
  total: number;
  next_cursor: string | null;
}

/**
 * Cuts one page out of a complete list. The cursor names the last element returned: elements added or removed before
 * it cause neither repetitions nor gaps.
 */
export function pieceOf<T>(
  list: readonly T[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  nameOf: (one: T) => string,
): Piece<T> {
  const start = cursor === undefined ? 0 : indexAfter(list, cursor, nameOf);
  const piece = list.slice(start, start + limit);
  const last = piece.at(-1);
  const isEnd = last === undefined || start + limit >= list.length;
  return { piece, total: list.length, next_cursor: isEnd ? null : cursorOf(start + limit, nameOf(last)) };
}

/**
 * The same for a list of which only a part is fetched: `list` returns up to `limit` elements from an offset, or all
 * from there. If elements were added or removed before the cursor, the whole list is fetched.
 */
export async function pieceFrom<T>(
  list: (offset: number, limit?: number) => Promise<readonly T[]>,
  count: () => number | Promise<number>,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  nameOf: (one: T) => string,
): Promise<Piece<T>> {
  const [at, name] = cursor === undefined ? [0, null] : read(cursor);
  const from = Math.max(at - 1, 0);
  // Includes the element before, to check that nothing moved.
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

function indexAfter<T>(list: readonly T[], cursor: string, nameOf: (one: T) => string): number {
  const [at, name] = read(cursor);
  // If nothing changed, it is at the same position.
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
    // Reported below.
  }
  throw new DaybookError("this is not a cursor of Daybook", {
    code: "usage",
    op: "read cursor",
    hint: "leave it out to start at the beginning",
  });
}
