/**
 * The question log is later shown to agents, so text that reads like an instruction to them is rejected. These are the
 * thirteen patterns of gstack's writer, applied after common disguises are removed from the text.
 */
const PATTERNS: readonly RegExp[] = [
  /ignore\s*(?:all\s*|any\s*|the\s*)*(?:previous|prior|above)\s*(?:instructions?|context|rules?)/,
  /you\s*are\s*now\b/,
  /always\s*output\s*no\s*findings/,
  /skip\s*(?:all\s*)?(?:security|review|checks)/,
  /override[:\s]/,
  /(?<![\w-])system\s*:/,
  /(?<![\w-])assistant\s*:/,
  /(?<![\w-])user\s*:/,
  /(?<![\w-])human\s*:/,
  /disregard\s*(?:all\s*|any\s*|the\s*)*(?:previous|above|prior)/,
  /from\s*now\s*on\b/,
  /do\s*not\s*(?:report|flag|mention)/,
  // Also matches `everything`, which begins with `every`.
  /approve\s*(?:all|every|this)/,
];

export function readsLikeInstruction(text: string): boolean {
  const plain = withoutDisguise(text);
  if (PATTERNS.some((pattern) => pattern.test(plain))) return true;
  const joined = joinLetters(plain);
  return joined !== plain && PATTERNS.some((pattern) => pattern.test(joined));
}

/** Letters of other scripts that look like Latin letters. */
const LOOK_ALIKE: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ["a", "аαɑ"],
      ["b", "Ьв"],
      ["c", "сϲ"],
      ["d", "ԁ"],
      ["e", "еєε"],
      ["g", "ɡ"],
      ["h", "һн"],
      ["i", "іıιɩ"],
      ["j", "ј"],
      ["k", "кκ"],
      ["l", "ӏ"],
      ["m", "м"],
      ["n", "ո"],
      ["o", "оοσ"],
      ["p", "рρ"],
      ["q", "ԛ"],
      ["r", "г"],
      ["s", "ѕ"],
      ["t", "тτ"],
      ["u", "υս"],
      ["v", "ѵν"],
      ["w", "ԝω"],
      ["x", "хχ"],
      ["y", "уү"],
    ] as const
  ).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
);

/** Lower-case letters without accents, mapped to one script, with single spaces and no invisible characters. */
export function withoutDisguise(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase()
    .replace(/[^\0-\x7f]/gu, (letter) => LOOK_ALIKE[letter] ?? letter)
    .replace(/[\s\p{Z}\p{Cc}]+/gu, " ");
}

/** Joins `a p p r o v e` and `a.p.p.r.o.v.e` into the word they spell. */
function joinLetters(text: string): string {
  return text.replace(/(?<![a-z0-9])(?:[a-z][ ._*-]{1,3}){3,}[a-z](?![a-z0-9])/g, (spelt) =>
    spelt.replace(/[^a-z]/g, ""),
  );
}
