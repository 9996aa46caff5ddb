/** Tells secrets from references to secrets, descriptions and placeholders. */

const REFERENCE =
  /^(?:\$|%[({A-Z]|<|\{\{|\{[a-z_$]|@|&|\(|`|process\.|import\.|os\.|env[.[(]|config\.|self\.|this\.|ENV\[|secrets?\.|vars?\.|data\.|local\.)/i;
const STAND_IN =
  /^(?:dummy|fake|fixture|sample|examples?|placeholder|change[_-]?(?:me|it|this)|redacted|hidden|masked|removed|omitted|your[\w-]{0,40}|my[_-]?(?:password|secret|token|key|api[_-]?key)|(?:some|the|a|an|new|old|test)?[_-]?(?:api[_-]?key|password|passwd|passphrase|pass|pwd|secret|token|key|value|credentials?)s?|\*{3,}|\.{3,}|…|x{3,}|-+|_+|0+|n\/a|tbd|todo|insert[\w-]{0,40})$/i;
const WORD_OF_A_LANGUAGE =
  /^(?:true|false|null|nil|none|undefined|void|any|unknown|never|string|str|number|int|integer|bool|boolean|bytes?|buffer|object|array|list|dict|map|text|varchar(?:\(\d+\))?|required|optional|disabled|enabled|default|empty|missing|invalid|valid|expired|yes|no|on|off|auto|await|async|new|function|return|type(?:of)?|char|uuid|self|this)[;,)]?$/i;
/** A path, a URL, or a position in a file. */
const PATH =
  /^(?:(?:~|\.{1,2}|[A-Za-z]:)?[\\/]\S*|[a-z][a-z0-9+.-]{1,20}:\/\/\S*|[\w./-]{1,200}\.(?:[jt]sx?|mjs|json|ya?ml|toml|txt|pem|key|crt|env|md|py|go|rs|rb|sh|log|html?)(?::\d+)*)$/;
/** Base64 may begin with a slash too, like a path. */
const BASE64 = /^\/[A-Za-z0-9+/]{30,}={0,2}$/;

/** A placeholder in capitals, as in manuals: `YOUR_TOKEN`. */
const SHOUTED = /^[A-Z]+(?:[_-][A-Z]+)*$/;

/** True for references to a secret and for placeholders. */
export function isPlaceholder(value: string): boolean {
  return (
    value.includes("[redacted:") ||
    REFERENCE.test(value) ||
    STAND_IN.test(value) ||
    SHOUTED.test(value) ||
    WORD_OF_A_LANGUAGE.test(value) ||
    (PATH.test(value) && !(BASE64.test(value) && isRandom(value)))
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

/** True for what people choose as passwords: neither a plain word nor code. */
export function isPassword(value: string): boolean {
  if (value.length < 6 || value.length > 200 || /[(){}[\]]|=>|::|\s/.test(value)) return false;
  return /[A-Za-z]/.test(value) && (/\d/.test(value) || /[!@#$%^&*?~+]/.test(value));
}
