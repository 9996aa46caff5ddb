import { spawn, type SpawnOptions } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a program of this name is in a directory of PATH. */
export function isOnPath(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  isProgram: (path: string) => boolean = isExecutable,
): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((dir) => dir !== "" && isProgram(join(dir, name)));
}

export function isExecutable(path: string): boolean {
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
