/** Only this many leading characters of a word are compared. */
const LONGEST = 60;

/** Known words similar to the given one, the closest first: differing by a letter or two, or containing it. */
export function nearest(given: string, known: Iterable<string>, most = 3): string[] {
  const wanted = given.toLowerCase().slice(0, LONGEST);
  if (wanted === "") return [];
  const found: { word: string; far: number }[] = [];
  for (const word of new Set(known)) {
    const known = word.toLowerCase().slice(0, LONGEST);
    // People often type only one part of a long name.
    const parts = known.split(/[-_./ ]+/).map((part) => distance(wanted, part) + 0.5);
    const far = Math.min(distance(wanted, known), ...parts);
    if (far <= Math.max(1, wanted.length / 3)) found.push({ word, far });
    else if (wanted.length >= 2 && isPart(wanted, word.toLowerCase())) found.push({ word, far: wanted.length });
  }
  return found
    .toSorted((a, b) => a.far - b.far || (a.word < b.word ? -1 : 1))
    .slice(0, most)
    .map(({ word }) => word);
}

function isPart(wanted: string, word: string): boolean {
  return word.includes(wanted) || (word.length >= 4 && wanted.includes(word));
}

/** Edit distance: insertions, deletions, replacements and swaps of neighbouring letters. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const least = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = isSwap ? Math.min(least, (before[j - 2] ?? 0) + 1) : least;
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** `did you mean a or b?`, followed by all known words when there are few. */
export function suggestion(given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  const meant = near.length > 0 ? `did you mean ${near.join(" or ")}?` : "";
  const all = known.length <= 12 && near.length !== 1 ? `one of ${known.join(", ")}` : "";
  return [meant, all].filter((part) => part !== "").join(" ");
}
