import { LATIN_WORDS } from "./languages.ts";

/**
 * What the name of a field, variable or option says about its value:
 *
 * chosen  a person may have chosen it, so any text may be the secret: `password`, `client_secret`
 * made    a program made it, so it looks random or at least has a digit: `api_key`, `access_token`
 * vague   often no secret: `STRIPE_KEY`, but also `SORT_KEY`. Only random characters are hidden
 */
export type NameKind = "chosen" | "made" | "vague";

/** Endings of names, in lower case and with `_` between words. Plurals (`max_tokens`) and places (`token_file`) differ. */
const CHOSEN = [
  "passw(?:or)?d|passwort|kennwort|pass_?phrase|passcode|passwrd|pswd|pwd|psk|secret",
  // Short words only as a word of their own, or after the words they are joined with.
  `(?:^|_|${[
    "user|db|store|key|root|require|admin|smtp|imap|mail|ftp|ssh|sudo|become|login|my|remote|local|auth|bind|ldap|proxy",
    "http|repl|vnc|zip|master",
  ].join("|")})pass|(?:^|_|root|bind|user|admin|ldap|db|my|mail|ftp)pw|(?:^|_)(?:passw|pin_?code)`,
  "master_?auth|secret_?key_?base|secret_?string|key_string|auth_?tok|(?:ro|rw|snmp|trap)_?community",
].join("|");

/** Before `key`, these make it the name of a secret. */
export const KEY_WORDS: readonly string[] = [
  ..."api|access|secret|private|signing|signature|encryption|decryption|account|auth|master|service|license|deploy".split(
    "|",
  ),
  ..."session|storage|app|hmac|jwt|server|sas|admin|root|ssh|subscription|consumer|webhook|integration|ingest".split(
    "|",
  ),
  ..."ingestion|write|wifi|wpa|wep|tunnel|cipher|crypto|aes|des|rsa|ecdsa|ed25519|pgp|gpg|tls|ssl|shared|preshared".split(
    "|",
  ),
  ..."pre_shared|validation|cookie|bot|isakmp|ike|ipsec|radius|tacacs|vpn".split("|"),
];

const MADE = [
  "token|credentials?|connection_?string|webhook_?url|key_?base64|(?:client_?)?key_?data|auth_?string",
  // Joined in one word, other words may end like these: `fakerootkey`.
  `(?:(?:^|_)(?:${KEY_WORDS.join("|")})|api|access|secret|private|auth|account)_?key`,
  "(?:auth|security|signing|session|secret|password|encryption|nonce|logged_?in|hash)_?salt|auth_?str|(?:^|_)jwt",
  "jsessionid|phpsessid|asp_net_session_?id|connect_sid|session_cookie|docker_?config_?json|_auth|bearer|bw_session|saml_?(?:response|assertion)|device_code|code_verifier|(?:^|_)pat|_dsn|sonar_login|(?:^|_)clave",
].join("|");

/** Words that may follow: `password_confirmation`, `TOKEN_2`. */
const MORE = "(?:_?(?:confirmation|confirm|repeat|again|verify|plain|plaintext|cleartext|value|b64|base64|\\d{1,2}))?";

const IS_CHOSEN = new RegExp(`(?:${CHOSEN}|${LATIN_WORDS.join("|")})${MORE}$`);
const IS_MADE = new RegExp(`(?:${MADE})${MORE}$`);
const IS_VAGUE = /(?<=[a-z0-9])_?keys?$/;

/** Names that only end like those above: list positions, request ids, cancellation, syntax and design tokens. */
const NEVER = new RegExp(
  `(?:${[
    "next|prev(?:ious)?|starting|client|change|request|page|pagination|continuation|cancel(?:lation)?|idempotency|sync",
    "delta|resume|syntax|css|design|theme|lex(?:er)?|question|punctuation|progress|eof|end|start|first|last|current|peek",
    "string|number|comment|keyword|operator|identifier|stop|pad|unk|mask|bos|eos|sep|cls|special|color|type|significant",
  ].join("|")})_?token(?:_\\d{1,2})?$|(?:public|pub)_?key|(?:^|_)by_?pass$`,
);

/** Keys of tables, caches and maps. */
const NEVER_VAGUE =
  /(?:project|sort|primary|foreign|cache|partition|public|idempotency|object|s3|registry|row|hash|index|lookup|translation|map)_?keys?$|(?:recv|list|send|export|trusted|authorized|import)_?keys$/;

/** Bounded, because names come from texts. */
const known = new Map<string, NameKind | null>();
const MOST_KNOWN = 20_000;

/** Null for a name that says nothing about secrets. */
export function nameKind(name: string): NameKind | null {
  let kind = known.get(name);
  if (kind === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    // npm's `_auth`; `auth` alone mostly is a section or a method.
    known.set(name, (kind = name === "_auth" ? "made" : kindOf(words(name))));
  }
  return kind;
}

function kindOf(name: string): NameKind | null {
  if (NEVER.test(name)) return null;
  if (IS_CHOSEN.test(name)) return "chosen";
  if (IS_MADE.test(name)) return "made";
  return IS_VAGUE.test(name) && !NEVER_VAGUE.test(name) ? "vague" : null;
}

/** `dbPassword`, `DB-PASSWORD` and `db.password` become `db_password`. */
function words(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
}

/** With the endings of Germanic and Slavic languages: `passordet`. */
const TOLD = new RegExp(`^(?:${LATIN_WORDS.join("|")})(?:et|en|er|n|s|es|e|u|em|om|ta)?$`, "i");

export type ToldKind = "password" | "secret";

const knownTold = new Map<string, ToldKind | null>();

/** What a name is called in a sentence: `the password is …`, `the api key is …`; null for `dbPassword`. */
export function toldKind(name: string): ToldKind | null {
  let kind = knownTold.get(name);
  if (kind === undefined) {
    if (knownTold.size >= MOST_KNOWN) knownTold.clear();
    knownTold.set(name, (kind = toldKindOf(name)));
  }
  return kind;
}

function toldKindOf(name: string): ToldKind | null {
  if (TOLD.test(name)) return "password";
  const kind = nameKind(name);
  if (kind === null || kind === "vague" || !/^(?!(?:pass|bearer)$)[A-Za-z]+(?:[ -]?key)?$/i.test(name)) return null;
  return kind === "chosen" && !/secret$/i.test(name) ? "password" : "secret";
}
