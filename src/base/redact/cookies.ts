import { isLetterSoup } from "./letters.ts";
import type { Span } from "./named.ts";
import { isPlaceholder } from "./values.ts";

/** Values of cookies, which log in whoever sends them: in headers, options, objects and files of cookies. */
export interface CookieNotation {
  /** Literal texts in lower case, one of which, in any case, begins every match of the pattern. */
  signs: readonly string[];
  /** The group `pairs` is a list of names and values. */
  pattern: RegExp;
  pair: RegExp;
}

/** `a=b; c=d` */
const ASSIGNED = /([\w.$-]{1,100})=([^;,\s"']{6,4096})/g;
/** `"a": "b", 'c': 'd'` */
const QUOTED = /["']([\w.$-]{1,100})["']\s{0,8}(?::|=>)\s{0,8}["']([^"'\n]{6,4096})/g;

export const COOKIES: readonly CookieNotation[] = [
  {
    signs: ["cookie"],
    pattern: /cookies?\\{0,7}["']?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}\\{0,7}["'`]?(?<pairs>[^\n"'`\\{]+)/iy,
    pair: ASSIGNED,
  },
  {
    signs: ["cookie"],
    pattern: /cookies?\\{0,7}["']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}(?:dict\()?[{[](?<pairs>[^}\]]{1,4000})/iy,
    pair: QUOTED,
  },
  {
    signs: [" -b ", "--cookie"],
    pattern: /(?: -b|--cookie)[ \t=]{1,2}["']?(?<pairs>[^\n"']{1,8000})/iy,
    pair: ASSIGNED,
  },
];
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|version|priority|comment)$/i;
/** Names of cookies that are sessions or logins, whatever their values look like. */
const SESSION = /sess|sid$|^sid|auth|token|jwt|login|csrf|xsrf|remember|secret|_key$/i;

/** The values of cookies, without attributes such as `path` and `expires`, and where the list of cookies ends. */
export function cookieSecrets(
  text: string,
  at: number,
  { pattern, pair }: CookieNotation,
): { found: Span[]; end: number } {
  pattern.lastIndex = at;
  const pairs = pattern.exec(text)?.groups?.["pairs"];
  if (pairs === undefined) return { found: [], end: 0 };
  const from = pattern.lastIndex - pairs.length;
  const found = [...pairs.matchAll(pair)].flatMap((match) => {
    const [whole, name = "", value = ""] = match;
    if (ATTRIBUTE.test(name) || !isCookieSecret(name, value)) return [];
    const start = from + match.index + whole.length - value.length;
    return [{ start, end: start + value.length, kind: "cookie" }];
  });
  return { found, end: pattern.lastIndex };
}

export function isCookieSecret(name: string, value: string): boolean {
  if (isPlaceholder(value) || value.length < 6) return false;
  return /\d|%/.test(value) || isLetterSoup(value) || (SESSION.test(name) && !/[\s(){}<>]/.test(value));
}

/** A line of a cookie jar: domain, flag, path, flag, time, name and value, separated by tabs. */
const JAR_LINE =
  /(?:\t|\\{1,2}t)(?:TRUE|FALSE)(?:\t|\\{1,2}t)\/[^\t\n\\]{0,200}(?:\t|\\{1,2}t)(?:TRUE|FALSE)(?:\t|\\{1,2}t)\d{1,12}(?:\t|\\{1,2}t)[^\t\n\\]{1,200}(?:\t|\\{1,2}t)(?<value>[^\t\n\\"]{1,4096})/dy;
export const JAR_SIGNS: readonly string[] = ["\tTRUE\t/", "\tFALSE\t/", String.raw`\tTRUE\t/`, String.raw`\tFALSE\t/`];

export function jarSecrets(text: string, at: number): Span[] {
  JAR_LINE.lastIndex = at;
  const place = JAR_LINE.exec(text)?.indices?.groups?.["value"];
  return place ? [{ start: place[0], end: place[1], kind: "cookie" }] : [];
}

/** A cookie as an object: `{"name": "sid", "value": "…", "httpOnly": true}`. */
const VALUE = /"value\\{0,7}"\s{0,8}:\s{0,8}\\{0,7}"(?<value>[^"\\\n]{6,4096})/dy;
export const OBJECT_SIGNS: readonly string[] = ['"value'];

export function cookieObject(text: string, at: number): Span[] {
  VALUE.lastIndex = at;
  const place = VALUE.exec(text)?.indices?.groups?.["value"];
  if (!place) return [];
  const around =
    text
      .slice(Math.max(0, at - 300), at)
      .split(/[{}]/)
      .at(-1) + (text.slice(place[1], place[1] + 300).split(/[{}]/)[0] ?? "");
  if (!/"(?:httpOnly|sameSite|hostOnly|expirationDate|domain)\\{0,7}"/.test(around)) return [];
  return isPlaceholder(text.slice(...place)) ? [] : [{ start: place[0], end: place[1], kind: "cookie" }];
}
