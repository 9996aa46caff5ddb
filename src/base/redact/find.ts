import { addressSecrets, ADDRESS_SIGN, HOOK_SIGN, hookSecrets } from "./addresses.ts";
import { CONTEXTS } from "./contexts.ts";
import { cookieObject, COOKIES, cookieSecrets, jarSecrets, JAR_SIGNS, OBJECT_SIGNS } from "./cookies.ts";
import { commandSecrets, PROGRAM_SIGNS } from "./commands.ts";
import { secretlintSecrets } from "./secretlint-rules.ts";
import { isSecretlintShape, SECRETLINT_SIGNS } from "./secretlint-signs.ts";
import { LAYERS, layerSecrets } from "./layers.ts";
import { nameAt, namedSecrets, NAME_SIGNS, SHORT_SIGNS, type Name, type Span } from "./named.ts";
import { FOREIGN_SIGNS, isUnspaced, PHRASE_SIGNS, wordEnd } from "./languages.ts";
import { nameKind, toldKind } from "./names.ts";
import {
  ACCOUNT_SIGNS,
  afterAccount,
  announced,
  besideHost,
  BESIDE_HOST_SIGNS,
  LOGIN_SIGNS,
  toldAfter,
} from "./prose.ts";
import { isLikely, NEAR_SIGNS, secretsNear } from "./near.ts";
import { KEY_SIGNS, privateKeys } from "./private-keys.ts";
import { runSecrets } from "./runs.ts";
import { SHAPES, type Shape } from "./shapes.ts";
import { BREAK, wrappedEnd } from "./wrapped.ts";
import { insertSecrets, tableSecrets } from "./tables.ts";
import { headerSecret, HEADER_SIGNS, parameterSecret, PARAMETER_SIGNS } from "./signed.ts";
import { kubernetesSecrets, SECRET_SIGNS } from "./kubernetes.ts";
import { jwkSecrets, JWK_SIGN } from "./jwk.ts";
import { SignTable, type Sign } from "./signs.ts";

/** Called where a sign begins; returns the secrets found there. */
type Rule = (text: string, at: number, search: Search) => readonly Span[];

/** One search through one text. */
interface Search {
  depth: number;
  /** For rules that examine a whole run of text: the end of the last run of each. */
  done: Map<Rule, number>;
}

/** Deepest nesting seen in practice is JSON in a URL query; each layer costs another pass over its text. */
const DEEPEST = 2;

function signsFor(texts: readonly string[], value: Rule): Sign<Rule>[] {
  return texts.map((text) => ({ text, value }));
}

function signsInAnyCase(texts: readonly string[], value: Rule): Sign<Rule>[] {
  return texts.map((text) => ({ text, value, anyCase: true }));
}

/** `ghp_xxxxxxxxxxxxxxxx` */
function isSample(secret: string): boolean {
  return secret.length < 200 && /([xX*.])\1{11}/.test(secret);
}

function shapeRule({ kind, pattern: patternOf, accept, atWordStart }: Shape): Rule {
  return (text, at) => {
    // Checked before the pattern: a hostile text may consist of nothing but signs.
    if (atWordStart && !isWordStart(text, at)) return [];
    const pattern = patternOf();
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const end = match ? pattern.lastIndex : at;
    const start = at - (match?.groups?.["before"]?.length ?? 0);
    const wrapped = wrappedEnd(text, at, match ? end : null, pattern);
    if (wrapped !== null && accept?.(text.slice(start, wrapped).replaceAll(BREAK, "")) !== false)
      return [{ start, end: wrapped, kind }];
    return !match || accept?.(text.slice(start, end)) === false ? [] : [{ start, end, kind }];
  };
}

