import { operands } from "../../base/shell/options.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";
import { UNKNOWN_PART } from "../../base/shell/working-place.ts";
import { filesLike, filesListedBy, isPattern, type FileSet } from "./file-sets.ts";
import { formatterEdits } from "./formatters.ts";
import { impliedEdits } from "./implied-files.ts";
import type { BlameEdit } from "./model.ts";
import { outputOf } from "./printed-text.ts";
import { diffEdits } from "./unified-diff.ts";
import { perlEdit, sedEdit, type StreamEdit } from "./stream-edit.ts";

/** Options of `git` itself that take a value. */
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree)$/;

/**
 * What a program did to files, as far as its text tells; what fits the file later was done in this way. Paths are as
 * given.
 */
export function editsOfProgram(ran: ProgramRun): BlameEdit[] {
  const edits = editsOf(ran);
  return ran.isUnsure ? edits.map(asUnsure) : edits;
}

/** For a program that may not have run: what it writes counts only where it turns up. */
function asUnsure(edit: BlameEdit): BlameEdit {
  if (edit.kind === "write") return { kind: "script", path: edit.path, text: edit.content };
  if (edit.kind === "output") return { kind: "script", path: edit.path, text: "" };
  return edit.kind === "insert" ? { kind: "script", path: edit.path, text: edit.text } : edit;
}

function editsOf(ran: ProgramRun): BlameEdit[] {
  const edits = editsByName(ran);
  return edits.length > 0 ? edits : redirectEdits(ran);
}

function editsByName(ran: ProgramRun): BlameEdit[] {
  const { program, args } = ran;
  switch (program) {
    case "mv":
      return moveEdits("move", operands(args, /^-[tS]$/));
    case "cp":
      return moveEdits("copy", operands(args, /^-[tS]$/));
    case "git":
      return byGit(ran);
    case "patch":
      return patchEdits(ran);
    case "rm":
    case "unlink":
      return operands(args).map((path) => ({ kind: "delete", path }));
    case "sed":
    case "gsed":
      return streamEdits(sedEdit(withFiles(ran)), ran);
    case "perl":
      return [...streamEdits(perlEdit(withFiles(ran)), ran), ...scriptEdits(ran)];
    case "find":
      return execEdits(ran);
    case "tee":
      return teeEdits(ran);
    default:
      return [...scriptEdits(ran), ...formatterEdits(ran), ...impliedEdits(ran)];
  }
}

function byGit(ran: ProgramRun): BlameEdit[] {
  const { args } = ran;
  const [verb, ...words] = operands(args, GIT_VALUES);
  if (args.includes("-C")) return [];
  switch (verb) {
    case "mv":
      return moveEdits("move", words);
    case "rm":
      return args.includes("--cached") ? [] : words.map((path) => ({ kind: "delete", path }));
    case "apply":
      return args.some((arg) => /^--(?:check|stat|cached)|^-R$/.test(arg)) ? [] : patchEdits(ran);
    case "checkout":
    case "restore":
      return restoreEdits(args);
    default:
      return [];
  }
}

/** `checkout -- FILE`, `restore FILE`: back to what was committed. The content of other sources is unknown. */
function restoreEdits(args: readonly string[]): BlameEdit[] {
  const at = args.indexOf("--");
  const before = at === -1 ? args : args.slice(0, at);
  if (before.some((arg) => /^--(?:source|staged|patch)|^-[sSpb]/.test(arg))) return [];
  const words = before.filter((arg) => !arg.startsWith("-")).slice(1);
  const isRestore = before.includes("restore");
  if (!isRestore && (at === -1 || words.some((word) => word !== "HEAD"))) return [];
  const paths = at === -1 ? words : args.slice(at + 1);
  return paths.map((path) => ({ kind: "restore", path }));
}

function patchEdits({ program, args, hereText: fed, upstream }: ProgramRun): BlameEdit[] {
  if (fed === "" || upstream.length > 0 || args.some((arg) => /^-R$|^--reverse|^--dry-run/.test(arg))) return [];
  const given = args.map((arg) => /^-p(\d)$/.exec(arg)?.[1]).find((number) => number !== undefined);
  const strip = given === undefined ? (program === "git" ? 1 : 0) : Number(given);
  return diffEdits(fed, strip) ?? [];
}

function moveEdits(kind: "move" | "copy", words: readonly string[]): BlameEdit[] {
  const to = words.at(-1);
  return words.length < 2 || to === undefined ? [] : words.slice(0, -1).map((path) => ({ kind, path, to }));
}

/** Placeholder for files that a program is given from elsewhere. */
const FILES = "{}";

function withFiles({ args, argsFromInput }: ProgramRun): string[] {
  return argsFromInput && !args.includes(FILES) ? [...args, FILES] : args;
}

