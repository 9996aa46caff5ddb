import { isLetterSoup } from "./letters.ts";

/** Tells secrets from references to secrets, descriptions and placeholders. */

const REFERENCE =
  /^(?:\$|[+?][a-z]{0,12}\}?$|%[({A-Z]|<|\{\{|\{[a-z_$]|@|&|\(|`|!(?:Ref|Sub|GetAtt|vault|secret)\b|urn:|#\{|\[[A-Za-z][\w -]*\]$|process\.|import\.|os\.|env[.[(]|config\.|self\.|this\.|ENV\[|secrets?\.|vars?\.|data\.|local\.|(?:vault|ssm|env|file|op|arn|aws|gcp|sm|azurekv|projects|secretsmanager)[:/])/i;

const SECRET_WORD =
  "api[_ -]?key|password|passwort|kennwort|passwd|passphrase|pass|pwd|pw|secret|token|key|value|credentials?|login";
const STAND_IN = new RegExp(
  `^(?:${[
    "dummy|fake|fixture|sample|examples?|placeholder|change[_-]?(?:me|it|this)|redacted|hidden|masked|removed|omitted",
    "your[\\w -]{0,60}|my[_-]?(?:password|secret|token|key|api[_-]?key)|replace[\\w -]{0,40}|enter[\\w -]{0,40}",
    `(?:(?:some|the|an?|new|old|test|user|admin|root|db|database|default|super|top|very|current|wrong|correct|bad|invalid|valid|access|auth|api|client|app|private|secure|strong|initial|temporary|login|my|different|another|other|same|real|actual|plain|raw|hashed|encrypted|no|not|session|bearer|refresh|id|bot|server|service|account|file|with|from|and|of)?[_. -]?)*(?:${SECRET_WORD})s?(?:[_-]?here)?`,
    "\\*{3,}|\\.{3,}|…|x{3,}|-+|_+|0+|#+|\\?+|n\\/a|tbd|todo|insert[\\w-]{0,40}|foo|bar|baz|foobar|blah(?:blah)*|lorem|test|testing",
  ].join("|")})$`,
  "i",
);
const WORD_OF_A_LANGUAGE = new RegExp(
  `^(?:${[
    "true|false|null|nil|none|undefined|void|any|unknown|never|string|str|number|int|integer|bool|boolean|bytes?|buffer",
    "object|array|list|dict|map|text|varchar(?:\\(\\d+\\))?|required|optional|disabled|enabled|default|empty|missing|invalid",
    "valid|expired|yes|no|on|off|auto|await|async|new|function|return|type(?:of)?|char|uuid|self|this|hidden|input|output",
    "passed|failed|prompt|unset|unused|ignored?|deprecated|read-?only|write-?only|sensitive|secret(?:str|string|bytes)?|securestring|symbol",
    "const|let|var|static|final|public|private|protected|readonly|and|or|not|is|if|else|then|with|from|for|the|an?|to|in",
  ].join("|")})[;,)]?$`,
  "i",
);
/** A path, a URL, or a position in a file. */
const PATH =
  /^(?:(?:~|\.{1,2}|[A-Za-z]:)?[\\/]\S*|[a-z][a-z0-9+.-]{1,20}:\/\/\S*|[\w./-]{1,200}\.(?:[jt]sx?|mjs|json|ya?ml|toml|txt|pem|key|crt|cer|der|pub|p12|pfx|jks|gpg|asc|bin|env|md|py|go|rs|rb|sh|log|html?|xml|conf|cfg|ini|properties|csv|db|sock|java|cs|php|cpp|[ch])(?::\d+)*)$/;
/** Base64 may begin with a slash too, like a path. */
const BASE64 = /^\/(?:[A-Za-z0-9+/]{30,}|[A-Za-z0-9+]{15,})={0,2}$/;

/** A placeholder in capitals, as in manuals: `YOUR_TOKEN`. Letters in no order are none: `QXZKVJWPLM`. */
const SHOUTED = /^[A-Z]+(?:[_-][A-Z]+)*$/;

const IS_SECRET_WORD = new RegExp(`^(?:${SECRET_WORD})s?$`, "i");

/** Words that name a kind of secret: `my-client-secret`, `SuperSecretToken`. */
function namesSecret(value: string): boolean {
  if (!/^[A-Za-z_. -]+$/.test(value) || isLetterSoup(value)) return false;
  return value.split(/[_. -]|(?<=[a-z])(?=[A-Z])/).some((word) => IS_SECRET_WORD.test(word));
}

/** Letters in their order: `abcdefg`. */
const SEQUENCES = ["abcdefghijklmnopqrstuvwxyz", "qwertyuiop"];

/** True for references to a secret and for placeholders. */
export function isPlaceholder(value: string): boolean {
  return (
    value.includes("[redacted:") ||
    value.includes("${") ||
    REFERENCE.test(value) ||
    STAND_IN.test(value) ||
    namesSecret(value) ||
    (value.length > 5 && SEQUENCES.some((sequence) => sequence.includes(value))) ||
    (SHOUTED.test(value) && !isLetterSoup(value)) ||
    WORD_OF_A_LANGUAGE.test(value) ||
    (PATH.test(value) && !(BASE64.test(value) && isRandom(value)))
  );
}

const FUNCTION_WORD =
  /\b(?:your|the|an?|is|are|was|be|must|to|for|of|and|or|not|please|enter|here|with|in|on|you|it|this|that|if|can|will|should|der|die|das|ist|bitte|und|ihr|le|la|les|votre|de|el|su|por|il|uw|het|een|w|do|na|в|на|и)\b/i;
const SECRET_WORD_IN_TEXT = new RegExp(`\\b(?:${SECRET_WORD}|mot de passe|contraseña|senha|пароль)s?\\b`, "i");

/** True for the label or description of a field: a phrase of a language, not words someone chose. */
export function isLabel(value: string): boolean {
  return (
    /[.:!?…]$/.test(/\s|^[A-Za-z]+.$/.test(value) ? value.trimEnd() : "") ||
    SECRET_WORD_IN_TEXT.test(value) ||
    FUNCTION_WORD.test(value) ||
    value.trim().split(/\s+/).length > 6
  );
}

/** Shannon entropy in bits per character: high for random characters, low for words. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** True for random characters: long, letters and digits mixed, few repetitions, and not names joined together. */
export function isRandom(value: string): boolean {
  if (value.length < 16 || !/\d/.test(value) || !/[A-Za-z]/.test(value) || /\s/.test(value)) return false;
  if (/^[a-f0-9-]+$/.test(value)) return entropy(value) >= 2.8;
  // Joined names consist of parts of letters or digits; random characters change class every few characters.
  const changes = value.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
  return entropy(value) >= 3.3 && changes * 6 >= value.replaceAll(/[^A-Za-z0-9]/g, "").length;
}

/** True for letters of both cases and digits that change every few characters, also if they are too few to be random. */
export function isJumbled(value: string): boolean {
  if (!/^[\w+/=.~!@#%^*-]{10,}$/.test(value)) return false;
  const changes = value.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d.*\d/.test(value) && changes * 2 >= value.length;
}

/** True for what people choose as passwords: neither a plain word nor code. */
export function isPassword(value: string): boolean {
  if (value.length < 6 || value.length > 200 || /[(){}[\]]|=>|::|\s/.test(value)) return false;
  return /[A-Za-z]/.test(value) && (/\d/.test(value) || /[!@#$%^&*?~+]/.test(value));
}

/** `base64`, `sha256-hashed`, `v2`, `8080/tcp`, `2FA`: words with digits that follow the word password in ordinary prose. */
export function isTechnical(value: string): boolean {
  return (
    /^(?:base|sha|utf|md|aes|oauth|b?crypt|argon|scrypt|pbkdf|ntlm|rfc|ipv|http|ssha|rc|id|user|step|page|line|v)-?\d/i.test(
      value,
    ) ||
    /x509|^\d+(?:[-.:/]?[A-Za-z]{1,4}|[.\d]+)?$|^(?:u?int|float|complex|pkcs-?)\d+$/i.test(value) ||
    /[(){}[\]<>]|\$[\w{(]|^[\w.-]+@[\w.-]+$|^[/~.]|^\W|--|::|\.\w+$|[=/]/.test(value)
  );
}

/** Source code: `item.key`, `a.b(`, `Foo::bar`, `node_modules/x`. */
export function isCode(value: string): boolean {
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value)) return !isRandom(value);
  return (
    (/^[!~*-]?[A-Za-z_$][\w$]*[!?]?(?:(?:\.|::|\?\.)[A-Za-z_$][\w$]*)*$/.test(value) &&
      !/\d/.test(value) &&
      !isLetterSoup(value)) ||
    /^(?:[a-z_]+[-/])+[a-z_]+\d?$/.test(value)
  );
}
