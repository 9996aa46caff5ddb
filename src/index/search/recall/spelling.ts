const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** Shorter words turn into other words with one letter changed. */
const SHORTEST = 5;
const LONGEST = 20;

/**
 * Possible corrections of a word: one letter added, removed or replaced, or two swapped. The first letter is rarely
 * wrong.
 */
export function spellingVariants(word: string): string[] {
  if (!/^[a-z]+$/.test(word) || word.length < SHORTEST || word.length > LONGEST) return [];
  const found = new Set<string>();
  for (let at = 1; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    for (const letter of LETTERS) {
      found.add(before + letter + after);
      if (after !== "") found.add(before + letter + after.slice(1));
    }
    if (after !== "") found.add(before + after.slice(1));
    if (after.length > 1) found.add(before + after.charAt(1) + after.charAt(0) + after.slice(2));
  }
  found.delete(word);
  return [...found];
}
