import { LONGEST_LINE, perlPattern, posixPattern, compileReplacement } from "./pattern.ts";

/** What a command does to the lines of a file; null when that cannot be known. */
export type Rewrite = (lines: readonly string[]) => string[] | null;

export interface StreamEdit {
  paths: string[];
  rewrite: Rewrite;
  /** Texts it replaces others with, as far as they are literal. */
  puts: string[];
}

/** Commands are not simulated on files with more lines. */
const MOST_LINES = 50_000;

/** `sed -i` with the commands agents use: `s`, `d`, `i`, `a`, `c` after a line number, a pattern or a range. */
export function sedEdit(args: readonly string[]): StreamEdit | null {
  let [isExtended, inPlace] = [false, false];
  const scripts: string[] = [];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-e" || arg === "--expression") scripts.push(args[++at] ?? "");
    else if (arg.startsWith("--expression=")) scripts.push(arg.slice("--expression=".length));
    else if (/^--in-place|^-[Er]*i/.test(arg)) {
      inPlace = true;
      isExtended ||= /^-[Er]+i/.test(arg);
      // `-i.bak` is the suffix of a backup. `-ie` asks for the suffix `e`, which nobody wants but many write.
    } else if (arg === "-E" || arg === "-r" || arg === "--regexp-extended") isExtended = true;
    else if (arg === "-z" || arg === "-n" || arg === "-f" || (arg.startsWith("-") && arg !== "-s")) return null;
    else if (arg !== "") words.push(arg);
  }
  if (scripts.length === 0) scripts.push(words.shift() ?? "");
  if (!inPlace || words.length === 0) return null;
  const commands = sedCommands(scripts.join("\n"), isExtended);
  return (
    commands && { paths: words, rewrite: (lines) => sedRun(commands, lines), puts: literalTexts(scripts.join("\n")) }
  );
}

/** Literal replacement texts of four characters and more: shorter ones occur everywhere. */
function literalTexts(script: string): string[] {
  return [...script.matchAll(/s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1((?:(?!\1)[^\\\n&$]){4,})\1/g)].map(
    (found) => found[2] ?? "",
  );
}

type Address = { line: number } | { last: true } | { pattern: RegExp };

interface SedCommand {
  from: Address | null;
  to: Address | null;
  isNot: boolean;
  does: { verb: "d" } | { verb: "i" | "a" | "c"; text: string } | { verb: "s"; change: (line: string) => string };
}

function sedCommands(script: string, isExtended: boolean): SedCommand[] | null {
  const out: SedCommand[] = [];
  let rest = script;
  for (;;) {
    rest = rest.replace(/^[\s;]+/, "");
    if (rest === "") return out;
    const from = addressOf(rest, isExtended);
    if (from) rest = rest.slice(from.length);
    const second = from && rest.startsWith(",") ? addressOf(rest.slice(1), isExtended) : null;
    if (second) rest = rest.slice(1 + second.length);
    else if (rest.startsWith(",")) return null;
    rest = rest.trimStart();
    const isNot = rest.startsWith("!");
    if (isNot) rest = rest.slice(1).trimStart();
    const done = verbOf(rest, isExtended);
    if (!done) return null;
    out.push({ from: from?.address ?? null, to: second?.address ?? null, isNot, does: done.does });
    rest = rest.slice(done.length);
  }
}

function addressOf(text: string, isExtended: boolean): { address: Address; length: number } | null {
  const [number] = /^\d+/.exec(text) ?? [];
  if (number !== undefined) return { address: { line: Number(number) }, length: number.length };
  if (text.startsWith("$")) return { address: { last: true }, length: 1 };
  const [whole, inside = ""] = /^\/((?:[^/\\\n]|\\.)*)\//.exec(text) ?? [];
  const pattern = whole === undefined ? null : posixPattern(inside, isExtended, "");
  return whole !== undefined && pattern ? { address: { pattern }, length: whole.length } : null;
}

function verbOf(text: string, isExtended: boolean): { does: SedCommand["does"]; length: number } | null {
  const verb = text[0] ?? "";
  if (verb === "d") return { does: { verb: "d" }, length: 1 };
  if (verb === "i" || verb === "a" || verb === "c") {
    // To the end of the line, and beyond where the line break is escaped.
    const [whole = "", body = ""] = /^.[ \t]*(?:\\[ \t]*\n?)?((?:[^\\\n]|\\[^])*)/.exec(text) ?? [];
    const lines = body.replace(/\\([^])/g, (_, c: string) => (c === "t" ? "\t" : c === "n" ? "\n" : c));
    return { does: { verb, text: lines }, length: whole.length };
  }
  if (verb !== "s") return null;
  const sign = (text[1] ?? "").replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  if (sign === "" || sign === "\n") return null;
  const part = `((?:(?!${sign})[^\\\\\\n]|\\\\[^])*)`;
  const found = new RegExp(`^s${sign}${part}${sign}${part}${sign}([gIi0-9]*)`).exec(text);
  if (!found) return null;
  const [whole, before = "", after = "", flags = ""] = found;
  const plain = text[1] ?? "/";
  const change = substitution(unescaped(before, plain), unescaped(after, plain), flags, isExtended);
  return change && { does: { verb: "s", change }, length: whole.length };
}

/** An escaped delimiter stands for itself. */
function unescaped(text: string, sign: string): string {
  return sign === "/" || /[A-Za-z0-9|+?(){}.*^$[\]]/.test(sign) ? text : text.replaceAll(`\\${sign}`, sign);
}

