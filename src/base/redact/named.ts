import { LATIN_WORDS } from "./languages.ts";
import { isLetterSoup, isOddCase, isUnusual } from "./letters.ts";
import { KEY_WORDS, nameKind, type NameKind } from "./names.ts";
import { pluralSecrets } from "./plurals.ts";
import { changed, fieldValue, FILL, NOTATIONS, type Certainty, type Place } from "./notations.ts";
import { isCode, isJumbled, isLabel, isPassword, isPlaceholder, isRandom } from "./values.ts";

export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** Parts of the names in `names.ts`, in any case. */
export const NAME_SIGNS: readonly string[] = [
  "pass",
  "pwd",
  "pswd",
  "secret",
  "token",
  "credential",
  "creds",
  "psk",
  "clave",
  "_key",
  "key_base64",
  "keybase64",
  "-key",
  " key",
  ".key",
  "_pw",
  "-pw",
  "_auth",
  "-auth",
  "connection",
  "masterauth",
  "key-string",
  "samlresponse",
  "samlassertion",
  "device_code",
  "code_verifier",
  "webhook",
  "_dsn",
  "_pat=",
  "_pat:",
  '_pat"',
  '"pat"',
  "sonar.login",
  "jsessionid",
  "phpsessid",
  "net_sessionid",
  "connect.sid",
  "session_cookie",
  "sessioncookie",
  "dockerconfigjson",
  "bearer",
  "authtok",
  ...["ro", "rw", "snmp", "trap", "snmp_", "trap_", "snmp-"].map((word) => `${word}community`),
  "_salt",
  "auth_str",
  ".jwt",
  "_jwt",
  ...KEY_WORDS.filter((word) => /^[a-z]{3,}$/.test(word)).map((word) => `${word}key`),
  ...LATIN_WORDS.filter((word) => !word.startsWith("pass")),
];

/** Short names, which would be found in other words: only with the character that follows. */
export const SHORT_SIGNS: readonly string[] = ["pw:", "pw=", "pw ", 'pw"', "pw'", "pw,", "pw)", "pw.", "pw[", "$pw"];

const LONGEST_NAME = 80;

export interface Name {
  text: string;
  /** Without the dashes of an option. */
  start: number;
  end: number;
}

/** 1: letters, digits and `_`; 2: `. - $`, which are inside a name, not at its ends. */
const nameCodes = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") nameCodes[char.charCodeAt(0)] = 1;
for (const char of ".-$") nameCodes[char.charCodeAt(0)] = 2;

/** `password.sendKeys("…")`: the method is not part of the name. */
const FILLING = new RegExp(`\\.${FILL}$`, "i");

/** The whole name around a sign; empty when it is too long to be one. */
export function nameAt(text: string, at: number): Name {
  const from = text.charCodeAt(at) === 32 ? at + 1 : at;
  let start = from;
  while (start > 0 && from - start < LONGEST_NAME && (nameCodes[text.charCodeAt(start - 1)] ?? 0) > 0) start--;
  let end = from;
  while (end < text.length && end - from < LONGEST_NAME && (nameCodes[text.charCodeAt(end)] ?? 0) > 0) end++;
  // `password.` ends a sentence, `--password` begins with dashes.
  while (end > start && nameCodes[text.charCodeAt(end - 1)] !== 1) end--;
  while (start < end && nameCodes[text.charCodeAt(start)] !== 1) start++;
  if (text.charAt(end) === "(") end -= FILLING.exec(text.slice(start, end))?.[0].length ?? 0;
  if (end - start > LONGEST_NAME) return { text: "", start, end };
  // `api key`: the word before belongs to the name.
  if (text.charCodeAt(start - 1) === 32 && /^keys?$/i.test(text.slice(start, end)))
    start -= /[A-Za-z0-9]{0,20} $/.exec(text.slice(Math.max(0, start - 21), start))?.[0].length ?? 0;
  return { text: text.slice(start, end), start, end };
}

/** The secrets after, or beside, the name around a sign: one, or the old and the new value of a change. */
export function namedSecrets(text: string, name: Name): Span[] {
  const kind = nameKind(name.text);
  if (kind === null) {
    const several = pluralSecrets(text, name);
    if (several.length > 0) return several;
    const field = fieldValue(text, name);
    return field && !isPlaceholder(text.slice(field.start, field.end))
      ? [{ start: field.start, end: field.end, kind: "secret" }]
      : [];
  }
  for (const notation of NOTATIONS) {
    const place = notation(text, name);
    if (place === undefined) continue;
    const places = place === null ? [] : [place, ...changed(text, place)];
    return places
      .filter(({ start, end, certainty }) => {
        const value = text.slice(start, end);
        return !isSame(value, name.text, kind) && isSecretValue(value, kind, certainty);
      })
      .map(({ start, end }) => ({ start, end, kind: "secret" }));
  }
  return [];
}