/** The start of a key at the end of a truncated text: too short for its shape, but still worth hiding. */
const TRUNCATED = /[\w-]{4,255}(?=…?(?:$|[\n"]))/y;

function truncatedRule(sign: string): Rule {
  return (text, at) => {
    TRUNCATED.lastIndex = at + sign.length;
    if (
      !TRUNCATED.test(text) ||
      !/\d/.test(text.slice(at + sign.length, TRUNCATED.lastIndex)) ||
      !isWordStart(text, at)
    )
      return [];
    return [{ start: at, end: TRUNCATED.lastIndex, kind: "secret" }];
  };
}

/** Prefixes that occur only in keys. */
const CERTAIN_PREFIXES = [
  "sk-ant-",
  "sk-proj-",
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "github_pat_",
  "glpat-",
  "gldt-",
  "glrt-",
  "AKIA",
  "ASIA",
  "xoxb-",
  "xoxp-",
  "xapp-",
  "AIza",
  "npm_",
  "hf_",
  "sk_live_",
  "rk_live_",
  "dckr_pat_",
  "dop_v1_",
  "gsk_",
];

/** Examines a run of text once, however many signs it contains. */
function oncePerRun(rule: (text: string, at: number, search: Search) => { found: Span[]; end: number }): Rule {
  const self: Rule = (text, at, search) => {
    if (at < (search.done.get(self) ?? 0)) return [];
    const { found, end } = rule(text, at, search);
    search.done.set(self, Math.max(end, search.done.get(self) ?? 0));
    return found;
  };
  return self;
}

const byName = oncePerRun((text, at) => {
  const name = nameAt(text, at);
  // The result of a test, of which logs have thousands: `PASS: case 1`.
  if (name.text === "PASS" && text.charAt(name.end) === ":") return { found: [], end: name.end };
  const named = namedSecrets(text, name);
  const found = named.length > 0 ? named : toldByName(text, name);
  if (found.length > 0) return { found, end: found.at(-1)?.end ?? 0 };
  if (nameKind(name.text) === null)
    return { found: SECRET_WORD.test(name.text) ? secretsNear(text, name.start, name.end) : [], end: name.end };
  const table = tableSecrets(text, name);
  if (table.found.length > 0) return { found: table.found, end: Math.max(table.end, name.end) };
  return { found: secretsNear(text, name.start, name.end), end: name.end };
});

/** A part of a name that says what the name is about: `check_password_hash`, `secretsmanager`. */
const SECRET_WORD = /passw|getpass|secret|credential|_pw_|token$/i;

function toldByName(text: string, { text: name, start, end }: Name): Span[] {
  // Of tests and checks too: `the pass is done`.
  if (/^pass$/i.test(name))
    return toldAfter(text, end, "secret").filter((span) => isLikely(text.slice(span.start, span.end)));
  const told = toldKind(name);
  // Not an option, a path or a variable.
  return told && !/[-/.$\\@]/.test(text.charAt(start - 1)) ? toldAfter(text, end, told) : [];
}

/** The word for password in another script or spelled with spaces: like a name, in all notations. */
const byWord = (word: string): Rule =>
  oncePerRun((text, at) => {
    if (/[\p{L}\p{M}\d_]/u.test(text.charAt(at - 1)) && !isUnspaced(word)) return { found: [], end: 0 };
    const end = wordEnd(text, at, word);
    const named = namedSecrets(text, { text: "password", start: at, end });
    const told = named.length > 0 ? named : toldAfter(text, end, /^[a-z]/i.test(word) ? "password" : "foreign");
    const found = told.length > 0 ? told : secretsNear(text, at, end);
    return { found, end: found.at(-1)?.end ?? 0 };
  });

const rules = (): SignTable<Rule> => (table ??= new SignTable<Rule>(allSigns()));
let table: SignTable<Rule> | null = null;

const allSigns = (): Sign<Rule>[] => [
  ...SHAPES.flatMap((shape) => signsFor(shape.signs, shapeRule(shape))),
  ...CONTEXTS.flatMap(({ signs, kind, pattern, accept }) =>
    signsInAnyCase(signs, (text, at) => {
      pattern.lastIndex = at;
      const place = pattern.exec(text)?.indices?.groups?.["secret"];
      if (!place || accept?.(text.slice(...place)) === false) return [];
      return [{ start: place[0], end: place[1], kind }];
    }),
  ),
  ...COOKIES.flatMap((notation) =>
    signsInAnyCase(
      notation.signs,
      oncePerRun((text, at) => cookieSecrets(text, at, notation)),
    ),
  ),
  ...signsFor([ADDRESS_SIGN], addressSecrets),
  ...signsInAnyCase([HOOK_SIGN], hookSecrets),
  ...signsFor(JAR_SIGNS, jarSecrets),
  ...signsFor(OBJECT_SIGNS, cookieObject),
  ...signsFor(
    KEY_SIGNS,
    oncePerRun((text) => ({ found: privateKeys(text), end: text.length })),
  ),
  ...signsFor(SECRET_SIGNS, oncePerRun(kubernetesSecrets)),
  ...signsFor([JWK_SIGN], oncePerRun(jwkSecrets)),
  ...signsInAnyCase(PARAMETER_SIGNS, parameterSecret),
  ...signsInAnyCase(HEADER_SIGNS, headerSecret),
  ...CERTAIN_PREFIXES.flatMap((sign) => signsFor([sign], truncatedRule(sign))),
  ...signsFor(
    SECRETLINT_SIGNS,
    oncePerRun((text, at) => (isSecretlintShape(text, at) ? secretlintSecrets(text, at) : { found: [], end: at + 1 })),
  ),
  ...signsInAnyCase([...NAME_SIGNS, ...SHORT_SIGNS], byName),
  ...FOREIGN_SIGNS.flatMap(({ sign, word }) => signsFor([sign], byWord(word))),
  ...PHRASE_SIGNS.flatMap(({ sign, word }) => signsInAnyCase([sign], byWord(word))),
  ...NEAR_SIGNS.flatMap((sign) =>
    signsInAnyCase([sign], (text, at) =>
      isWordStart(text, at) || !/^[a-z]+(?!.*\($)/.test(sign) ? secretsNear(text, at, at + sign.length) : [],
    ),
  ),
  ...signsInAnyCase(["insert "], oncePerRun(insertSecrets)),
  ...signsFor(BESIDE_HOST_SIGNS, besideHost),
  ...signsInAnyCase(
    ACCOUNT_SIGNS,
    oncePerRun((text, at) => {
      const found = isWordStart(text, at) ? afterAccount(text, at) : [];
      return { found, end: found.at(-1)?.end ?? 0 };
    }),
  ),
  ...signsInAnyCase(LOGIN_SIGNS, (text, at) => (isWordStart(text, at) ? announced(text, at) : [])),
  ...signsFor(PROGRAM_SIGNS, oncePerRun(commandSecrets)),
  ...LAYERS.flatMap((layer) =>
    signsFor(
      layer.signs,
      oncePerRun((text, at, { depth }) =>
        layerSecrets(text, layer, at, (inner) => (depth < DEEPEST ? findSecrets(inner, depth + 1) : [])),
      ),
    ),
  ),
];

/** Matches most field names: every token this short contains a digit, a capital letter or a hyphen. */
const PLAIN_NAME = /^[a-z_]{1,19}$/;

/** All secrets in a text, in order and without overlaps. */
export function findSecrets(text: string, depth = 0): Span[] {
  if (PLAIN_NAME.test(text)) return [];
  const found: Span[] = [];
  const search: Search = { depth, done: new Map() };
  rules().scan(text, (rule, at) => {
    const spans = rule(text, at, search);
    if (spans.length > 0) found.push(...spans);
  });
  found.push(...runSecrets(text));
  if (found.length === 0) return found;
  if (depth === 0) found.push(...repeated(text, found));
  const left = found.filter(
    ({ start, end }) => !isInMark(text, start) && !isInMark(text, end) && !isSample(text.slice(start, end)),
  );
  return left.length > 1 ? withoutOverlaps(left) : left;
}

/** How far from a secret it is looked for once more, and how many of a text are. */
const [AROUND, MOST] = [2000, 40];

/** The same values elsewhere: `(echo word; echo word) | passwd`. Only what can be nothing else. */
function repeated(text: string, found: readonly Span[]): Span[] {
  const again: Span[] = [];
  const seen = new Set<string>();
  for (const { start, end, kind } of found) {
    const value = text.slice(start, end);
    if (seen.size >= MOST || value.length < 8 || value.length > 200 || seen.has(value) || !isLikely(value)) continue;
    seen.add(value);
    const from = Math.max(0, start - AROUND);
    const piece = text.slice(from, end + AROUND);
    for (let at = piece.indexOf(value); at !== -1; at = piece.indexOf(value, at + value.length))
      if (!isWord(piece.charCodeAt(at - 1)) && !isWord(piece.charCodeAt(at + value.length)))
        again.push({ start: from + at, end: from + at + value.length, kind });
  }
  return again;
}

/** The replacement text of a hidden secret. */
const MARK = /\[redacted:[a-z0-9-]{1,30}\]/g;
const LONGEST_MARK = 41;

/** True inside a replacement text: its kind is not a secret, whatever surrounds it. */
function isInMark(text: string, at: number): boolean {
  const from = Math.max(0, at - LONGEST_MARK);
  return [...text.slice(from, at + LONGEST_MARK).matchAll(MARK)].some(
    ({ index, 0: mark }) => from + index < at && at < from + index + mark.length,
  );
}

/** Letters of the alphabet, digits and `_`; false for NaN, before the beginning. */
function isWord(code: number): boolean {
  return (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 47 && code < 58) || code === 95;
}

/** True unless `start` is inside a word. Letters of an escape (`\n`, `%3D`, a terminal colour) do not count. */
function isWordStart(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (!isWord(before)) return true;
  // A cheap filter: of the escapes, two end with a letter, the others with a digit or the `m` of a colour.
  if (text.charCodeAt(start - 2) !== 92 && before !== 109 && !/[%\\]/.test(text.slice(Math.max(0, start - 6), start)))
    return false;
  return /(?:^|[^A-Za-z0-9_]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)$/.test(
    text.slice(Math.max(0, start - 12), start),
  );
}

/** Of two rules that found the same, the one that knows whose key it is names it. */
function vagueness({ kind }: Span): number {
  return ["secret", "password"].indexOf(kind);
}

/** Merges overlapping spans; the kind is that of the span that begins first, and of those the longest. */
export function withoutOverlaps(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end || vagueness(a) - vagueness(b))) {
    const last = out.at(-1);
    if (!last || span.start >= last.end) out.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return out;
}
