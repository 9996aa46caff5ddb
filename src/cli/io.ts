import { spawn } from "node:child_process";
import { once } from "node:events";
import { isatty } from "node:tty";
import pc from "picocolors";
import type { Config } from "./config-file.ts";

/** Everything a command may touch of the outside world, so that tests can pass their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  now: number;
  columns: number;
  outIsTerminal: boolean;
  errIsTerminal: boolean;
  /** From `config.toml`; flags and environment win. */
  config?: Config;
  /** Nobody is typing into a pipe; absent = nothing to read. */
  inIsTerminal?: boolean;
  /** Takes work that can wait until the answer is printed. */
  later?: (work: () => Promise<unknown>) => void;
  /** Runs the program with other words, beside this one; what it prints is not shown, what it notes is. */
  again?: (words: readonly string[]) => Promise<unknown>;
}

export type Paint = ReturnType<typeof pc.createColors>;

export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    now: Date.now(),
    columns: Number(process.env["COLUMNS"]) || process.stdout.columns || 100,
    outIsTerminal: isatty(1),
    errIsTerminal: isatty(2),
    inIsTerminal: isatty(0),
    again,
  };
}

function again(words: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [process.argv[1] ?? "", ...words], { stdio: ["ignore", "ignore", "inherit"] });
  return once(child, "close");
}

/** Colour only on terminals, and never when asked not to. */
export function paints(io: Io, wanted: boolean): Paint {
  const refused = io.env["NO_COLOR"] !== undefined && io.env["NO_COLOR"] !== "";
  return pc.createColors(wanted && io.outIsTerminal && !refused && io.env["TERM"] !== "dumb");
}
