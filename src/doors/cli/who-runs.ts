import { closeSync, openSync, readFileSync } from "node:fs";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether this process belongs to a terminal; undefined where the system has no such notion. */
export function controlsTerminal(): boolean | undefined {
  if (process.platform === "win32") return undefined;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/** More generations than any real chain of programs has. */
const MAX_ANCESTORS = 64;

/**
 * The environments of the programs above this one, the nearest first, where the system shows them (Linux): a shell can
 * remove a variable from what it starts, but not from the program that started the shell.
 */
export function ancestorEnvironments(proc = "/proc", first: number = process.ppid): Environment[] {
  const found: Environment[] = [];
  try {
    for (let pid = first; pid > 1 && found.length < MAX_ANCESTORS; pid = parentOf(proc, pid))
      found.push(environmentOf(proc, pid));
  } catch {
    // No such system, a program of another user, or one that has ended: what was found until then counts.
  }
  return found;
}

function environmentOf(proc: string, pid: number): Environment {
  const pairs = readFileSync(`${proc}/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const at = pair.indexOf("=");
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
    }),
  );
}

function parentOf(proc: string, pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`${proc}/${pid}/status`, "utf8"))?.[1] ?? 0);
}
