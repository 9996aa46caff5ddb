import { operands } from "../shell/options.ts";
import type { Ran } from "../shell/ran.ts";
import { UNKNOWN } from "../shell/working-place.ts";
import { filesLike, filesListedBy, isPattern, type FileSet } from "./file-sets.ts";
import { formatted } from "./formatters.ts";
import { impliedEdits } from "./implied-files.ts";
import type { BlameEdit } from "./model.ts";
import { printedBy } from "./printed-text.ts";
import { diffEdits } from "./unified-diff.ts";
import { perlEdit, sedEdit, type StreamEdit } from "./stream-edit.ts";

/** Options of `git` itself that take a word. */
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree)$/;

/** What a program did to files, where its text tells: what fits the file later was done so. Paths are as it was given them. */
export function editsOfProgram(ran: Ran): BlameEdit[] {
  const edits = editsOf(ran);
  return ran.isUnsure ? edits.map(asUnsure) : edits;
}

/** What may not have been written has been where it turns up. */
function asUnsure(edit: BlameEdit): BlameEdit {
  if (edit.kind === "write") return { kind: "script", path: edit.path, text: edit.content };
  if (edit.kind === "output") return { kind: "script", path: edit.path, text: "" };
  return edit.kind === "insert" ? { kind: "script", path: edit.path, text: edit.text } : edit;
}

function editsOf(ran: Ran): BlameEdit[] {
  const edits = editsByName(ran);
  return edits.length > 0 ? edits : printed(ran);
}

function editsByName(ran: Ran): BlameEdit[] {
  const { program, args } = ran;
  switch (program) {
    case "mv":
      return ways("move", operands(args, /^-[tS]$/));
    case "cp":
      return ways("copy", operands(args, /^-[tS]$/));
    case "git":
      return byGit(ran);
    case "patch":
      return patched(ran);
    case "rm":
    case "unlink":
      return operands(args).map((path) => ({ kind: "delete", path }));
    case "sed":
    case "gsed":
      return streamed(sedEdit(withFiles(ran)), ran);
    case "perl":
      return [...streamed(perlEdit(withFiles(ran)), ran), ...scripted(ran)];
    case "find":
      return executed(ran);
    case "tee":
      return teed(ran);
    default:
      return [...scripted(ran), ...formatted(ran), ...impliedEdits(ran)];
  }
}

function byGit(ran: Ran): BlameEdit[] {
  const { args } = ran;
  const [verb, ...words] = operands(args, GIT_VALUES);
  if (args.includes("-C")) return [];
  switch (verb) {
    case "mv":
      return ways("move", words);
    case "rm":
      return args.includes("--cached") ? [] : words.map((path) => ({ kind: "delete", path }));
    case "apply":
      return args.some((arg) => /^--(?:check|stat|cached)|^-R$/.test(arg)) ? [] : patched(ran);
    case "checkout":
    case "restore":
      return restored(args);
    default:
      return [];
  }
}

/** `checkout -- FILE`, `restore FILE`: as it was committed. From elsewhere nobody knows what comes. */
function restored(args: readonly string[]): BlameEdit[] {
  const at = args.indexOf("--");
  const before = at === -1 ? args : args.slice(0, at);
  if (before.some((arg) => /^--(?:source|staged|patch)|^-[sSpb]/.test(arg))) return [];
  const words = before.filter((arg) => !arg.startsWith("-")).slice(1);
  const isRestore = before.includes("restore");
  if (!isRestore && (at === -1 || words.some((word) => word !== "HEAD"))) return [];
  const paths = at === -1 ? words : args.slice(at + 1);
  return paths.map((path) => ({ kind: "restore", path }));
}

function patched({ program, args, fed, upstream }: Ran): BlameEdit[] {
  if (fed === "" || upstream.length > 0 || args.some((arg) => /^-R$|^--reverse|^--dry-run/.test(arg))) return [];
  const given = args.map((arg) => /^-p(\d)$/.exec(arg)?.[1]).find((number) => number !== undefined);
  const strip = given === undefined ? (program === "git" ? 1 : 0) : Number(given);
  return diffEdits(fed, strip) ?? [];
}

function ways(kind: "move" | "copy", words: readonly string[]): BlameEdit[] {
  const to = words.at(-1);
  return words.length < 2 || to === undefined ? [] : words.slice(0, -1).map((path) => ({ kind, path, to }));
}

/** What stands for the files that a program is given from elsewhere. */
const FILES = "{}";

function withFiles({ args, argsFromInput }: Ran): string[] {
  return argsFromInput && !args.includes(FILES) ? [...args, FILES] : args;
}

