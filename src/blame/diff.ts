import { diffArrays } from "diff";

/** `a[a0..a1)` became `b[b0..b1)`. */
export interface Change {
  a0: number;
  a1: number;
  b0: number;
  b1: number;
}

/** Past so many changed lines two texts have nothing to do with one another. */
const MOST = 4000;

/** What became different, in order. */
export function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [insideA, insideB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return inner(insideA, insideB).map((change) => shifted(change, start));
}

function inner(a: readonly string[], b: readonly string[]): Change[] {
  if (a.length === 0 && b.length === 0) return [];
  const whole = [{ a0: 0, a1: a.length, b0: 0, b1: b.length }];
  if (a.length === 0 || b.length === 0) return whole;
  const parts = diffArrays([...a], [...b], { maxEditLength: MOST });
  if (!parts) return whole;
  const out: Change[] = [];
  let [i, j] = [0, 0];
  for (const { count, added, removed } of parts) {
    if (!added && !removed) {
      i += count;
      j += count;
      continue;
    }
    const last = out.at(-1);
    const change = last && last.a1 === i && last.b1 === j ? last : { a0: i, a1: i, b0: j, b1: j };
    if (change !== last) out.push(change);
    if (removed) change.a1 = i += count;
    else change.b1 = j += count;
  }
  return out;
}

export function shifted({ a0, a1, b0, b1 }: Change, by: number): Change {
  return { a0: a0 + by, a1: a1 + by, b0: b0 + by, b1: b1 + by };
}

/** How far a change that only adds or only takes away could stand further on (1) or back (-1) and do the same. */
export function slideOf(
  { a0, a1, b0, b1 }: Change,
  a: readonly string[],
  b: readonly string[],
  way: 1 | -1,
  room: number,
): number {
  if (a0 !== a1 && b0 !== b1) return 0;
  const [text, from, to] = a0 === a1 ? [b, b0, b1] : [a, a0, a1];
  let by = 0;
  while (by < room && (way === 1 ? text[from + by] === text[to + by] : text[from - 1 - by] === text[to - 1 - by])) by++;
  return by;
}
