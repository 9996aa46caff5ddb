import { has, operands } from "../../shell/options.ts";
import { isOutside, type WorkingPlace } from "../../shell/working-place.ts";
import type { Ran } from "../../shell/ran.ts";

const REMOVERS = new Set(["rm", "rmdir", "unlink", "shred", "trash", "rimraf", "srm", "remove-item", "ri"]);
/** What `find` and its like are told to do with what they find. */
const FOUND_AND_REMOVED = new Set(["rm", "rmdir", "unlink", "shred"]);

/** Something outside the project is deleted. */
export function deletesOutside(ran: Ran, place: WorkingPlace): boolean {
  return deletedPaths(ran).some((path) => isOutside(path, ran.cwd, place));
}

function deletedPaths(ran: Ran): string[] {
  const { program, args } = ran;
  if (REMOVERS.has(program)) {
    const named = operands(args, /^(?:-n|--iterations|-s|--size|-filter|-include|-exclude)$/i);
    // What `xargs rm` removes is what was listed before it.
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
  if (program === "git") return cleaned(args);
  if (program === "rsync") return has(args, /^--del/) ? operands(args).slice(-1).filter(isLocal) : [];
  return [];
}

function removesWhatItFinds(args: readonly string[]): boolean {
  return (
    args.includes("-delete") ||
    args.some((arg, i) => /^-(?:exec|execdir|ok|okdir)$/.test(arg) && FOUND_AND_REMOVED.has(args[i + 1] ?? ""))
  );
}

/** The places `find` looks in stand before its first test. */
function findRoots(args: readonly string[]): string[] {
  const plain = args.filter((arg) => !/^-(?:[HLP]|O\d|D)$/.test(arg));
  const end = plain.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = end === -1 ? plain : plain.slice(0, end);
  return roots.length === 0 ? ["."] : [...roots];
}

function listedIn({ program, args }: Ran): string[] {
  if (program === "find") return findRoots(args);
  return program === "ls" || program === "echo" || program === "printf" ? operands(args) : [];
}

/** `git clean` empties the directory it is run in, or the one `-C` and its own words name. */
function cleaned(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => !arg.startsWith("-") && arg === "clean");
  if (at === -1 || operands(args.slice(0, at), /^-[Cc]$/).length > 0) return [];
  const rest = args.slice(at + 1);
  if (!has(rest, /^--force$/, "f") || has(rest, /^--dry-run$/, "n")) return [];
  const elsewhere = args.slice(0, at).indexOf("-C");
  const base = elsewhere === -1 ? "." : (args[elsewhere + 1] ?? ".");
  const named = operands(rest, /^(?:-e|--exclude)$/);
  return named.length === 0 ? [base] : named.map((path) => (/^[/~]/.test(path) ? path : `${base}/${path}`));
}

/** `host:path` is on another machine. */
function isLocal(path: string): boolean {
  return !/^[^/]+:/.test(path);
}