function streamed(edit: StreamEdit | null, ran: Ran): BlameEdit[] {
  if (!edit) return [];
  const { rewrite, puts } = edit;
  return edit.paths.flatMap((path): BlameEdit[] => {
    const sets =
      path === FILES || path === UNKNOWN ? (filesGiven(ran) ?? []) : isPattern(path) ? [filesLike(path)] : null;
    if (!sets) return [{ kind: "stream", path, rewrite, puts }];
    return sets.map(({ dir, ...among }) => ({ kind: "stream", path: dir, rewrite, puts, among }));
  });
}

/** Of a pipe these take lines away or put them in order, and change none. */
const PASSING = /^(?:grep|sort|uniq)$/;

/** `grep -l … | xargs`, `$(grep -l …)`: the files another program lists; null where it does not tell. */
function filesGiven({ argsFromInput, upstream, inWords }: Ran): FileSet[] | null {
  const [first, ...rest] = argsFromInput ? upstream : inWords;
  return first && rest.every(({ program }) => argsFromInput && PASSING.test(program)) ? filesListedBy(first) : null;
}

/** `find … -exec sed -i … {} +`. */
function executed(ran: Ran): BlameEdit[] {
  const at = ran.args.indexOf("-exec");
  if (at === -1) return [];
  const end = ran.args.findIndex((arg, i) => i > at && (arg === ";" || arg === "+"));
  const [program = "", ...args] = ran.args.slice(at + 1, end === -1 ? undefined : end);
  const finding = { ...ran, args: ran.args.slice(0, at) };
  const run: Ran = { ...ran, program, args, argsFromInput: true, upstream: [finding], downstream: [] };
  return program === "sed" || program === "gsed" || program === "perl" ? editsOf(run) : [];
}

function printed(ran: Ran): BlameEdit[] {
  const [to, more] = ran.printsTo;
  if (!to || more || ran.downstream.length > 0) return [];
  // `cat a > b` is a copy.
  const [from, other] = ran.args;
  if (ran.program === "cat" && ran.fed === "" && from !== undefined && other === undefined && !from.startsWith("-"))
    return to.adds ? [] : [{ kind: "copy", path: from, to: to.path }];
  const text = printedBy(ran);
  if (text !== null) return [put(to.path, text, to.adds)];
  return to.path.startsWith("/dev/") ? [] : [to.adds ? touched(to.path) : { kind: "output", path: to.path }];
}

/** It was written, and nobody wrote down what. */
function touched(path: string): BlameEdit {
  return { kind: "script", path, text: "" };
}

/** `… | tee FILE`: what comes in from the program before. */
function teed({ args, fed, upstream }: Ran): BlameEdit[] {
  const source = upstream.at(-1);
  const text = fed !== "" ? `${fed}\n` : source && upstream.length === 1 ? printedBy(source) : null;
  const adds = args.some((arg) => /^-\w*a|^--append/.test(arg));
  return operands(args).map((path) =>
    text !== null ? put(path, text, adds) : adds ? touched(path) : { kind: "output", path },
  );
}

function put(path: string, text: string, adds: boolean): BlameEdit {
  return adds ? { kind: "insert", path, line: Infinity, text } : { kind: "write", path, content: text };
}

export const INTERPRETERS: RegExp = /^(?:python[\d.]*|node|nodejs|deno|bun|ruby|perl|php|tsx)$/;
const WRITES = /write|\bopen\s*\(|output|fs\.|File\.|put_contents|dump|savetxt|copy|print\s*\{/i;
const NAMED = /(["'`])((?:(?!\1)[^\\\n]){1,300})\1/g;

/** They look at the files they are given. */
const TESTS = /^(?:--test|--check|pytest|unittest|test)$/;

/** A script that is given whole and writes files: it names them, and holds what it writes. One that is run by its name may write the files it is given. */
function scripted({ program, args, fed, upstream }: Ran): BlameEdit[] {
  if (!INTERPRETERS.test(program) || upstream.length > 0) return [];
  const at = args.findIndex((arg) => /^-[a-zA-Z]*[ceE]$|^--eval$/.test(arg));
  const text = at === -1 ? fed : (args[at + 1] ?? "");
  if (text === "") return args.some((arg) => TESTS.test(arg)) ? [] : operands(args).slice(1).map(touched);
  if (!WRITES.test(text)) return [];
  const paths = [...text.matchAll(NAMED)].map((found) => found[2] ?? "").filter((path) => /[\w/.]/.test(path));
  return [...new Set(paths)].filter((path) => !path.includes(UNKNOWN)).map((path) => ({ kind: "script", path, text }));
}
