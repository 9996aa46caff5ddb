// Whether something listed is one of the true things. The truth names turns as `SESSION/TURN`; what is listed names its
// own turn. The turn decides, because words do not: the truth is told in other words than the sessions. Only where the
// truth names no turn do words decide, leniently: half of the words of the truth, cut to their first five letters.

const COMMON = new Set(
  "the a an and or of to in is are was were be it its on for with at by from that this as not no der die das und ist sind von mit nicht".split(
    " ",
  ),
);

export function wordsOf(text) {
  const found = new Set();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word))
      for (let i = 0; i + 1 < word.length; i++) found.add(word.slice(i, i + 2));
    else if (!COMMON.has(word)) found.add(word.slice(0, 5));
  }
  return found;
}

/** The share of the wanted words that were said. */
export function share(said, wanted) {
  const [a, b] = [wordsOf(said), wordsOf(wanted)];
  return b.size === 0 ? 0 : [...b].filter((word) => a.has(word)).length / b.size;
}

/**
 * Compares two lists. `listed`: `{ turns, text }`, the turns it may belong to; `truth`: `{ turn, text }`. Several listed
 * things about one true one are all right, and find it once.
 */
export function compare(listed, truth) {
  const found = new Set();
  let right = 0;
  for (const { turns, text } of listed) {
    const met = truth.filter((one) => (one.turn ? turns.includes(one.turn) : share(text, one.text) >= 0.5));
    if (met.length > 0) right++;
    for (const one of met) found.add(one);
  }
  return { found: found.size, of: truth.length, right, listed: listed.length };
}
