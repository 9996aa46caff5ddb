import { ACCOUNTS, AND_WORDS, AT_WORDS, FOR_WORDS, IS_WORDS, LOGIN_WORDS, MARKS } from "./languages.ts";
import { isLetterSoup, isOddCase, isUnusual } from "./letters.ts";
import { matcher } from "./literals.ts";
import type { Span } from "./named.ts";
import { isLikely, isStriking } from "./near.ts";
import { isCode, isJumbled, isLabel, isPassword, isPlaceholder, isRandom, isTechnical } from "./values.ts";

/** Passwords that people tell in a sentence: `the password is …`, `Kennwort …`, `admin / … at 192.168.1.4`. */

const IS = IS_WORDS.join("|");
/** `for the server`, `от базы`; and longer ones before a colon: `is generated for root@localhost:`. */
const FOR = String.raw`[ \t](?:${FOR_WORDS.join("|")})(?:[ \t][^\s:=,.;]{1,24}(?=[\s:=,.;]|$)){1,3}`;
const LONG = String.raw`(?:[ \t][^\s:=,.;()"'${"`"}]{1,24}){1,5}(?:[ \t]["'][^"'\n]{1,200}["'])?`;
/** Passwords are written in ASCII, also in sentences of other scripts. */
const TOLD = String.raw`(?:(?<quote>["'${"`"}${MARKS.opening}]|\*\*)(?<quoted>[!-~][ -~]{2,98}?)["'${"`"}${MARKS.closing}*]|(?<bare>[!#-&*+\-./0-9:=?@A-Z[\]^_a-z{|}~]{4,100}))`;
const COPULA = String.raw`(?:[ \t](?:${IS})(?=[ \t:${MARKS.colon}"'${"`"}])(?:[ \t](?:now|currently|still|just|set to|changed to|reset to)(?=[ \t]))?|(?<=[^\x00-\x7f])(?:${IS})|(?<glued>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8}))[ \t]{0,2}[:${MARKS.colon}]?`;

const AFTER_NAME = matcher(
  String.raw`["'*_${"`"}]{0,3}(?:(?<joint>(?:${FOR}|${LONG}|[ \t]\([^()\n]{1,40}\))?[ \t]?(?::[ \t]|${MARKS.colon})|(?:${FOR})?(?:${COPULA}|(?<far>(?:[ \t][^\s:=,.;()"'${"`"}]{1,24}){1,4}?[ \t](?:${IS})(?=[ \t]))|[ \t](?:->|${MARKS.arrow}|[${MARKS.dashes}-])[ \t]|[ \t]from[ \t]\S{1,40}[ \t]to[ \t]))[*_]{0,2}|(?<for>${FOR}))?[ \t]{0,4}${TOLD}`,
  "i",
);

/** What kind of word stands before: one of another script, for a password, or for any other secret. */
type Told = "foreign" | "password" | "secret";

/** What a sentence says after a word for password, which ends at `end`. */
export function toldAfter(text: string, end: number, word: Told): Span[] {
  const groups = AFTER_NAME(text, end);
  const place = groups?.["quoted"] ?? groups?.["bare"];
  if (!groups || !place || place[0] === end) return [];
  const [isTold, isQuoted] = [groups["joint"] !== undefined, groups["quoted"] !== undefined];
  // `name: "value"` is a notation and was examined as one.
  if (isQuoted && groups["joint"] && /^[:${MARKS.colon}]/.test(text.slice(...groups["joint"]).trim())) return [];
  // Without a word between, only after a word for password, or what cannot be a word; a call or an index is code.
  if (!isTold && groups["for"] && word !== "foreign") return [];
  if (!isQuoted && /[([{<]/.test(text.charAt(place[1]))) return [];
  // The end of the sentence is not part of the password; it is hidden with it if it may be.
  const whole = text.slice(...place);
  const value = isQuoted ? whole : whole.replace(/[.,:;!?)\]*]+$/, "");
  if (value.length < 4 || isPlaceholder(value)) return [];
  // A colon, then the last word of its line.
  const isColon =
    word !== "secret" &&
    /:[ \t]?$/.test(text.slice(...(groups["joint"] ?? [0, 0])).trimEnd()) &&
    /^[.,;]?[ \t]*(?:\r?\n|\\n|$)/.test(text.slice(place[0] + value.length, place[0] + value.length + 20)) &&
    isUnusual(value);
  const isSecret =
    groups["far"] || groups["glued"]
      ? isLikely(value) ||
        (groups["glued"] && (isOddCase(value) || isUnusual(value))) ||
        (/\d\d[!?*]+$/.test(whole) && isLikely(whole))
      : isTold
        ? isToldSecret(value, isQuoted, word)
        : isJumbled(value) ||
          isLetterSoup(value) ||
          (word !== "secret" && isStrong(value) && /\d/.test(value) && !/^[A-Za-z_]+\d$/.test(value));
  if (!isSecret && !isColon) return [];
  const more = /^[!?*]+/.exec(whole.slice(value.length))?.[0].length ?? 0;
  const kind = word === "secret" ? "secret" : "password";
  return [{ start: place[0], end: place[0] + value.length + more, kind }];
}

function isToldSecret(value: string, isQuoted: boolean, word: Told): boolean {
  if (isTechnical(value)) return false;
  if (word === "secret")
    return isRandom(value) || isLetterSoup(value) || (value.length >= 8 && isPassword(value) && !isCode(value));
  if (isQuoted) return !isLabel(value) && /^[!-~]+(?: [!-~]+){0,5}$/.test(value);
  return isStrong(value) || isLetterSoup(value) || isOddCase(value) || word === "foreign";
}

function isStrong(value: string): boolean {
  return (isPassword(value) && !isTechnical(value)) || isRandom(value);
}

const QUOTES = "[\"'`]";
const HOST = String.raw`(?:https?:\/\/|\d{1,3}\.\d{1,3}\.\d{1,3}|[\w-]{1,40}\.(?:local|lan|home|internal|[a-z]{2,6})\b|localhost)`;
const AT_HOST = String.raw`(?=${QUOTES}?,?(?:[ \t](?:${AT_WORDS.join("|")})[ \t](?:the[ \t])?${HOST}|[ \t]@[ \t]?${HOST}|@\d{1,3}\.\d{1,3}\.\d{1,3}\.))`;
const NAME = String.raw`(?<name>[A-Za-z][\w.@+-]{1,40})`;
const WORD = String.raw`(?<secret>[^\s"'${"`"},;()<>|]{4,64})`;
const AND = `(?:${AND_WORDS.join("|")})`;

/** `admin / word at 192.168.1.4`; the sign is ` / `. */
const BESIDE_HOST = matcher(String.raw`(?<=(?:^|[\s"'${"`"}(:,])${NAME})[ \t]\/[ \t]${QUOTES}?${WORD}${AT_HOST}`);
/** `admin:word at 192.168.1.4`; the sign is the name of an account and what follows it. */
const ACCOUNT = matcher(String.raw`${NAME}[:/]${QUOTES}?${WORD}${AT_HOST}`);
/** `credentials: admin / word`, `log in as admin with word`. */
const ANNOUNCED = matcher(
  String.raw`(?:${LOGIN_WORDS.join("|")})(?![\p{L}])(?:["'*_]{0,2}[:${MARKS.colon}=][*_]{0,2}[ \t]{0,4}|[ \t](?:are|is|as|with|sind|als|mit|son|sono|sont)[ \t:]{1,3}(?:as[ \t])?|(?<space>[ \t]))${QUOTES}?${NAME}${QUOTES}?(?:[ \t]?[:/,|][ \t]?|[ \t]${AND}[ \t])(?:(?:password|passwd|pass|pw|psk|key)[:= \t]{1,3})?${QUOTES}?${WORD}`,
  "iu",
);

export const BESIDE_HOST_SIGNS: readonly string[] = [" / "];
export const ACCOUNT_SIGNS: readonly string[] = ACCOUNTS.flatMap((account) => [":", "/"].map((next) => account + next));
export const LOGIN_SIGNS: readonly string[] = LOGIN_WORDS.map((word) => (word.length < 3 ? `${word}:` : word));

const isAccount = (name: string): boolean => ACCOUNTS.includes(name.toLowerCase());

function login(
  match: ReturnType<typeof matcher>,
  accept: (value: string) => boolean = () => true,
): (text: string, at: number) => Span[] {
  return (text, at) => {
    const groups = match(text, at);
    const [place, name] = [groups?.["secret"], groups?.["name"]];
    if (!place || !name) return [];
    const whole = text.slice(...place).replace(/[.,:;]+$/, "");
    const bare = whole.replace(/[!?*]+$/, "");
    // `Kohlrabi27!`: a mark after digits belongs to it.
    const value = /^[A-Z][a-z]{3,}\d\d+[!?*]$/.test(whole) ? whole : bare.replace(/[.,:;!?*]+$/, "");
    if (value.length < 4 || isPlaceholder(value) || isTechnical(value) || value === text.slice(...name)) return [];
    // `debian/control` is a path; `wifi: mt76: ` names parts of a kernel.
    const isPath = text.charAt(name[1]) === "/" && !/\s/.test(text.charAt(name[1] + 1));
    const [isKnown, isLoose] = [isAccount(text.slice(...name)) && !isPath, groups?.["space"] !== undefined];
    if ((isLoose && !isKnown) || !accept(value)) return [];
    if (/^(?:wi-?fi|wlan|ssid):/i.test(text.slice(at, at + 6)) && text.startsWith(": ", name[1])) return [];
    if (!isPassword(value) && !isRandom(value) && !isLetterSoup(value) && !isOddCase(value) && !isKnown) return [];
    return [{ start: place[0], end: place[0] + value.length, kind: "password" }];
  };
}

/** `mira / word`, where the word looks like nothing else. */
const BESIDE = matcher(String.raw`(?<=(?:^|[\s"'${"`"}(:,])${NAME})[ \t]\/[ \t]${QUOTES}?${WORD}`);
const hostless = login(BESIDE, isStriking);
const hosted = login(BESIDE_HOST);

export const besideHost = (text: string, at: number): Span[] => [...hosted(text, at), ...hostless(text, at)];
const STRIKING_ACCOUNT = matcher(String.raw`${NAME}[:/]${QUOTES}?${WORD}(?=[\s"'${"`"},;()|@]|$)`);
const strikingAccount = login(STRIKING_ACCOUNT, isStriking);
const hostedAccount = login(ACCOUNT);

export function afterAccount(text: string, at: number): Span[] {
  const found = [...hostedAccount(text, at), ...strikingAccount(text, at)];
  return found.flatMap((span) => [span, ...listed(text, span.end)]);
}

/** The next line of a list of accounts: `  shop:word`. */
const NEXT_ACCOUNT = matcher(
  String.raw`["']?,?(?:\r?\n|\\n)[ \t"']{0,24}[a-z][\w.-]{1,31}:${WORD}(?=["']?,?[ \t]*(?:\r?\n|\\n|$))`,
);
const MOST_ACCOUNTS = 50;

function listed(text: string, end: number): Span[] {
  const found: Span[] = [];
  for (let at = end; found.length < MOST_ACCOUNTS;) {
    const place = NEXT_ACCOUNT(text, at)?.["secret"];
    if (!place || !isLikely(text.slice(...place))) break;
    found.push({ start: place[0], end: place[1], kind: "password" });
    at = place[1];
  }
  return found;
}
export const announced: (text: string, at: number) => Span[] = login(ANNOUNCED);
