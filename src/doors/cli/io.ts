import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { DaybookError } from "../../base/errors.ts";
import type { Config } from "./config.ts";
import { ancestorEnvironments, controlsTerminal, openerOf, openWith } from "./system.ts";
import { processScreen, type Screen } from "./screen.ts";

/** Everything a command may touch of the outside world, so that tests can pass their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Prints JSON, whole or in pieces. */
  json?: (text: string) => void;
  /** Prints Markdown or HTML: a file for others, independent of what the terminal can show. */
  document?: (text: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  now: number;
  /** The current directory; absent if it no longer exists. */
  cwd?: string | undefined;
  columns: number;
  /** Lines of the window; absent without a window. */
  rows?: number;
  /** Prints through the user's pager if the text is longer than the window. */
  page?: (text: string) => void;
  outIsTerminal: boolean;
  errIsTerminal: boolean;
  /** From `config.toml`; flags and environment variables override it. */
  config?: Config;
  /** Whether stdin is a terminal; absent if there is nothing to read. */
  inIsTerminal?: boolean;
  /** Whether the process has a terminal of its own; absent if unknown. */
  controlsTerminal?: boolean | undefined;
  /** The environments of the programs that started this one, as far as they can be read. */
  ancestors?: () => Readonly<Record<string, string | undefined>>[];
  /** Asks the person at the terminal. */
  ask?: (question: string) => Promise<string>;
  /** Defers work until the answer is printed. */
  defer?: (work: () => Promise<unknown>) => void;
  /** Opens a file with the system's program for it; absent if there is none. */
  open?: ((path: string) => void) | undefined;
  /** The current time; `now` is when the command began. */
  clock?: () => number;
  /** A terminal that can be drawn on. */
  screen?: () => Screen;
  /** All of stdin; absent to read that of the process. */
  stdin?: () => string;
  /** The streams of a server; absent to use those of the process. */
  streams?: { input: Readable; output: Writable };
  /** Filters JSON through the program `jq`. */
  jq?: (filter: string, json: string) => string;
  /** The program was called as `ccusage`: JSON uses its names. */
  isCcusage?: boolean;
  /** Runs another program in a directory and gives it the terminal until it ends; returns its exit code. */
  runInTerminal?: (words: readonly string[], dir: string | null) => Promise<number>;
  /** Runs this program again with other arguments; its stdout is dropped, its stderr is shown. */
  runAgain?: (words: readonly string[]) => Promise<unknown>;
}

export function printDocument(io: Io, text: string): void {
  if (io.document) io.document(text);
  else io.out(text);
}

/** Fewer columns would not fit a word. */
const NARROWEST = 20;

