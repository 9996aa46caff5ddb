import { isPassword, isPlaceholder, isRandom } from "./values.ts";

/** Endings of names whose values are secret. Plurals (`max_tokens`) and locations (`token_file`) do not match. */
const WORDS = [
  "secret|token|passw(?:or)?d|passwort|passphrase|passcode|pwd|credentials?|psk|authkey",
  "connection[_-]?string|webhook[_-]?url|secret[_-]?key[_-]?base|key[_-]?base64",
  `(?:${[
    "api|access|secret|private|signing|signature|encryption|account|auth|master|service|license|deploy|session|storage|app",
    "hmac|jwt|server|sas|admin|root|ssh|subscription|consumer|webhook|integration|ingest(?:ion)?|write",
  ].join("|")})[ _-]?key`,
  // Short forms used in environment variables and by package managers.
  "[_-]pass|[_-]pw|[_-]auth|(?<![A-Za-z0-9])pass",
].join("|");

/** Names that end in `token` but are harmless: list positions, request ids, cancellation, syntax and design tokens. */
const NOT_SECRET =
  /(?:next|prev(?:ious)?|starting|client|change|request|page|pagination|continuation|cancel(?:lation)?|idempotency|sync|delta|resume|syntax|css|design|theme|lex(?:er)?|question|punctuation)[_-]?token$/i;

const QUOTE = String.raw`\\{0,7}["']`;

/** Matches the name of a field that holds a secret. */
export const SECRET_NAME: RegExp = new RegExp(`(?:${WORDS})$`, "i");

/**
 * Matches the separator between a secret name and its value: `NAME=`, `"name":`, `name =>`, `<name>`. The search starts
 * at the separator and looks back, because separators are rare.
 */
export const NAMED: RegExp = new RegExp(`[=:>](?<=(?:${WORDS})(?:${QUOTE})?[ \\t]{0,4}(?:=>|:=|[=:>]))`, "gi");

/** A secret name followed by a space, as only command-line flags are. */
export const FLAGS: RegExp = new RegExp(String.raw`--[\w-]{0,30}(?:${WORDS})[ \t]`, "gi");

const NAME = new RegExp(String.raw`(?<name>[\w.$-]{0,79}(?: key)?)(?:${QUOTE})?[ \t]{0,4}$`, "i");

