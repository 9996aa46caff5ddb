/**
 * A replacement in a script given inline: `.replace("old", "new")` with string literals, or with variables that were
 * set to literals. Whatever else a script does is unknown.
 */
export interface Replacement {
  before: string;
  after: string;
}

/** Longer scripts are not parsed. */
const LONGEST = 1 << 16;
const MAX_REPLACEMENTS = 200;

/** The replacements of a script, in order. */
export function replacementsIn(script: string): Replacement[] {
  if (script.length > LONGEST || !script.includes("replace")) return [];
  const tokens = tokensOf(script);
  const values = new Map<string, string>();
  const out: Replacement[] = [];
  for (let at = 0; at < tokens.length && out.length < MAX_REPLACEMENTS; at++) {
    const [name, sign] = [tokens[at], tokens[at + 1]];
    if (name?.kind === "name" && sign?.kind === "sign" && sign.text === "=") {
      const value = textAt(tokens, at + 2, values);
      if (value) values.set(name.text, value.text);
      else values.delete(name.text);
    }
    if (name?.kind !== "name" || !/^replace(?:All)?$/.test(name.text) || !isSign(sign, "(")) continue;
    const before = textAt(tokens, at + 2, values);
    const after = before && isSign(tokens[before.end], ",") ? textAt(tokens, before.end + 1, values) : null;
    if (before && after && before.text !== "") out.push({ before: before.text, after: after.text });
  }
  return out;
}

/** Applies the replacements, to every occurrence or only to the first one: languages differ in that. */
export function applyReplacements(text: string, all: readonly Replacement[], isEach: boolean): string {
  return all.reduce(
    (now, { before, after }) => (isEach ? now.replaceAll(before, () => after) : now.replace(before, () => after)),
    text,
  );
}

interface Token {
  kind: "text" | "name" | "sign";
  text: string;
}

const isSign = (token: Token | undefined, text: string): boolean => token?.kind === "sign" && token.text === text;

/** One string, or several joined by `+`. */
function textAt(
  tokens: readonly Token[],
  from: number,
  values: ReadonlyMap<string, string>,
): { text: string; end: number } | null {
  let found = partAt(tokens, from, values);
  while (found && isSign(tokens[found.end], "+")) {
    const next = partAt(tokens, found.end + 1, values);
    found = next && { text: found.text + next.text, end: next.end };
  }
  return found;
}

/** A string literal, several adjacent ones, or a variable; possibly in parentheses. */
function partAt(
  tokens: readonly Token[],
  from: number,
  values: ReadonlyMap<string, string>,
): { text: string; end: number } | null {
  if (isSign(tokens[from], "(")) {
    const inner = textAt(tokens, from + 1, values);
    return inner && isSign(tokens[inner.end], ")") ? { text: inner.text, end: inner.end + 1 } : null;
  }
  const first = tokens[from];
  const value = first?.kind === "name" ? values.get(first.text) : undefined;
  if (value !== undefined) return { text: value, end: from + 1 };
  let [text, at] = ["", from];
  for (let token = tokens[at]; token?.kind === "text"; token = tokens[++at]) text += token.text;
  return at === from ? null : { text, end: at };
}

const TOKEN =
  /([rRbBuU]?)("""|''')([^]*?)\2|([rRbBuU]?)(["'])((?:(?!\5)[^\\\n]|\\[^])*)\5|`((?:[^`\\]|\\[^])*)`|([A-Za-z_$][\w$]*)|#[^\n]*|\/\/[^\n]*|(\S)/g;

function tokensOf(script: string): Token[] {
  const out: Token[] = [];
  for (const [, raw3, triple, long, raw1, quote, short, template, name, sign] of script.matchAll(TOKEN)) {
    if (triple !== undefined) out.push({ kind: "text", text: unescape(long, raw3) });
    else if (quote !== undefined) out.push({ kind: "text", text: unescape(short, raw1) });
    else if (template !== undefined)
      // The values inserted into a template are unknown.
      out.push(template.includes("${") ? { kind: "sign", text: "`" } : { kind: "text", text: unescape(template, "") });
    else if (name !== undefined) out.push({ kind: "name", text: name });
    else if (sign !== undefined) out.push({ kind: "sign", text: sign });
  }
  return out;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", "\n": "" };

function unescape(text = "", prefix = ""): string {
  return /r/i.test(prefix) ? text : text.replace(/\\([^])/g, (_, c: string) => ESCAPES[c] ?? c);
}
