import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Roots } from "./fixture.ts";

const BIN = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

export function flagsOf(roots: Roots, home: string): string[] {
  const rootFlags = Object.entries(roots).flatMap(([id, paths]) =>
    paths.flatMap((path) => ["--root", `${id}=${path}`]),
  );
  return [...rootFlags, "--home", home, "--timezone", "UTC"];
}

/** Starts the program in a process. `shell`: a command that a shell runs first; `more`: environment variables. */
export function start(args: readonly string[], shell?: string, more: Record<string, string> = {}): ChildProcess {
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", TZ: "UTC", NO_COLOR: "1", ...more };
  if (shell === undefined) return spawn(process.execPath, [BIN, ...args], { env });
  return spawn("bash", ["-c", `${shell}; exec "$0" "$@"`, process.execPath, BIN, ...args], { env });
}

export function run(args: readonly string[], shell?: string): Promise<Ran> {
  return ended(start(args, shell));
}

export function ended(child: ChildProcess): Promise<Ran> {
  const ran: Ran = { code: null, out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (ran.out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (ran.err += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...ran, code }));
  });
}