function streamEdits(edit: StreamEdit | null, ran: ProgramRun): BlameEdit[] {
  if (!edit) return [];
  const { rewrite, puts } = edit;
  return edit.paths.flatMap((path): BlameEdit[] => {
    const sets =
      path === FILES || path === UNKNOWN_PART ? (filesGiven(ran) ?? []) : isPattern(path) ? [filesLike(path)] : null;
    if (!sets) return [{ kind: "stream", path, rewrite, puts }];
    return sets.map(({ dir, ...among }) => ({ kind: "stream", path: dir, rewrite, puts, among }));
  });
}

/** Programs that drop or sort the lines of a pipe and change none. */
const PASSING = /^(?:grep|sort|uniq)$/;

/** `grep -l … | xargs`, `$(grep -l …)`: the files that another program lists; null when they are unknown. */
function filesGiven({ argsFromInput, upstream, substitutions: inWords }: ProgramRun): FileSet[] | null {
  const [first, ...rest] = argsFromInput ? upstream : inWords;
  return first && rest.every(({ program }) => argsFromInput && PASSING.test(program)) ? filesListedBy(first) : null;
}

/** `find … -exec sed -i … {} +`. */
function execEdits(ran: ProgramRun): BlameEdit[] {
  const at = ran.args.indexOf("-exec");
  if (at === -1) return [];
  const end = ran.args.findIndex((arg, i) => i > at && (arg === ";" || arg === "+"));
  const [program = "", ...args] = ran.args.slice(at + 1, end === -1 ? undefined : end);
  const finding = { ...ran, args: ran.args.slice(0, at) };
  const run: ProgramRun = { ...ran, program, args, argsFromInput: true, upstream: [finding], downstream: [] };
  return program === "sed" || program === "gsed" || program === "perl" ? editsOf(run) : [];
}

function redirectEdits(ran: ProgramRun): BlameEdit[] {
  const [to, more] = ran.printsTo;
  if (!to || more || ran.downstream.length > 0) return [];
  // `cat a > b` is a copy.
  const [from, other] = ran.args;
  if (
    ran.program === "cat" &&
    ran.hereText === "" &&
    from !== undefined &&
    other === undefined &&
    !from.startsWith("-")
  )
    return to.appends ? [] : [{ kind: "copy", path: from, to: to.path }];
  const text = outputOf(ran);
  if (text !== null) return [writeEdit(to.path, text, to.appends)];
  return to.path.startsWith("/dev/") ? [] : [to.appends ? unknownWrite(to.path) : { kind: "output", path: to.path }];
}

/** The file was written, with unknown content. */
function unknownWrite(path: string): BlameEdit {
  return { kind: "script", path, text: "" };
}

/** `… | tee FILE`: writes what the program before prints. */
function teeEdits({ args, hereText: fed, upstream }: ProgramRun): BlameEdit[] {
  const source = upstream.at(-1);
  const text = fed !== "" ? `${fed}\n` : source && upstream.length === 1 ? outputOf(source) : null;
  const adds = args.some((arg) => /^-\w*a|^--append/.test(arg));
  return operands(args).map((path) =>
    text !== null ? writeEdit(path, text, adds) : adds ? unknownWrite(path) : { kind: "output", path },
  );
}

function writeEdit(path: string, text: string, adds: boolean): BlameEdit {
  return adds ? { kind: "insert", path, line: Infinity, text } : { kind: "write", path, content: text };
}

export const INTERPRETERS: RegExp = /^(?:python[\d.]*|node|nodejs|deno|bun|ruby|perl|php|tsx)$/;
const WRITES = /write|\bopen\s*\(|output|fs\.|File\.|put_contents|dump|savetxt|copy|print\s*\{/i;
const NAMED = /(["'`])((?:(?!\1)[^\\\n]){1,300})\1/g;

/** Tests and checks only read the files they are given. */
const TESTS = /^(?:--test|--check|pytest|unittest|test)$/;

/**
 * A script given inline that writes files: it names them and contains what it writes. A script that is run by name may
 * write the files it is given.
 */
function scriptEdits({ program, args, hereText: fed, upstream }: ProgramRun): BlameEdit[] {
  if (!INTERPRETERS.test(program) || upstream.length > 0) return [];
  const at = args.findIndex((arg) => /^-[a-zA-Z]*[ceE]$|^--eval$/.test(arg));
  const text = at === -1 ? fed : (args[at + 1] ?? "");
  if (text === "") return args.some((arg) => TESTS.test(arg)) ? [] : operands(args).slice(1).map(unknownWrite);
  if (!WRITES.test(text)) return [];
  const paths = [...text.matchAll(NAMED)].map((found) => found[2] ?? "").filter((path) => /[\w/.]/.test(path));
  return [...new Set(paths)]
    .filter((path) => !path.includes(UNKNOWN_PART))
    .map((path) => ({ kind: "script", path, text }));
}
