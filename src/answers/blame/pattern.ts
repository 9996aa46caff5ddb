/*
 * Translates patterns of `sed` and `perl` to JavaScript, as far as they mean the same. Null when a pattern is not
 * understood: then the effect of the command is unknown.
 */

/** Longer lines are not source code, and a pattern may take very long on them. */
export const LONGEST_LINE = 2000;
/** Maximum number of unbounded repetitions: with more of them a failing match could take for ever. */
const MOST_OPEN = 3;

const CLASSES: Readonly<Record<string, string>> = {
  space: "\\s",
  digit: "\\d",
  alpha: "A-Za-z",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
};

/** Basic or extended POSIX expressions with GNU's extensions. */
export function posixPattern(text: string, isExtended: boolean, flags: string): RegExp | null {
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? "";
    if (c === "[") {
      const found = /^\[\^?\]?(?:\[:\w+:\]|[^\]])*\]/.exec(text.slice(at));
      if (!found) return null;
      out += bracket(found[0]);
      at += found[0].length - 1;
    } else if (c === "\\") {
      const next = text[++at] ?? "";
      if ("(){}|+?".includes(next)) out += isExtended ? `\\${next}` : next;
      else if (next === "<" || next === ">") out += "\\b";
      else if (/[nt.*[\]^$\\/wWsSbB1-9&"'#|,-]/.test(next)) out += /[&"'#,]/.test(next) ? next : `\\${next}`;
      else return null;
    } else if ("(){}|+?".includes(c)) out += isExtended ? c : `\\${c}`;
    else if (c === "*" && (out === "" || out === "^")) out += "\\*";
    else if (c === "^" && out !== "" && !out.endsWith("(") && !out.endsWith("|")) out += "\\^";
    else if (c === "$" && at < text.length - 1 && !/^(?:\\?[)|])/.test(text.slice(at + 1))) out += "\\$";
    else out += c;
  }
  return compile(out, flags);
}

function bracket(text: string): string {
  const isNot = text.startsWith("[^");
  const inside = text
    .slice(isNot ? 2 : 1, -1)
    .replace(/\\(?![nt\]\\])/g, "\\\\")
    .replace(/^\]/, "\\]")
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole)
    .replace(/\[(?!:)/g, "\\[");
  return `[${isNot ? "^" : ""}${inside}]`;
}

/** Perl expressions that JavaScript supports too. */
export function perlPattern(text: string, flags: string): RegExp | null {
  // Variables, and syntax that only Perl has.
  if (/(?<!\\)[$@][A-Za-z_{]|\\[AzZQEGKRhHxpP]|\(\?[^:=!<]|[*+?}]\+/.test(text)) return null;
  return compile(text, flags);
}

function compile(source: string, flags: string): RegExp | null {
  const open = source.match(/(?<!\\)[*+]|(?<!\\)\{\d+,\}/g)?.length ?? 0;
  // Nested repetitions are the ones that never end.
  if (open > MOST_OPEN || (open > 1 && /\)[*+{]/.test(source))) return null;
  for (const more of ["u", ""])
    try {
      return new RegExp(source, flags + more);
    } catch {
      // Tried again without `u`, which allows more.
    }
  return null;
}

/**
 * Compiles a replacement text with `\1`, `&` (or `$1`, `$&`), line breaks and escapes; null when it uses more than
 * that.
 */
export function compileReplacement(text: string, sign: "\\" | "$"): ((match: readonly string[]) => string) | null {
  const parts: (string | number)[] = [];
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (c === "\\") {
      at++;
      if (/[0-9]/.test(next)) parts.push(Number(next));
      else if (next === "n" || next === "\n") parts.push("\n");
      else if (next === "t") parts.push("\t");
      else if (/[A-Za-z]/.test(next)) return null;
      else parts.push(next);
    } else if (c === "&" && sign === "\\") parts.push(0);
    else if (sign === "$" && c === "$") {
      const [found, number] = /^\$\{?([0-9&])\}?/.exec(text.slice(at)) ?? [];
      if (found === undefined) return null;
      parts.push(number === "&" ? 0 : Number(number));
      at += found.length - 1;
    } else if (sign === "$" && c === "@" && /\w/.test(next)) return null;
    else parts.push(c);
  }
  return (match) => parts.map((part) => (typeof part === "number" ? (match[part] ?? "") : part)).join("");
}
