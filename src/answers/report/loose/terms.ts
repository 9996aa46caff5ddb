/** Words that say nothing about what a text is about. */
const COMMON = new Set(
  `a about after again all already also am an and any are as at back be because been before being but by can could did do does doing
  done for from get go going good had has have he her here him his how i if in into is it its just let like ll make me more most my
  need new no not now of off ok on one only or other our out over own per please pls re run same set she should so some still such
  than that thats the their them then there these they this thx those to too two until up us use used very want was we well were what
  when where which while who why will with would yes yet you your
  add added change changed check code file files fix fixed line lines look please remain remains left work works working thing things
  aber alle als am an auch auf aus bei bin bis bitte da dann das dass dem den der des die dies doch du ein eine einen er es für ganz
  habe hat ich im in ist ja jetzt kann kein keine mal man mehr mit muss nach nein nicht noch nur ob oder schon sein sich sie sind so
  und uns vom von vor war was weil wenn wie wir wird wo zu zum zur steht offen fehlt`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Characters read of a text. */
const LONGEST = 4000;

/** The terms a text is about: stemmed words, numbers, and compound names both whole and in parts. */
export function termsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [token] of text
    .slice(0, LONGEST)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]+(?:[-./][\p{L}\p{N}_]+)*/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(token)) {
      // These scripts have no spaces between words: take every pair of adjacent characters.
      for (let i = 0; i + 1 < token.length && i < 200; i++) found.add(token.slice(i, i + 2));
      continue;
    }
    const parts = token.split(/[-./_]+/);
    if (parts.length > 1) found.add(token);
    for (const part of parts) {
      if (COMMON.has(part) || (part.length < 3 && !/^\d{2}$/.test(part))) continue;
      found.add(stem(part));
    }
  }
  return found;
}

/** `tested`, `testing` and `tests` become the same term. */
function stem(word: string): string {
  if (/\d/.test(word) || word.length < 5) return word.replace(/(?<=^[a-z]{3,})s$/, "");
  const cut = word.replace(/(?:ings?|ed|es|s|en|e|er|ern)$/u, "");
  const base = cut.length < 3 ? word : cut;
  // `logged` and `log`, `planning` and `plan`.
  return /([bdgklmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

export function countShared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let n = 0;
  for (const term of few) if (many.has(term)) n++;
  return n;
}
