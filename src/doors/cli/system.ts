import { spawn, type SpawnOptions } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a program of this name is in a directory of PATH. */
export function isOnPath(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  isProgram: (path: string) => boolean = isExecutable,
): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((dir) => dir !== "" && isProgram(join(dir, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a program without waiting for it; `failed` is called if it cannot be started. */
export function startDetached(
  program: string,
  words: readonly string[],
  options: SpawnOptions,
  failed: (why: string) => void,
): void {
  const child = spawn(program, words, { ...options, stdio: "ignore" });
  child.on("error", (error) => failed(error.message));
  child.unref();
}

/** The program that opens files on this system, with its arguments before the path. */
interface Opener {
  command: string;
  words: string[];
}

/** Null if there is no such program, or no screen. */
export function openerOf(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  isProgram?: (path: string) => boolean,
): Opener | null {
  if (platform === "darwin") return { command: "open", words: [] };
  // `start` is built into cmd; the empty argument is the window title.
  if (platform === "win32") return { command: "cmd", words: ["/c", "start", ""] };
  const known = (name: string): boolean => isOnPath(name, env, isProgram);
  // WSL opens files on the Windows side.
  if (env["WSL_DISTRO_NAME"] !== undefined && known("wslview")) return { command: "wslview", words: [] };
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen && known("xdg-open") ? { command: "xdg-open", words: [] } : null;
}

/** Starts the program and does not wait for it: it may stay open for days. */
export function openWith({ command, words }: Opener, path: string, failed: (why: string) => void): void {
  startDetached(command, [...words, path], { detached: true }, failed);
}

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
