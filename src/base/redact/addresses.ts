import type { Span } from "./named.ts";
import { isStriking } from "./near.ts";
import { isPlaceholder, isRandom } from "./values.ts";

/** Passwords and tokens in addresses: `https://user:password@host`, `https://token@host`. The user name stays. */

/** The password may contain `@` and `/`. */
const PASSWORD = /:\/\/[^\s/:@?#"'<>\\]{0,100}:(?<secret>[^\s"'<>\\]{1,200})@(?=[\w[$-])/dy;
/** At the end of a truncated text the `@host` may be missing. */
const TRUNCATED = /:\/\/[^\s/:@?#"'<>\\]{0,100}:(?<secret>[^\s/@"'<>\\…]{1,200})(?=…?(?:$|[\n"]))/dy;
const TOKEN = /:\/\/(?<secret>[\w.-]{9,300})@(?=[\w[-])/dy;

export const ADDRESS_SIGN = "://";

export function addressSecrets(text: string, at: number): Span[] {
  if (!mayHoldLogin(text, at)) return [];
  return [
    ...found(text, at, PASSWORD, "url-password", isPassword),
    ...found(text, at, TRUNCATED, "url-password", (value) => !/^\d+\W?$/.test(value) && isRealValue(value)),
    ...found(text, at, TOKEN, "url-token", (value) => isRandom(value) || isStriking(value)),
  ];
}

const isRealValue = (value: string): boolean =>
  !isPlaceholder(value) && !/^(?:port|host|path|password)\W*$/i.test(value);

function isPassword(value: string): boolean {
  return !/^\d{0,5}(?:[/?#]|$)/.test(value) && isRealValue(value) && !value.includes("://") && /....|\d/.test(value);
}

function found(text: string, at: number, pattern: RegExp, kind: string, accept: (value: string) => boolean): Span[] {
  pattern.lastIndex = at;
  const place = pattern.exec(text)?.indices?.groups?.["secret"];
  return place && accept(text.slice(...place)) ? [{ start: place[0], end: place[1], kind }] : [];
}

/** False for most addresses: the host ends before a colon or an `@`. */
function mayHoldLogin(text: string, at: number): boolean {
  for (let i = at + ADDRESS_SIGN.length; i < at + 110; i++) {
    const char = text.charCodeAt(i);
    if (char === 58 || char === 64) return true;
    // A space, a quote, a slash …; also the end of the text, where the code is NaN.
    if (!(char > 34) || char === 47 || char === 63 || char === 39 || char === 60 || char === 62 || char === 92)
      return false;
  }
  return true;
}

/** Addresses that take messages from whoever knows them: the parts of the path that look random are the secret. */
export const HOOK_SIGN = "hook";
const LONGEST_ADDRESS = 220;
const HOOK = /[^\s"'<>]{0,100}?\/(?<secret>(?=[\w-]{0,60}\d)[\w-]{16,200}[\w@/=-]{0,400})/dy;

export function hookSecrets(text: string, at: number): Span[] {
  const from = Math.max(0, at - LONGEST_ADDRESS);
  const scheme = text.slice(from, at).lastIndexOf("://");
  if (scheme === -1 || /[\s"'<>\\?]/.test(text.slice(from + scheme, at))) return [];
  HOOK.lastIndex = at;
  const place = HOOK.exec(text)?.indices?.groups?.["secret"];
  const isReal =
    place &&
    text
      .slice(...place)
      .split(/[/@]/)
      .some(isRandom);
  return isReal ? [{ start: place[0], end: place[1], kind: "webhook" }] : [];
}
