import { hasOption, operands } from "../../base/shell/options.ts";
import { isOutside, type WorkingPlace } from "../../base/shell/working-place.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";

const REMOVERS = new Set(["rm", "rmdir", "unlink", "shred", "trash", "rimraf", "srm", "remove-item", "ri"]);
/** Programs that `find -exec` and the like run to remove what they find. */
const FOUND_AND_REMOVED = new Set(["rm", "rmdir", "unlink", "shred"]);

/** True when the program deletes something outside the project. */
export function deletesOutside(ran: ProgramRun, place: WorkingPlace): boolean {
  return deletedPaths(ran).some((path) => isOutside(path, ran.cwd, place));
}

function deletedPaths(ran: ProgramRun): string[] {
  const { program, args } = ran;
  if (REMOVERS.has(program)) {
    const named = operands(args, /^(?:-n|--iterations|-s|--size|-filter|-include|-exclude)$/i);
    // `xargs rm` removes what the programs upstream list.
    return ran.argsFromInput ? [...named, ...ran.upstream.flatMap(listedIn)] : named;
  }
  if (program === "npx" || program === "pnpx" || program === "bunx") {
    const [tool, ...rest] = operands(args);
    return tool === "rimraf" || tool === "del-cli" ? rest : [];
  }
  if (program === "find") return removesWhatItFinds(args) ? findRoots(args) : [];
  if (program === "fd" || program === "fdfind")
    return args.some(
      (arg, i) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg) && FOUND_AND_REMOVED.has(args[i + 1] ?? ""),
    )
      ? operands(args).slice(1, 2)
      : [];
  if (program === "git") return cleanedPaths(args);
  if (program === "rsync") return hasOption(args, /^--del/) ? operands(args).slice(-1).filter(isLocal) : [];
  return [];
}

function removesWhatItFinds(args: readonly string[]): boolean {
  return (
    args.includes("-delete") ||
    args.some((arg, i) => /^-(?:exec|execdir|ok|okdir)$/.test(arg) && FOUND_AND_REMOVED.has(args[i + 1] ?? ""))
  );
}

/** The starting points of `find` come before its first test. */
function findRoots(args: readonly string[]): string[] {
  const plain = args.filter((arg) => !/^-(?:[HLP]|O\d|D)$/.test(arg));
  const end = plain.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = end === -1 ? plain : plain.slice(0, end);
  return roots.length === 0 ? ["."] : [...roots];
}

function listedIn({ program, args }: ProgramRun): string[] {
  if (program === "find") return findRoots(args);
  return program === "ls" || program === "echo" || program === "printf" ? operands(args) : [];
}

/** `git clean` cleans its working directory, or the one named by `-C` and its operands. */
function cleanedPaths(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => !arg.startsWith("-") && arg === "clean");
  if (at === -1 || operands(args.slice(0, at), /^-[Cc]$/).length > 0) return [];
  const rest = args.slice(at + 1);
  if (!hasOption(rest, /^--force$/, "f") || hasOption(rest, /^--dry-run$/, "n")) return [];
  const elsewhere = args.slice(0, at).indexOf("-C");
  const base = elsewhere === -1 ? "." : (args[elsewhere + 1] ?? ".");
  const named = operands(rest, /^(?:-e|--exclude)$/);
  return named.length === 0 ? [base] : named.map((path) => (/^[/~]/.test(path) ? path : `${base}/${path}`));
}

/** `host:path` is on another machine. */
function isLocal(path: string): boolean {
  return !/^[^/]+:/.test(path);
}
