import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { DaybookError } from "../errors.ts";
import type { Config } from "./config-file.ts";
import { openerOf, openWith } from "./opener.ts";
import { processScreen, type Screen } from "./screen.ts";

/** Everything a command may touch of the outside world, so that tests can pass their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Prints JSON, whole or in pieces. */
  json?: (text: string) => void;
  /** Prints Markdown or HTML: a file for others, whatever the terminal can show. */
  document?: (text: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  now: number;
  /** Where the user stands; absent where that is not there any more. */
  cwd?: string | undefined;
  columns: number;
  /** Lines of the window; absent where there is none. */
  rows?: number;
  /** Prints, through the pager of the user's choice where the window is too small. */
  page?: (text: string) => void;
  outIsTerminal: boolean;
  errIsTerminal: boolean;
  /** From `config.toml`; flags and environment win. */
  config?: Config;
  /** Nobody is typing into a pipe; absent = nothing to read. */
  inIsTerminal?: boolean;
  /** Puts a question to whoever types. */
  ask?: (question: string) => Promise<string>;
  /** Takes work that can wait until the answer is printed. */
  later?: (work: () => Promise<unknown>) => void;
  /** Shows a file with the program the system has for it; absent where there is none. */
  open?: ((path: string) => void) | undefined;
  /** The moment it is now, where `now` is when the command began. */
  clock?: () => number;
  /** A terminal that can be drawn on. */
  screen?: () => Screen;
  /** All that is piped in, where it is not the process's own. */
  stdin?: () => string;
  /** What a program speaks through, where it is not the process's own. */
  streams?: { input: Readable; output: Writable };
  /** JSON through the program `jq`. */
  jq?: (filter: string, json: string) => string;
  /** It was called by the name of `ccusage`: JSON is in its names. */
  isCcusage?: boolean;
  /** Runs another program in a directory, which has the terminal until it ends; gives its exit code. */
  hand?: (words: readonly string[], dir: string | null) => Promise<number>;
  /** Runs the program with other words, beside this one; what it prints is not shown, what it notes is. */
  again?: (words: readonly string[]) => Promise<unknown>;
}

export function printDocument(io: Io, text: string): void {
  if (io.document) io.document(text);
  else io.out(text);
}

/** Fewer columns would hold no word. */
const NARROWEST = 20;

export function processIo(): Io {
  const outIsTerminal = isTerminal(1);
  return {
    out: outIsTerminal ? (text) => void stdout().write(text) : writeOut,
    err: (text) => void process.stderr.write(text),
    env: process.env,
    now: Date.now(),
    get cwd() {
      return whereWeAre();
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
    ...(outIsTerminal ? { page } : {}),
    // Looked for only where it is asked for.
    get open() {
      const opener = openerOf(process.platform, process.env);
      return opener ? (path: string) => openWith(opener, path, notOpened) : undefined;
    },
    clock: Date.now,
    ...(outIsTerminal ? { screen: processScreen } : {}),
    jq,
    again,
    hand,
    ask,
  };
}

function whereWeAre(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Whoever ends the input has not said yes.
  const ended = once(lines, "close").then(() => "");
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

/** `$PAGER`, else `less` so that it ends by itself on a short text and keeps colours. */
function page(text: string): void {
  const rows = process.stdout.rows ?? 0;
  const pager = process.env["PAGER"] ?? (process.platform === "win32" ? "more" : "less");
  if (rows === 0 || pager === "" || process.env["TERM"] === "dumb" || text.split("\n").length <= rows)
    return writeOut(text);
  const env = { ...process.env, LESS: process.env["LESS"] ?? "FRX" };
  const { error, status } = spawnSync(pager, { shell: true, input: text, stdio: ["pipe", "inherit", "inherit"], env });
  // No such program: a shell says 127.
  if (error || status === 127) writeOut(text);
}

function notOpened(why: string): void {
  process.stderr.write(`daybook: could not be opened: ${why}\n`);
}

function jq(filter: string, json: string): string {
  const { error, status, stdout, stderr } = spawnSync("jq", [filter], { input: json, encoding: "utf8" });
  if (!error && status === 0) return stdout;
  throw new DaybookError(error ? "--jq needs the program jq, which is not installed" : stderr.trim(), {
    ...{ code: "usage", op: "filter JSON", cause: error },
  });
}

async function again(words: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [process.argv[1] ?? "", ...words], { stdio: ["ignore", "ignore", "inherit"] });
  // A terminal sends Ctrl-C to both: the other ends in order, and this one waits for it. Other signals reach only this one.
  const pass = (signal: NodeJS.Signals): void => void (signal === "SIGINT" || child.kill(signal));
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, pass);
  try {
    return await once(child, "close");
  } finally {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, pass);
  }
}

const wait = (): void => undefined;

async function hand([program = "", ...words]: readonly string[], dir: string | null): Promise<number> {
  // Programs from npm are scripts there, which only a shell starts.
  const shell = process.platform === "win32";
  if (shell && words.some((word) => !/^[\w.:=@+-]+$/.test(word)))
    throw new DaybookError("its words are not safe for this shell", { code: "unreadable", op: "run the agent" });
  const child = spawn(program, words, { stdio: "inherit", shell, ...(dir === null ? {} : { cwd: dir }) });
  // Ctrl-C is for the one that has the terminal.
  process.on("SIGINT", wait);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } catch (error) {
    const why = isCode(error, "ENOENT") ? `${program} is not installed, or not on the PATH` : String(error);
    throw new DaybookError(why, { code: "unreadable", op: "run the agent", cause: error });
  } finally {
    process.off("SIGINT", wait);
  }
}

let stream: NodeJS.WriteStream | null = null;

function stdout(): NodeJS.WriteStream {
  stream ??= process.stdout.on("error", endOfPipe);
  return stream;
}

/** To a file or a pipe without the stream, which takes longer to make than most answers; one that is full and does not wait needs it. */
function writeOut(text: string): void {
  let rest = Buffer.from(text, "utf8");
  while (stream === null && rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (isCode(error, "EAGAIN")) stdout();
      else endOfPipe(error);
    }
  }
  stream?.write(rest);
}

/** `daybook … | head` closes the pipe early; that is no failure. */
function endOfPipe(error: unknown): void {
  if (isCode(error, "EPIPE")) process.exit(0);
  throw error;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Files, pipes and the device that is nothing are no terminals; only the rest is asked, for what answers takes long to load. */
function isTerminal(fd: number): boolean {
  try {
    if (process.platform === "win32") return isatty(fd);
    const file = fstatSync(fd);
    return file.isCharacterDevice() && file.rdev !== statSync(devNull).rdev && isatty(fd);
  } catch {
    // It was closed before we began.
    return false;
  }
}
