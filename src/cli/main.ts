import { Command, CommanderError } from "commander";
import { DaybookError } from "../errors.ts";
import { ofDisk } from "../io/disk.ts";
import { DamagedIndex } from "../daybook.ts";
import { COMMANDS } from "./commands/index.ts";
import { readConfig } from "./config.ts";
import { gated } from "./gate.ts";
import { overview } from "./help.ts";
import { hookAsked, hookProgram } from "./hook-program.ts";
import { processIo, type Io } from "./io.ts";
import type { Register } from "./register.ts";
import { plain } from "./text.ts";
import { suggestion } from "../text/near.ts";
import { COMMON_WORDS } from "./options.ts";
import { wrongUse } from "./unknown.ts";
import { VERSION } from "../version.ts";

/** Longer lines are hard to read. */
const WIDEST_HELP = 100;

export type ExitCode = number;

/** Builds the command tree, of all commands or of the one that is asked for; also used to generate the reference. */
export function buildProgram(
  io: Io,
  exit: (code: ExitCode) => void,
  commands: readonly Register[] = Object.values(COMMANDS),
): Command {
  const program = new Command("daybook")
    .description("What you and your coding agents did, what it cost, and which line proves it.")
    .version(VERSION, "-v, --version")
    // What stands behind a command is the command's, and behind its action the action's.
    .enablePositionalOptions()
    .exitOverride()
    // What is wrong with flags is reported once, as everything that goes wrong.
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(io.columns, WIDEST_HELP),
    });
  for (const register of commands) register(program, io, exit);
  program.helpInformation = () => overview(program, Math.min(io.columns, WIDEST_HELP));
  return program;
}

/** Runs one command line; returns the exit code. Failures are mapped here, once. */
export async function main(
  words: readonly string[],
  given: Io = processIo(),
  calledAs: string = "daybook",
): Promise<ExitCode> {
  const hook = hookAsked(words);
  if (hook !== null) return hookProgram(hook, words, given);
  const isCcusage = CCUSAGE.test(calledAs);
  const argv = isCcusage ? asUsageWords(words) : words;
  const raw = isCcusage ? withMore(given, { isCcusage }) : given;
  let printed = false;
  const heard = withMore(raw, {
    out(text) {
      printed = true;
      raw.out(text);
    },
  });
  const io = withMore(raw, gated(heard));
  try {
    return await run(argv, io).catch((error: unknown) => {
      // The index proved to be damaged while it was asked: who asks again has it made again first.
      if (!(error instanceof DamagedIndex) || printed) throw error;
      return run(argv, io);
    });
  } catch (error) {
    return fail(error, argv, io);
  }
}

/** A link of this name, whatever the platform puts behind it. */
const CCUSAGE = /^ccusage(?:\.[a-z]+)?$/i;

/** `ccusage …` is `daybook usage …`. */
function asUsageWords(argv: readonly string[]): readonly string[] {
  return argv[0] === "-v" || argv[0] === "--version" ? argv : ["usage", ...argv];
}

async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = 0;
  const waiting: (() => Promise<unknown>)[] = [];
  const given = withMore(io, { config: await readConfig(io), later: (work) => void waiting.push(work) });
  assertCommand(argv);
  const program = buildProgram(given, (set) => void (code = set), asked(argv));
  await program.parseAsync([...argv], { from: "user" });
  for (const work of waiting) await work();
  return code;
}

/** What is reported when it is asked for, such as whether there is a terminal, stays so. */
function withMore(io: Io, more: Partial<Io>): Io {
  const fields = { ...Object.getOwnPropertyDescriptors(io), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, fields) as Io;
}

/** The one command that is named, so that the flags of twenty need not be set up; all where only commander can tell, or all are listed. */
function asked([first = "report"]: readonly string[]): readonly Register[] | undefined {
  if (first === "completions") return undefined;
  const register = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return register && [register];
}

/** The default command would take a misspelt one for its argument, and `help` would tell of all instead. */
function assertCommand([first, second]: readonly string[]): void {
  if (first === "help") return assertCommand([second ?? "--help"]);
  if (first === undefined || first.startsWith("-")) return;
  const names = Object.keys(COMMANDS);
  if (names.includes(first)) return;
  throw new DaybookError(`unknown command: ${first}`, {
    ...{ code: "usage", op: "parse command" },
    hint: suggestion(first, names) || "daybook --help lists them",
  });
}

/** Whether a program reads the answer, found before the flags are understood: they may be what is wrong. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  // Short flags may stand together, as in -qj; behind one that takes a value stands its value.
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => word === "--json" || /^-[^-suz]*j/.test(word));
}

/** What commander says of wrong flags and arguments, as we say it. */
function asUsage(error: CommanderError, [first = ""]: readonly string[]): DaybookError {
  const [message = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const near = more
    .join(" ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  const command = Object.hasOwn(COMMANDS, first) ? first : "";
  const hint = near === "" ? `daybook ${command === "" ? "" : `${command} `}--help says what it takes` : near;
  const flag = /^unknown option '(-[^'=]+)/.exec(message)?.[1] ?? "";
  if (COMMON_WORDS.includes(flag))
    return wrongUse(`${command || "report"} does not take ${flag}: it would change nothing`, "leave it out");
  return wrongUse(message, hint);
}

function fail(given: unknown, argv: readonly string[], io: Io): ExitCode {
  const json = wantsJson(argv);
  // The help that was asked for.
  if (given instanceof CommanderError && given.exitCode === 0) return 0;
  const error = given instanceof CommanderError ? asUsage(given, argv) : given;
  const known = error instanceof DaybookError ? error : ofDisk(error);
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  const code = known?.code ?? "internal";
  if (json) io.err(`${JSON.stringify({ error: { code, message, hint: known?.hint ?? null } })}\n`);
  else {
    io.err(`daybook: ${plain(message)}\n`);
    if (known?.hint) io.err(`  ${plain(known.hint)}\n`);
    if (!known && error instanceof Error && io.env["DAYBOOK_DEBUG"]) io.err(`${error.stack ?? ""}\n`);
  }
  if (code === "stopped") return 130;
  if (code === "unreachable") return 4;
  return code === "usage" || code === "not_found" || code === "invalid" ? 2 : 1;
}