function substitution(
  before: string,
  after: string,
  flags: string,
  isExtended: boolean,
): ((line: string) => string) | null {
  const pattern = posixPattern(before, isExtended, /i/i.test(flags) ? "gi" : "g");
  const put = compileReplacement(after, "\\");
  const nth = Number(/\d+/.exec(flags)?.[0] ?? "1");
  if (!pattern || !put || before === "") return null;
  return (line) => {
    let count = 0;
    return line.replace(pattern, (...found: unknown[]) => {
      count++;
      const isAddressed = flags.includes("g") ? count >= nth : count === nth;
      return isAddressed ? put(groupsOf(found)) : String(found[0]);
    });
  };
}

/** The match and its groups, from the arguments of a replacer function: without offset, text and named groups. */
function groupsOf(found: readonly unknown[]): string[] {
  const end = found.findIndex((one, i) => i > 0 && typeof one === "number");
  return found.slice(0, end).map((one) => (typeof one === "string" ? one : ""));
}

function sedRun(commands: readonly SedCommand[], lines: readonly string[]): string[] | null {
  if (lines.length > MOST_LINES || lines.some((line) => line.length > LONGEST_LINE)) return null;
  const out: string[] = [];
  const open = commands.map(() => false);
  for (const [i, line] of lines.entries()) {
    const [before, behind]: [string[], string[]] = [[], []];
    let now: string | null = line;
    for (const [n, command] of commands.entries()) {
      if (now === null) break;
      if (!isMeant(command, now, i, lines.length, open, n)) continue;
      const { does } = command;
      if (does.verb === "d") now = null;
      else if (does.verb === "s") now = does.change(now);
      else if (does.verb === "i") before.push(...does.text.split("\n"));
      else if (does.verb === "a") behind.push(...does.text.split("\n"));
      else {
        before.push(...does.text.split("\n"));
        now = null;
      }
    }
    out.push(...before, ...(now === null ? [] : now.split("\n")), ...behind);
  }
  return out;
}

function isMeant(
  { from, to, isNot }: SedCommand,
  line: string,
  i: number,
  count: number,
  open: boolean[],
  n: number,
): boolean {
  const at = (address: Address): boolean =>
    "line" in address ? address.line === i + 1 : "last" in address ? i === count - 1 : address.pattern.test(line);
  if (!from) return true;
  if (!to) return at(from) !== isNot;
  let is = open[n] === true;
  if (is) open[n] = !at(to);
  else if (at(from)) {
    is = true;
    open[n] = !("line" in to && to.line <= i + 1);
  }
  return is !== isNot;
}

/** `perl -p -i -e`: substitutions only, on each line or (`-0`) on the whole file. */
export function perlEdit(args: readonly string[]): StreamEdit | null {
  let [isLoop, inPlace, isWhole] = [false, false, false];
  const scripts: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, letters] = /^-([0-9A-Za-z.]+)$/.exec(arg) ?? [];
    if (letters === undefined) {
      if (arg.startsWith("-")) return null;
      if (arg !== "") paths.push(arg);
      continue;
    }
    if (/^[MIC]/.test(letters)) return null;
    isWhole ||= letters.includes("0");
    isLoop ||= /^[^i]*p|^i[^.]*p/.test(letters);
    inPlace ||= letters.includes("i");
    if (/[eE]$/.test(letters)) scripts.push(args[++at] ?? "");
    else if (/n/.test(letters)) return null;
  }
  const steps = isLoop && inPlace ? perlSteps(scripts.join(";"), isWhole) : null;
  if (!steps || paths.length === 0) return null;
  return { paths, rewrite: (lines) => perlRun(steps, lines, isWhole), puts: literalTexts(scripts.join(";")) };
}

function perlSteps(script: string, isWhole: boolean): ((text: string) => string)[] | null {
  const out: ((text: string) => string)[] = [];
  let rest = script.trim();
  while (rest !== "") {
    const found =
      /^s([/|#!,~])((?:(?!\1)[^\\]|\\[^])*)\1((?:(?!\1)[^\\]|\\[^])*)\1([a-z]*)\s*(?:;\s*|$)/.exec(rest) ??
      /^s(\{)((?:[^{}\\]|\\[^])*)\}\{((?:[^{}\\]|\\[^])*)\}([a-z]*)\s*(?:;\s*|$)/.exec(rest);
    if (!found) return null;
    const [whole, , before = "", after = "", flags = ""] = found;
    if (/[^gims]/.test(flags) || before === "") return null;
    const pattern = perlPattern(before, flags);
    const put = compileReplacement(after, "$");
    if (!pattern || !put) return null;
    // In Perl the line break is part of the line.
    out.push((text) => {
      const lines = isWhole ? text : `${text}\n`;
      const changed = lines.replace(pattern, (...match: unknown[]) => put(groupsOf(match)));
      return isWhole ? changed : changed.replace(/\n$/, "");
    });
    rest = rest.slice(whole.length);
  }
  return out.length > 0 ? out : null;
}

function perlRun(
  steps: readonly ((text: string) => string)[],
  lines: readonly string[],
  isWhole: boolean,
): string[] | null {
  if (lines.length > MOST_LINES || lines.some((line) => line.length > LONGEST_LINE)) return null;
  const over = (text: string): string => steps.reduce((now, step) => step(now), text);
  if (isWhole)
    return over(`${lines.join("\n")}\n`)
      .replace(/\n$/, "")
      .split("\n");
  return lines.flatMap((line) => over(line).split("\n"));
}