/** A quoted value, escaped or not, or a bare value up to the end of a shell word, a query parameter or a list item. */
const VALUE = new RegExp(
  String.raw`(?<gap>[ \t]{0,4})(?:${[
    String.raw`\\{0,7}"(?<double>[^"\n]{1,4096}?)(?=\\{0,7}"|\n|$)`,
    String.raw`\\{0,7}'(?<single>[^'\n]{1,4096}?)(?=\\{0,7}'|\n|$)`,
    String.raw`(?<bare>[^\s"',;&|<>(){}[\]\\${"`"}]{1,4096})`,
  ].join("|")})`,
  "dy",
);

export interface Span {
  start: number;
  end: number;
  kind: string;
}

/**
 * How name and value are written, which determines what else the value may be:
 *
 * env     `NAME=value`, `<name>value</name>`  always a value
 * query   `&name=value`                       or an assignment in code
 * flag    `--name value`                      or prose about a flag
 * quoted  `"name": "value"`                   or a description in a form or a schema
 * line    `name: value` and nothing else      a field of YAML, or a type annotation
 * word    `name: value …`, `name = value`     or prose or code
 */
type Style = "env" | "query" | "flag" | "quoted" | "line" | "word";

/** The secret after a name whose separator (`=`, `:`, `>`, a space) ends at `at`; null when there is none. */
export function namedSecret(text: string, at: number): Span | null {
  VALUE.lastIndex = at;
  const match = VALUE.exec(text);
  const { double, single, bare, gap = "" } = match?.groups ?? {};
  const quoted = double ?? single;
  const value = quoted ?? bare;
  const { groups } = match?.indices ?? {};
  const place = groups?.["double"] ?? groups?.["single"] ?? groups?.["bare"];
  if (value === undefined || place === undefined) return null;
  // A call, an index or a template: code that computes the value.
  if (quoted === undefined && /^(?:[([{$]|<[A-Za-z])/.test(text.slice(place[1], place[1] + 2))) return null;
  const from = /^(?:=>|:=)$/.test(text.slice(at - 2, at)) ? at - 2 : at - 1;
  const joint = text.charAt(from);
  const name = NAME.exec(text.slice(Math.max(0, from - 100), from))?.groups?.["name"] ?? "";
  // `arn:aws:…:secret:name` names the location of a secret.
  const isPlace = joint === ":" && text.charAt(from - name.length - 1) === ":";
  if (isPlace || NOT_SECRET.test(name)) return null;
  const isTight = from === at - 1 && gap === "" && !/[ \t]/.test(text.charAt(from - 1));
  const style = styleOf(text, { joint, name, isTight, quoted: quoted !== undefined, start: from, end: place[1] });
  if (style === null || !isSecretValue(value, style)) return null;
  return { start: place[0], end: place[1], kind: "secret" };
}

interface Named {
  joint: string;
  name: string;
  /** No space on either side of the separator. */
  isTight: boolean;
  quoted: boolean;
  /** Start of the separator and end of the value. */
  start: number;
  end: number;
}

function styleOf(text: string, { joint, name, isTight, quoted, start, end }: Named): Style | null {
  if (joint === ">") return text.charAt(start - name.length - 1) === "<" && text.startsWith("</", end) ? "env" : null;
  if (joint === " " || joint === "\t") return isTight && name.startsWith("--") ? flagStyle(text, end) : null;
  if (joint === "=" && isTight && /^-*[A-Z][A-Z0-9_]*$/.test(name)) return "env";
  if (quoted) return "quoted";
  if (joint === "=" && isTight) return "query";
  return /^[ \t]{0,4}(?:\r?\n|\\[rn]|$)/.test(text.slice(end, end + 8)) ? "line" : "word";
}

/** In prose about a flag, words follow; in a command, nothing, another flag or the end of the command. */
function flagStyle(text: string, end: number): Style {
  return /^\\{0,7}["']?(?:[ \t]{0,4}(?:$|[\n\\|&;>)#-])|[ \t]+["'/.]|["'])/.test(text.slice(end, end + 12))
    ? "env"
    : "flag";
}

/** True when the value after a secret name is itself a secret, not a reference, a description or code. */
export function isSecretValue(value: string, style: Style): boolean {
  if (value.length < 4 || isPlaceholder(value)) return false;
  switch (style) {
    case "env":
      return true;
    case "query":
      return /\d|[^\w.]/.test(value) && !isCode(value);
    case "quoted":
      // Not a sentence, a label, a name in a schema or a version number.
      return (
        !/\s/.test(value) &&
        !/^[_$]?[A-Za-z]+(?:[_.:/ -]+[A-Za-z]+)*[.:!?]?$/.test(value) &&
        !/^[\^~<>=]*\d+\.\d/.test(value)
      );
    case "line":
      return (isPassword(value) || isRandom(value)) && !isCode(value);
    case "flag":
    case "word":
      return value.length >= 8 && isPassword(value) && !isCode(value) && !/^[A-Za-z_]+\d$/.test(value);
  }
}

/** Source code: `item.key`, `a.b(`, `Foo::bar`, `node_modules/x`. */
function isCode(value: string): boolean {
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value)) return !isRandom(value);
  return (
    (/^[!~*-]?[A-Za-z_$][\w$]*[!?]?(?:(?:\.|::|\?\.)[A-Za-z_$][\w$]*)*$/.test(value) && !/\d/.test(value)) ||
    /^(?:[a-z_]+[-/])+[a-z_]+\d?$/.test(value)
  );
}
