import { isLetterSoup, isOddCase, isUnusual } from "./letters.ts";
import { QUOTED } from "./literals.ts";
import type { Name, Span } from "./named.ts";
import { isCode, isPassword, isPlaceholder, isRandom, isTechnical } from "./values.ts";

/** Several secrets under one name: `PASSWORDS = {"mira": "…"}`, `passwords=([mira]="…")`, `creds: ["…", "…"]`. */
const IS_PLURAL = /(?:passwords|passwds|pwds|secrets|creds|credentials|api_?keys)$/i;
const OPENED =
  /\\{0,7}["'`]?(?:[ \t]{0,4}:[^={}\n]{1,40})?[ \t]{0,4}(?:=>|:?=|:)[ \t]{0,4}[\w.@$<>, [\]]{0,40}[{[(]\(?/y;
const ITEM = new RegExp(
  String.raw`[\s,({[]{0,40}(?:\[?\\{0,7}["'${"`"}]?[\w.@-]{1,60}\\{0,7}["'${"`"}]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4})?${QUOTED}`,
  "dy",
);
const MOST = 100;

export function pluralSecrets(text: string, { text: name, end }: Name): Span[] {
  if (!IS_PLURAL.test(name)) return [];
  OPENED.lastIndex = end;
  if (!OPENED.test(text)) return [];
  const found: Span[] = [];
  ITEM.lastIndex = OPENED.lastIndex;
  for (let n = 0; n < MOST; n++) {
    const place = ITEM.exec(text)?.indices?.groups?.["quoted"];
    if (!place) break;
    if (isOne(text.slice(...place))) found.push({ start: place[0], end: place[1], kind: "secret" });
  }
  return found;
}

/** Such names are also those of lists of names. */
function isOne(value: string): boolean {
  if (isUnusual(value)) return true;
  if (isPlaceholder(value) || isCode(value) || isTechnical(value)) return false;
  return isPassword(value) || isRandom(value) || isLetterSoup(value) || isOddCase(value);
}
