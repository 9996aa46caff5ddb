import { CONTEXTS, COOKIE_SIGNS, cookieSecrets } from "./contexts.ts";
import { secretlintSecrets } from "./secretlint-rules.ts";
import { isSecretlintShape, SECRETLINT_SIGNS } from "./secretlint-signs.ts";
import { LAYERS, layerSecrets } from "./layers.ts";
import { FLAGS, NAMED, namedSecret, type Span } from "./named.ts";
import { KEY_BLOCK, privateKeys } from "./private-keys.ts";
import { JOINED, SHAPES, SHORTEST_JOINED, type Shape } from "./shapes.ts";
import { SignTable, type Sign } from "./signs.ts";

/** What may stand where a sign begins. Returns the secrets there; a rule that looked further says how far. */
type Rule = (text: string, at: number, search: Search) => readonly Span[];

/** One search through one text. */
interface Search {
  depth: number;
  /** Rules that look at a whole run: where each of them ended last. */
  done: Map<Rule, number>;
}

/** JSON in a query is the deepest that was met; each layer costs another look at its text. */
const DEEPEST = 2;

function signsFor(texts: readonly string[], value: Rule): Sign<Rule>[] {
  return texts.map((text) => ({ text, value }));
}

function shapeRule({ kind, pattern: patternOf, accept, free }: Shape): Rule {
  return (text, at) => {
    // Before the pattern: a text may hold nothing but beginnings.
    if (free && !standsFree(text, at)) return [];
    const pattern = patternOf();
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return [];
    const start = at - (match.groups?.["before"]?.length ?? 0);
    const end = pattern.lastIndex;
    return accept?.(text.slice(start, end)) === false ? [] : [{ start, end, kind }];
  };
}

/** A key that was cut off with its text is too short to be known by its form, but still half a key. */
const HALF = /[\w-]{4,255}(?=…?(?:$|[\n"]))/y;

function halfRule(sign: string): Rule {
  return (text, at) => {
    HALF.lastIndex = at + sign.length;
    if (!HALF.test(text) || !/\d/.test(text.slice(at + sign.length, HALF.lastIndex)) || !standsFree(text, at))
      return [];
    return [{ start: at, end: HALF.lastIndex, kind: "secret" }];
  };
}

/** Beginnings that nothing else has. */
const SURE = [
  ...["sk-ant-", "sk-proj-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "AKIA"],
  ...["ASIA", "xoxb-", "xoxp-", "xapp-", "AIza", "npm_", "hf_", "sk_live_", "rk_live_", "dckr_pat_", "dop_v1_", "gsk_"],
];

/** A run of text is looked at once, however many signs stand in it. */
function once(rule: (text: string, at: number, search: Search) => { found: Span[]; end: number }): Rule {
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
  ...signsFor(COOKIE_SIGNS, cookieSecrets),
  ...signsFor(
    [KEY_BLOCK],
    once((text) => ({ found: privateKeys(text), end: text.length })),
  ),
  ...SURE.flatMap((sign) => signsFor([sign], halfRule(sign))),
  ...signsFor(
    SECRETLINT_SIGNS,
    once((text, at) => (isSecretlintShape(text, at) ? secretlintSecrets(text, at) : { found: [], end: at + 1 })),
  ),
  ...LAYERS.flatMap((layer) =>
    signsFor(
      layer.signs,
      once((text, at, { depth }) =>
        layerSecrets(text, layer, at, (inner) => (depth < DEEPEST ? findSecrets(inner, depth + 1) : [])),
      ),
    ),
  ),
];

/** With what is seen at once of texts that hold no such name: to compile a pattern takes longer than to print most answers. */
const BY_NAME: readonly { pattern: RegExp; mayHold: (text: string) => boolean }[] = [
  { pattern: NAMED, mayHold: (text) => /[=:>]/.test(text) },
  { pattern: FLAGS, mayHold: (text) => text.includes("--") },
];

/** Most names of fields: every token of so few characters has a digit, a capital or a hyphen. */
const PLAIN_NAME = /^[a-z_]{1,19}$/;

/** Every secret of the text, in order and without overlaps. */
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
  return left.length > 1 ? apart(left) : left;
}

/** What says that something was hidden, and as what. */
const MARK = /\[redacted:[a-z0-9-]{1,30}\]/g;
const LONGEST_MARK = 41;

/** The name of what was hidden is no secret, whatever stands around it. */
function isInMark(text: string, at: number): boolean {
  const from = Math.max(0, at - LONGEST_MARK);
  return [...text.slice(from, at + LONGEST_MARK).matchAll(MARK)].some(
    ({ index, 0: mark }) => from + index < at && at < from + index + mark.length,
  );
}

/** Not the middle of a word: after an escape (`\n`, `%3D`, the end of a colour) the letter before it is none of the word's. */
function standsFree(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  return /(?:^|[^A-Za-z0-9_]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)$/.test(
    before,
  );
}

/** Where several rules met, the one that begins first and hides most names it. */
export function apart(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1);
    if (!last || span.start >= last.end) out.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return out;
}
