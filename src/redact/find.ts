import { CONTEXTS, COOKIES, cookieSecrets } from "./contexts.ts";
import { secretlintSecrets } from "./secretlint-rules.ts";
import { isSecretlintShape, SECRETLINT_SIGNS } from "./secretlint-signs.ts";
import { LAYERS, layerSecrets } from "./layers.ts";
import { FLAGS, NAMED, namedSecret, type Span } from "./named.ts";
import { KEY_BLOCK, privateKeys } from "./private-keys.ts";
import { JOINED, SHAPES, SHORTEST_JOINED, type Shape } from "./shapes.ts";
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

function shapeRule({ kind, pattern: patternOf, accept, atWordStart }: Shape): Rule {
  return (text, at) => {
    // Checked before the pattern: a hostile text may consist of nothing but signs.
    if (atWordStart && !isWordStart(text, at)) return [];
    const pattern = patternOf();
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return [];
    const start = at - (match.groups?.["before"]?.length ?? 0);
    const end = pattern.lastIndex;
    return accept?.(text.slice(start, end)) === false ? [] : [{ start, end, kind }];
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
    search.done.set(self, end);
    return found;
  };
  return self;
}

const rules = (): SignTable<Rule> => (table ??= new SignTable<Rule>(allSigns()));
let table: SignTable<Rule> | null = null;

const allSigns = (): Sign<Rule>[] => [
  ...SHAPES.flatMap((shape) => signsFor(shape.signs, shapeRule(shape))),
  ...CONTEXTS.flatMap(({ signs, kind, pattern, accept }) =>
    signsFor(signs, (text, at) => {
      pattern.lastIndex = at;
      const place = pattern.exec(text)?.indices?.groups?.["secret"];
      if (!place || accept?.(text.slice(...place)) === false) return [];
      return [{ start: place[0], end: place[1], kind }];
    }),
  ),
  ...COOKIES.flatMap(({ signs, pattern }) =>
    signsFor(
      signs,
      oncePerRun((text, at) => cookieSecrets(text, at, pattern)),
    ),
  ),
  ...signsFor(
    [KEY_BLOCK],
    oncePerRun((text) => ({ found: privateKeys(text), end: text.length })),
  ),
  ...CERTAIN_PREFIXES.flatMap((sign) => signsFor([sign], truncatedRule(sign))),
  ...signsFor(
    SECRETLINT_SIGNS,
    oncePerRun((text, at) => (isSecretlintShape(text, at) ? secretlintSecrets(text, at) : { found: [], end: at + 1 })),
  ),
  ...LAYERS.flatMap((layer) =>
    signsFor(
      layer.signs,
      oncePerRun((text, at, { depth }) =>
        layerSecrets(text, layer, at, (inner) => (depth < DEEPEST ? findSecrets(inner, depth + 1) : [])),
      ),
    ),
  ),
];

/** `mayHold` is a cheap filter: compiling these patterns takes longer than printing most answers. */
const BY_NAME: readonly { pattern: RegExp; mayHold: (text: string) => boolean }[] = [
  { pattern: NAMED, mayHold: (text) => /[=:>]/.test(text) },
  { pattern: FLAGS, mayHold: (text) => text.includes("--") },
];

/** Matches most field names: every token this short contains a digit, a capital letter or a hyphen. */
const PLAIN_NAME = /^[a-z_]{1,19}$/;

/** All secrets in a text, in order and without overlaps. */
export function findSecrets(text: string, depth = 0): Span[] {
  if (PLAIN_NAME.test(text)) return [];
  const found: Span[] = [];
  const search: Search = { depth, done: new Map() };
  rules().scan(text, (rule, at) => void found.push(...rule(text, at, search)));
  for (const { pattern, mayHold } of BY_NAME) {
    if (!mayHold(text)) continue;
    let done = 0;
    for (const { index, 0: sign } of text.matchAll(pattern)) {
      const span = index < done ? null : namedSecret(text, index + sign.length);
      if (!span) continue;
      found.push(span);
      done = span.end;
    }
  }
  for (const { kind, pattern, accept } of text.length < SHORTEST_JOINED ? [] : JOINED) {
    for (const { index, groups, 0: rest } of text.matchAll(pattern)) {
      const [start, end] = [index - (groups?.["before"]?.length ?? 0), index + rest.length];
      if (accept?.(text.slice(start, end)) !== false) found.push({ start, end, kind });
    }
  }
  const left = found.filter(({ start, end }) => !isInMark(text, start) && !isInMark(text, end));
  return left.length > 1 ? withoutOverlaps(left) : left;
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

/** True unless `start` is inside a word. Letters of an escape (`\n`, `%3D`, a terminal colour) do not count. */
function isWordStart(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  return /(?:^|[^A-Za-z0-9_]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)$/.test(
    before,
  );
}

/** Merges overlapping spans; the kind is that of the span that begins first, and of those the longest. */
export function withoutOverlaps(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1);
    if (!last || span.start >= last.end) out.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return out;
}