/** `password: password`, `token: CachedX509Token`: a variable, constant or type of the same name; `pass: "All is well"`. */
function isSame(value: string, name: string, kind: NameKind): boolean {
  const own = letters(value);
  if (own !== "" && name.length >= value.length - 4 && letters(name).includes(own)) return true;
  // Tests and checks pass too, and say so in any language.
  if (/^pass$/i.test(name)) return /[^\u0021-\u024f]/.test(value);
  return kind !== "chosen" && /^[A-Za-z]\w*[A-Za-z]$/.test(value) && lastWord(value) === lastWord(name);
}

function lastWord(name: string): string {
  return (
    name
      .split(/[^A-Za-z]|(?<=[a-z])(?=[A-Z])/)
      .at(-1)
      ?.toLowerCase() ?? ""
  );
}

function letters(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** True when the value of a field with this name is a secret. */
export function isSecretField(name: string, value: string): boolean {
  const kind = nameKind(name);
  return kind !== null && isSecretValue(value, kind, "quoted");
}

/** True when the value after a secret name is itself a secret, not a reference, a description or code. */
export function isSecretValue(value: string, kind: NameKind, certainty: Certainty): boolean {
  if (value.length < 4 || isPlaceholder(value) || isNumber(value)) return false;
  if (kind === "vague")
    return (isRandom(value) || isJumbled(value) || (value.length >= 12 && isLetterSoup(value))) && !isCode(value);
  switch (certainty) {
    case "certain":
      return !/\s/.test(value) || !isLabel(value);
    case "parameter":
      return kind === "chosen" || isSecretValue(value, kind, "query");
    case "query":
      return (/\d|[^\w.]/.test(value) && !isCode(value)) || isLetterSoup(value) || isOddCase(value);
    case "quoted":
      return isQuotedSecret(value, kind);
    case "argument":
      return !/\s/.test(value) && (!isName(value) || (kind === "chosen" && isUnusual(value)));
    case "line":
      return (
        ((isPassword(value) || isRandom(value) || isLetterSoup(value)) && !isCode(value)) ||
        isOddCase(value) ||
        isPhrase(value, kind) ||
        (kind === "chosen" && isUnusual(value))
      );
    case "data":
      return !isCode(value) || (kind === "chosen" && /^[A-Za-z]+$/.test(value)) || isPhrase(value, kind);
    case "option":
      return /\d/.test(value) && !/^v?\d+(?:\.\d+)*$/.test(value)
        ? !isCode(value)
        : isLetterSoup(value) || isOddCase(value);
    case "word":
      return (
        value.length >= 8 &&
        ((isPassword(value) && !isCode(value) && !/^[A-Za-z_]+\d$/.test(value)) ||
          isLetterSoup(value) ||
          isOddCase(value))
      );
  }
}

/** Words joined for a password: four at least, or of letters in no order. `tls-secret` names one. */
function isPhrase(value: string, kind: NameKind): boolean {
  if (kind !== "chosen" || !/^[A-Za-z]+(?:[-_.][A-Za-z]+)+$/.test(value)) return false;
  return /^[A-Za-z]{3,}(?:-[A-Za-z]{3,}){3,}$/.test(value) || isLetterSoup(value.replaceAll(/[-_.]/g, ""));
}

/** A colour, a constant, a fingerprint, a rule of a grammar or a pattern: `#ffffff`, `0x000C`, `1*char`, `[^\d]`. */
function isNumber(value: string): boolean {
  return (
    /^(?:#[0-9a-f]{3,8}|-?0x[0-9a-f]{1,16}|\d+\*\w+|-?\d{0,3}\.\d+|-?infinity|nan)$/i.test(value) ||
    /^(?:[0-9a-f]{2}:){7,}/i.test(value) ||
    /\\[wdsbWDSB]|^\^|\(\?|\[\^/.test(value)
  );
}

function isQuotedSecret(value: string, kind: NameKind): boolean {
  if (/\s/.test(value)) return kind === "chosen" && !isLabel(value) && /^[\w!-~]+(?: [\w!-~]+){1,5}$/.test(value);
  if (/^[\^~<>=]*\d+\.\d/.test(value)) return false;
  if (!isName(value)) return true;
  // One or more words: chosen by a person, unless they are the path of a text or of a setting.
  return kind === "chosen" && /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/.test(value);
}

/** A label, a name in a schema: words, joined or not. None of them is letters in no order. */
function isName(value: string): boolean {
  return (
    /^[_$]?[A-Za-z]+(?:[_.:/ -]+[A-Za-z]+)*[.:!?]?$/.test(value) &&
    !value.split(/[^A-Za-z]+/).some((word) => isLetterSoup(word) || (word.length > 9 && isOddCase(word)))
  );
}

export type { Place };
