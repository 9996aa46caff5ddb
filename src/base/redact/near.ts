import { LOGIN_WORDS } from "./languages.ts";
import { isLetterSoup, isOddCase, isUnusual } from "./letters.ts";
import type { Span } from "./named.ts";
import { isJumbled, isPassword, isPlaceholder, isRandom, isTechnical } from "./values.ts";

/**
 * The last resort, in whatever notation: characters that no word, name or number has, on the line of a word for a
 * password or a token, alone on a line below it, or in the column that it heads. Notations are countless; what
 * generators make looks alike in all.
 */

/** How far before and after the word, and how many lines below it. */
const [BACK, ON, LINES] = [80, 120, 40];

/** What may be one: no spaces, quotes, brackets or separators. */
const CANDIDATE = /[^\s"'`<>,;(){}[\]=:|\\&«»“”„「」、。│┃║]{9,80}/g;

/** A digest, a revision or a public key stands there, not a secret. */
const DIGEST = /sha-?\d|md5|hash|digest|checksum|commit|fingerprint|thumbprint|revision|uuid|\bid\b|integrity|public/i;

/** Words beside which such characters are a secret, although they are no names of fields. */
export const NEAR_SIGNS: readonly string[] = [
  ..."login|log in |logged in|credential|zugang|schlüssel|clé |clef |sleutel|nyckel|nøkkel|klucz|klíč|kulcs".split("|"),
  ..."anahtar|ключ|キー：|キー:|キーは|identify|unlock|unseal|decrypt|encrypt|hmac|nickserv|pwgen|openssl rand".split(
    "|",
  ),
  ..."pass show|gopass |op read|bcrypt(|hash(|hashsync(|sha1(|sha256(|sha512(|md5(|.compare(|verify(|.sign(".split("|"),
  ..."aes.new(|cipher(|cipheriv(|createdecipheriv(|hexdigest(|hmac.new(|verifier.new(|encryptor.new(|signedstring(|signwith(".split(
    "|",
  ),
  ..."cookiestore(|csrf.protect(|auth_basic(|basicauth(|digestauth(|httpbasicauth(|ftp(|ftp_login(|plainauth(|smtpauthentication(|secretkeyspec(|keyspec(|from_secret(".split(
    "|",
  ),
  ..."hmac(|encode(|.decode(|encrypt(|decrypt(|connect(|connection(|sequelize(|cookieparser(|sendline(".split("|"),
  ..."fernet(|authprovider(|authenticator(|auth_plain(|.auth(|handler(|getbytes(|serializer(|signer(|sender(|<<< |<(echo |{plain|keymaterial|key content".split(
    "|",
  ),
  ..."create_user(|create_superuser(|createuser(".split("|"),
  ..."ssws |ldap_bind|bind dn|binddn| seed".split("|"),
  ...LOGIN_WORDS.filter((word) => word.length > 3 && !/^(?:log|wi|wlan)/.test(word)),
];

interface Place {
  start: number;
  end: number;
}

export function secretsNear(text: string, start: number, end: number): Span[] {
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  const found = within(text, from, to, { start, end });
  return found.length > 0 ? found : [...opened(text, to), ...below(text, start, to)];
}

function within(text: string, from: number, to: number, name: Place): Span[] {
  const line = text.slice(from, to);
  const found: Span[] = [];
  // A cheap filter: most lines have words only.
  if (!/\d|[a-z][A-Z]/.test(line)) return found;
  const isCall = text.charAt(name.end - 1) === "(";
  for (const { index, 0: whole } of line.matchAll(CANDIDATE)) {
    if (!/\d|[a-z][A-Z]/.test(whole)) continue;
    // Between quotes, marks at the end belong to it.
    const isQuoted =
      /["'`]/.test(line.charAt(index - 1)) && line.charAt(index - 1) === line.charAt(index + whole.length);
    const value = isQuoted ? whole : whole.replace(/[.!?*)]+$/, "");
    const place = { start: from + index, end: from + index + value.length, kind: "secret" };
    // Directly after the word, or as a literal of a call, less is needed.
    const isNext = place.start >= name.end && place.start - name.end < 3;
    const isLiteral = isCall && place.start > name.end && /["'`:]/.test(text.charAt(place.start - 1));
    const isSign = isNext || isLiteral ? isLikely : isStriking;
    const mark = whole.charAt(value.length);
    const isMarked = mark === "!" || (mark === "?" && /^[A-Z][a-z]{3,}\d{2,}$/.test(value));
    if (!isSign(value) && !(isMarked && isSign(value + mark))) continue;
    // Beside the word, not the word itself.
    if (place.start < name.end && place.end > name.start) continue;
    if (isIdentifier(line, index, value, place.start - name.end)) continue;
    // A revision stands among words; a digest says so.
    const isDigest = /^[a-f0-9]+$/.test(value)
      ? !isStated(line, index, place.start - name.end, value) || DIGEST.test(line)
      : /(?:sha-?\d{1,3}|md5)[:=]$/i.test(line.slice(0, index));
    if (!isDigest && !isPlaceholder(value) && isApart(text, place)) found.push(place);
  }
  return found;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The value of a field that says what it is: `"call_id":"…"`. */
const ID_FIELD =
  /(?:id|hash|digest|etag|checksum|content|revision|version)\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["']?$/i;

/** What names a record, a message or a call; a UUID is more often that than a secret. */
function isIdentifier(line: string, index: number, value: string, gap: number): boolean {
  return ID_FIELD.test(line.slice(Math.max(0, index - 60), index)) || (UUID.test(value) && (gap < 0 || gap > 20));
}

/** Digits of a key follow a sign or the word itself; forty of them are more often a revision. */
function isStated(line: string, index: number, gap: number, value: string): boolean {
  return /[:="'`] ?$/.test(line.slice(0, index)) || (gap >= 0 && gap < 3 && value.length !== 40);
}

/** True unless it is a part of something longer: a path, a call, a member, an address. */
function isApart(text: string, { start, end }: Place): boolean {
  if (/\b[au]rn:\S{0,100}$/.test(text.slice(Math.max(0, start - 110), start))) return false;
  return !/[\w.$@#%/\\&-]/.test(text.charAt(start - 1)) && !/[\w([.{/\\@*]/.test(text.slice(end, end + 1));
}

/** No secrets, although they have digits among letters: numbers, options, algorithms, issues. */
const NUMBERED =
  /^(?:0x)?[A-F0-9]+$|^-|0x|^#|#\d+$|\$\d$|%[0-9A-F]{2}|key|pass|token|secret|auth|http|base64|md5|sha\d|utf|x509/i;

/** The name of a machine or a pod: `nginx-7d9f8b6c5d-x2k4p`. */
const JOINED = /^[a-z]+(?:[._-][a-z0-9]+)+$/;

/** What was looked at last: the identifiers of code repeat. Bounded, because texts are not. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 10_000;

/** Letters in no order, of odd case, or mixed with digits and marks as in no name. */
export function isStriking(value: string): boolean {
  let striking = known.get(value);
  if (striking === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(value, (striking = looksStriking(value)));
  }
  return striking;
}

function looksStriking(value: string): boolean {
  if (/^[a-f0-9]+$/.test(value)) return value.length >= 32 && isRandom(value);
  if (value.length < 9 || NUMBERED.test(value) || JOINED.test(value)) return false;
  if (/^[A-Za-z]+$/.test(value)) return isLetterSoup(value) && (isOddCase(value) || value.length >= 12);
  if (/^[A-Za-z0-9+/]{20,}={0,2}$/.test(value) && value.includes("/")) return isRandom(value) && isJumbled(value);
  if (!/^[A-Za-z0-9!#$%^*+~?@_-]+$/.test(value) || !/\d/.test(value)) return false;
  if (
    /[A-Za-z]{2}/.test(value) &&
    /^\w+(?:(?:[!#$%^~?]+|(?<=[a-z]\d+)[+*@](?=\w*[A-Za-z]{2}))\w*){1,3}[!?]?$/.test(value)
  )
    return true;
  // Without its digits, it would be letters in no order.
  const letters = /^[A-Za-z0-9]{10,}$/.test(value) ? value.replaceAll(/\d/g, "") : "";
  if (isLetterSoup(letters) && isOddCase(letters)) return true;
  // Digits in at least two places, and no words between them.
  const changes = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  // The outline of a drawing: `01-2-2V7a2`.
  if ((value.match(/[A-Za-z]/g)?.length ?? 0) < 3) return false;
  const isMixed = /[a-z]/.test(value) || value.length >= 16;
  return (
    /\d\D+\d/.test(value) &&
    ((isMixed && (isJumbled(value) || changes * 3 >= value.length)) || (value.length >= 20 && isRandom(value)))
  );
}

/** What stands where a secret is expected and may be one: not only letters in no order, also words with digits and marks. */
export function isLikely(value: string): boolean {
  if (isStriking(value) || (/^[a-f0-9]{24,}$/.test(value) && isRandom(value))) return true;
  if (value.length < 8 || !isPassword(value) || NUMBERED.test(value) || JOINED.test(value)) return false;
  if (!/^[\w!#$%^&*~.-]+[!?]*$/.test(value) || isTechnical(value)) return false;
  if (/[!#$%^*~?].*\d|\d.*[!#$%^*~?]/.test(value)) return true;
  return value
    .split(/[_.-]/)
    .map((word) => word.replaceAll(/[^A-Za-z]/g, ""))
    .some((letters) => letters.length > 8 && (isLetterSoup(letters) || isOddCase(letters)));
}

const LONGEST_HEAD = 300;

/** What a person types before a command. */
const PROMPT = /^(?:[\w.@:~/ -]{0,60}[$#%❯»>][ \t]+\S|cat [\w./~-]+$|[A-Za-z_ ]{1,40}[ \t]*\r?\n[ \t]*-{3,})/;

/** The line below one that opens a block, or the next element: `return "…"`, `<dd>…</dd>`. */
const OPENED =
  /(?<=[:{(,>][ \t]*)\r?\n[ \t]*(?:return[ \t]+)?(?:(?<quote>["'`])|<\w{1,10}>)(?<secret>[^\s"'`<>]{9,100})(?:\k<quote>|<\/)/dy;

function opened(text: string, to: number): Span[] {
  OPENED.lastIndex = to;
  const place = OPENED.exec(text)?.indices?.groups?.["secret"];
  const value = place ? text.slice(...place) : "";
  return place && isStriking(value) && !isPlaceholder(value)
    ? [{ start: place[0], end: place[1], kind: "secret" }]
    : [];
}

/** Between the columns of a heading. */
const GAPS = /[ \t]{2,}\S|[ \t][|│┃║]/;

/** A line of its own: what a command prints. */
const ALONE =
  /(?:\r?\n|\\{1,3}n)[ \t]{0,12}(?:>[ \t])?["'`]?(?<secret>[^\s"'`\\]{8,100})["'`]?[ \t]*(?=\r?\n|\\{1,3}[nr]|$)/dy;
/** Also the line under a heading. */
const BLANK = /(?:(?:\r?\n|\\{1,3}n)[ \t]*(?:-{3,60}|={3,60})?[ \t]*(?=\r?\n|\\{1,3}n)){1,2}/y;
const NOT_BEFORE_SECRETS = /-----|public|fingerprint|certificate|digest|hash|ssh-|checksum|sha\d/i;

function below(text: string, start: number, to: number): Span[] {
  BLANK.lastIndex = to;
  ALONE.lastIndex = to + (BLANK.exec(text)?.[0].length ?? 0);
  const place = ALONE.exec(text)?.indices?.groups?.["secret"];
  const value = place ? text.slice(...place) : "";
  const isTyped = PROMPT.test(text.slice(lineStart(text, start), to));
  const isSecret =
    isStriking(value) ||
    (isRandom(value) && isJumbled(value)) ||
    (isTyped && isPassword(value) && !isTechnical(value)) ||
    // What a command prints, or a heading with a colon announces.
    ((isTyped || /:[ \t*]*$/.test(text.slice(start, to))) && (isUnusual(value) || isOddCase(value)));
  if (!isSecret && !GAPS.test(text.slice(start, to))) return [];
  const from = Math.max(0, to - LONGEST_HEAD);
  const piece = text.slice(from, to);
  const head = piece.slice(piece.lastIndexOf("\n") + 1);
  if ((from > 0 && head.length === piece.length) || NOT_BEFORE_SECRETS.test(head) || /^\S{50,}$/.test(head)) return [];
  if (place && isSecret && !isPlaceholder(value)) return [{ start: place[0], end: place[1], kind: "secret" }];
  return column(text, start - (to - head.length), to);
}

/** What begins in the column of a heading, in the lines below it. */
function column(text: string, at: number, from: number): Span[] {
  const found: Span[] = [];
  let start = from + 1;
  for (let n = 0; n < LINES && start < text.length; n++) {
    const next = text.indexOf("\n", start);
    const end = Math.min(next === -1 ? text.length : next, start + 400);
    if (end === start) break;
    const word = /^[^\s|│┃║]{8,100}/.exec(text.slice(start + at, end))?.[0] ?? "";
    if (/[\s|│┃║]/.test(text.charAt(start + at - 1)) && isCell(text, start + at, word) && !isPlaceholder(word))
      found.push({ start: start + at, end: start + at + word.length, kind: "secret" });
    start = end + 1;
  }
  return found;
}

/** In the cell of a box any word with a digit. */
function isCell(text: string, at: number, word: string): boolean {
  if (!/[│┃║]/.test(text.slice(at - 2, at))) return isStriking(word);
  return isPassword(word) && !JOINED.test(word) && !isTechnical(word);
}

function lineStart(text: string, at: number): number {
  const from = Math.max(0, at - BACK);
  const piece = text.slice(from, at);
  const line = Math.max(piece.lastIndexOf("\n") + 1, piece.lastIndexOf(String.raw`\n`) + 2);
  if (line > 1 || piece.startsWith("\n")) return from + line;
  // Not in the middle of a word.
  return from === 0 ? 0 : from + Math.max(0, piece.search(/\s|$/));
}

function lineEnd(text: string, at: number): number {
  const piece = text.slice(at, at + ON);
  const line = /\r?\n|\\n/.exec(piece)?.index;
  if (line !== undefined) return at + line;
  return at + piece.length + (/^[^\s"'`<>,;]{0,80}/.exec(text.slice(at + ON, at + ON + 80))?.[0].length ?? 0);
}