export function processIo(): Io {
  const outIsTerminal = isTerminal(1);
  return {
    out: outIsTerminal ? (text) => void stdout().write(text) : writeOut,
    err: (text) => void process.stderr.write(text),
    env: process.env,
    now: Date.now(),
    get cwd() {
      return currentDirectory();
    },
    columns: Math.max(NARROWEST, Number(process.env["COLUMNS"]) || (outIsTerminal && process.stdout.columns) || 100),
    ...(outIsTerminal && process.stdout.rows ? { rows: process.stdout.rows } : {}),
    outIsTerminal,
    get errIsTerminal() {
      return isTerminal(2);
    },
    get inIsTerminal() {
      return isTerminal(0);
    },
    get controlsTerminal() {
      return controlsTerminal();
    },
    ancestors: () => ancestorEnvironments(),
    ...(outIsTerminal ? { page } : {}),
    // Looked up only when it is used.
    get open() {
      const opener = openerOf(process.platform, process.env);
      return opener ? (path: string) => openWith(opener, path, reportOpenFailure) : undefined;
    },
    clock: Date.now,
    ...(outIsTerminal ? { screen: processScreen } : {}),
    jq,
    runAgain,
    runInTerminal,
    ask,
  };
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // End of input does not count as yes.
  const ended = once(lines, "close").then(() => "");
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

/** `$PAGER`, otherwise `less` with flags that make it quit on a short text and keep colours. */
function page(text: string): void {
  const rows = process.stdout.rows ?? 0;
  const pager = process.env["PAGER"] ?? (process.platform === "win32" ? "more" : "less");
  if (rows === 0 || pager === "" || process.env["TERM"] === "dumb" || text.split("\n").length <= rows)
    return writeOut(text);
  const env = { ...process.env, LESS: process.env["LESS"] ?? "FRX" };
  const { error, status } = spawnSync(pager, { shell: true, input: text, stdio: ["pipe", "inherit", "inherit"], env });
  // A shell exits with 127 if the program does not exist.
  if (error || status === 127) writeOut(text);
}

function reportOpenFailure(why: string): void {
  process.stderr.write(`daybook: could not open it: ${why}\n`);
}

function jq(filter: string, json: string): string {
  const { error, status, stdout, stderr } = spawnSync("jq", [filter], { input: json, encoding: "utf8" });
  if (!error && status === 0) return stdout;
  throw new DaybookError(error ? "--jq needs the program jq, which is not installed" : stderr.trim(), {
    code: "usage",
    op: "filter JSON",
    cause: error,
  });
}

async function runAgain(words: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [process.argv[1] ?? "", ...words], { stdio: ["ignore", "ignore", "inherit"] });
  // A terminal sends Ctrl-C to both processes: the child ends cleanly, and this one waits for it. Other signals reach
  // only this process, so they are passed on.
  const pass = (signal: NodeJS.Signals): void => void (signal === "SIGINT" || child.kill(signal));
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, pass);
  try {
    return await once(child, "close");
  } finally {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, pass);
  }
}

const ignoreSignal = (): void => undefined;

async function runInTerminal([program = "", ...words]: readonly string[], dir: string | null): Promise<number> {
  // On Windows, programs from npm are scripts, which only a shell can start.
  const shell = process.platform === "win32";
  if (shell && words.some((word) => !/^[\w.:=@+-]+$/.test(word)))
    throw new DaybookError("its arguments are not safe for this shell", { code: "unreadable", op: "run the agent" });
  const child = spawn(program, words, { stdio: "inherit", shell, ...(dir === null ? {} : { cwd: dir }) });
  // Ctrl-C is for the program that has the terminal.
  process.on("SIGINT", ignoreSignal);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } catch (error) {
    const why = isCode(error, "ENOENT") ? `${program} is not installed, or not on the PATH` : String(error);
    throw new DaybookError(why, { code: "unreadable", op: "run the agent", cause: error });
  } finally {
    process.off("SIGINT", ignoreSignal);
  }
}

let stream: NodeJS.WriteStream | null = null;

function stdout(): NodeJS.WriteStream {
  stream ??= process.stdout.on("error", onPipeClosed);
  return stream;
}

/**
 * Writes to a file or pipe without creating the stream, which takes longer than most answers; a non-blocking pipe
 * that is full needs the stream.
 */
function writeOut(text: string): void {
  let rest = Buffer.from(text, "utf8");
  while (stream === null && rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (isCode(error, "EAGAIN")) stdout();
      else onPipeClosed(error);
    }
  }
  stream?.write(rest);
}

/** `daybook … | head` closes the pipe early; that is not a failure. */
function onPipeClosed(error: unknown): void {
  if (isCode(error, "EPIPE")) process.exit(0);
  throw error;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Files, pipes and /dev/null are not terminals; isatty is called only for the rest, because it is slow to load. */
function isTerminal(fd: number): boolean {
  try {
    if (process.platform === "win32") return isatty(fd);
    const file = fstatSync(fd);
    return file.isCharacterDevice() && file.rdev !== statSync(devNull).rdev && isatty(fd);
  } catch {
    // The descriptor was closed before the program began.
    return false;
  }
}
