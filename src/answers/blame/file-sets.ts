import { operands } from "../../base/shell/options.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";
import { perlPattern, posixPattern } from "./pattern.ts";

/** Files below a directory that a command refers to without naming each one. */
export interface FileSet {
  /** The directory, as the command was given it. */
  dir: string;
  /** Whether a path relative to the directory is one of them. */
  means: (below: string) => boolean;
  /** Only files with a line that matches; null for all. */
  holding: RegExp | null;
}

export const isPattern = (word: string): boolean => /[*?[{]/.test(word);

/** The files that a shell pattern stands for. */
export function filesLike(word: string): FileSet {
  const at = word.search(/[*?[{]/);
  const end = word.lastIndexOf("/", at);
  const [dir, rest] = end === -1 ? [".", word] : [word.slice(0, end) || "/", word.slice(end + 1)];
  const pattern = globPattern(rest);
  return { dir, means: (below) => pattern?.test(below) === true, holding: null };
}

/** The files that a program lists, if its arguments tell; null otherwise. */
export function filesListedBy(ran: ProgramRun): FileSet[] | null {
  const { program, args } = ran;
  if (/^(?:e|f)?grep$/.test(program) || program === "rg") return grepFiles(program, args);
  if (program === "find") return findFiles(args);
  if (program !== "git") return null;
  if (args[0] === "grep") return grepFiles("git", args.slice(1));
  return args[0] === "ls-files" ? gitFiles(args.slice(1)) : null;
}

/** Options of `grep` and `rg` that take a value. */
const GREP_VALUES = /^(?:-[egtTABCm]|--(?:include|exclude|exclude-dir|glob|type|regexp))$/;

function grepFiles(program: string, args: readonly string[]): FileSet[] | null {
  // Not supported: listing files without a match, and patterns that are given or matched in another way.
  const isListing = args.some((arg) => /^-[a-zA-Z]*l|^--files-with-matches$/.test(arg));
  if (!isListing || args.some((arg) => /^-[a-zA-Z]*[LvefPwx]|^--(?:invert|regexp|file)/.test(arg))) return null;
  const [pattern, ...dirs] = operands(args, GREP_VALUES);
  if (pattern === undefined) return null;
  const names = args.flatMap((arg, i) => {
    const [, given] = /^--(?:include|glob)=(.+)$/.exec(arg) ?? [];
    return given ?? (/^(?:--include|-g|--glob)$/.test(arg) ? (args[i + 1] ?? []) : []);
  });
  const wanted = names.filter((name) => !name.startsWith("!")).map((name) => globPattern(name.split("/").at(-1) ?? ""));
  const means = (below: string): boolean =>
    wanted.length === 0 || wanted.some((one) => one?.test(below.split("/").at(-1) ?? "") === true);
  const holding = lineHolding(program, args, pattern);
  const sets = dirs.length === 0 ? ["."] : dirs;
  return sets.map((dir) => (isPattern(dir) ? { ...filesLike(dir), holding } : { dir, means, holding }));
}

function lineHolding(program: string, args: readonly string[], pattern: string): RegExp | null {
  const has = (letter: string): boolean => args.some((arg) => new RegExp(`^-[a-zA-Z]*${letter}`).test(arg));
  const flags = has("i") ? "i" : "";
  if (program === "fgrep" || has("F")) return new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags);
  return program === "rg" ? perlPattern(pattern, flags) : posixPattern(pattern, program === "egrep" || has("E"), flags);
}

function findFiles(args: readonly string[]): FileSet[] | null {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg));
  const [dirs, tests] = first === -1 ? [args, []] : [args.slice(0, first), args.slice(first)];
  const names: (RegExp | null)[] = [];
  for (const [i, test] of tests.entries()) {
    if (test === "-not" || test === "!" || test === "-prune") return null;
    if (test === "-name" || test === "-iname") names.push(globPattern(tests[i + 1] ?? ""));
  }
  const means = (below: string): boolean =>
    names.length === 0 || names.some((name) => name?.test(below.split("/").at(-1) ?? "") === true);
  return (dirs.length === 0 ? ["."] : dirs).map((dir) => ({ dir, means, holding: null }));
}

/** In git's patterns `*` also matches across directories. */
function gitFiles(args: readonly string[]): FileSet[] {
  const words = operands(args);
  if (words.length === 0) return [{ dir: ".", means: () => true, holding: null }];
  return words.map((word) => {
    if (!isPattern(word)) return { dir: word, means: () => true, holding: null };
    const { dir } = filesLike(word);
    const pattern = globPattern(word.slice(dir === "." ? 0 : dir.length + 1), ".*");
    return { dir, means: (below) => pattern?.test(below) === true, holding: null };
  });
}

/** A shell pattern as an expression for a whole path. */
function globPattern(glob: string, any = "[^/]*"): RegExp | null {
  let out = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const c = glob[at] ?? "";
    if (glob.startsWith("**/", at)) {
      out += "(?:.*/)?";
      at += 2;
    } else if (c === "*") out += any;
    else if (c === "?") out += "[^/]";
    else if (c === "[") {
      const end = glob.indexOf("]", at + 2);
      if (end === -1) return null;
      out += `[${glob
        .slice(at + 1, end)
        .replace(/^!/, "^")
        .replaceAll("\\", "\\\\")}]`;
      at = end;
    } else if (c === "{") [out, depth] = [`${out}(?:`, depth + 1];
    else if (c === "}" && depth > 0) [out, depth] = [`${out})`, depth - 1];
    else if (c === "," && depth > 0) out += "|";
    else out += c.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  }
  try {
    return depth === 0 ? new RegExp(`^${out}$`) : null;
  } catch {
    return null;
  }
}
