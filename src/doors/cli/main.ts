import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { loadSourceModule } from "../../agents/source-module.ts";
import { DaybookError } from "../../base/errors.ts";
import { expandHome } from "../../base/home.ts";
import { toDiskError } from "../../base/io/disk.ts";
import { DamagedIndex } from "../../answers/daybook.ts";
import { COMMANDS } from "./commands/index.ts";
import { readConfig } from "./config.ts";
import { gateOutput } from "./output.ts";
import { overview } from "./help.ts";
import { requestedHook, runHookProgram } from "./teaching.ts";
import { processIo, type Io } from "./io.ts";
import { type Register, usageError } from "./flags.ts";
import { plain } from "../../base/text/inert.ts";
import { suggestion } from "../../base/text/near.ts";
import { type CommonFlags, commonWords } from "./options.ts";
import { meantNearby, meantWords, NOT_NEEDED, respelt } from "./spellings.ts";
import { VERSION } from "../../base/version.ts";

/** Longer lines are hard to read. */
const WIDEST_HELP = 100;

export type ExitCode = number;

/** Builds the command tree, for all commands or only the requested one; also used to generate the reference. */
export function buildProgram(
  io: Io,
  exit: (code: ExitCode) => void,
  commands: readonly Register[] = Object.values(COMMANDS),
): Command {
  const program = new Command("daybook")
    .description("What you and your coding agents did, what it cost, and which line proves it.")
    .version(VERSION, "-v, --version")
    // Flags after a command belong to the command, flags after its subcommand to the subcommand.
    .enablePositionalOptions()
    .exitOverride()
    // Wrong flags are reported once, by `fail`, like all other errors.
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(io.columns, WIDEST_HELP),
    });
  for (const register of commands) register(program, io, exit);
  program.helpInformation = () => overview(program, Math.min(io.columns, WIDEST_HELP));
  return program;
}

/** Runs a thread of `serve`. Its code is that of the program, loaded in parts like it. */
export async function answerQuestions(): Promise<void> {
  const { runAnswerThread } = await import("../http/answer-thread.ts");
  await runAnswerThread();
}

/** Runs one command line; returns the exit code. Failures are mapped here, once. */
export async function main(
  words: readonly string[],
  given: Io = processIo(),
  calledAs: string = "daybook",
): Promise<ExitCode> {
  const hook = requestedHook(words);
  if (hook !== null) return runHookProgram(hook, words, given);
  const isCcusage = CCUSAGE.test(calledAs);
  const argv = isCcusage ? asUsageWords(words) : respelt(words, Object.keys(COMMANDS), given.cwd);
  const raw = isCcusage ? extendIo(given, { isCcusage }) : given;
  let printed = false;
  const heard = extendIo(raw, {
    out(text) {
      printed = true;
      raw.out(text);
    },
  });
  const io = extendIo(raw, gateOutput(heard));
  try {
    return await run(argv, io).catch((error: unknown) => {
      // The index proved to be damaged while answering. Unless something was printed already, run again: that
      // rebuilds it first.
      if (!(error instanceof DamagedIndex) || printed) throw error;
      return run(argv, io);
    });
  } catch (error) {
    return fail(error, argv, io);
  }
}

/** A link of this name, with any extension the platform adds. */
const CCUSAGE = /^ccusage(?:\.[a-z]+)?$/i;

/** `ccusage …` is `daybook usage …`. */
function asUsageWords(argv: readonly string[]): readonly string[] {
  return argv[0] === "-v" || argv[0] === "--version" ? argv : ["usage", ...argv];
}

async function run(argv: readonly string[], io: Io, guesses = 0): Promise<ExitCode> {
  let code: ExitCode = 0;
  const waiting: (() => Promise<unknown>)[] = [];
  const given = extendIo(io, { config: await readConfig(io), defer: (work) => void waiting.push(work) });
  assertCommand(argv);
  const program = buildProgram(given, (set) => void (code = set), neededCommands(argv));
  program.hook("preAction", async (_, command) => loadModules(given, command.opts<CommonFlags>()));
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    // Commander refuses a command line before anything is done. A program gets an error, a person what was meant.
    const isGuessed = error instanceof CommanderError && guesses < MOST_GUESSES && !wantsJson(argv);
    const meant = isGuessed ? meantInstead(error, argv, program) : null;
    if (meant === null) throw error instanceof CommanderError ? toUsageError(error, argv, program) : error;
    io.err(`daybook: taken for: ${plain(["daybook", ...meant].join(" "))}\n`);
    return run(meant, io, guesses + 1);
  }
  for (const work of waiting) await work();
  return code;
}

/** So many words of one command line may stand for others. */
const MOST_GUESSES = 5;

/** The command of these words, or its subcommand. */
function commandOf([first, second]: readonly string[], program: Command): Command {
  const command = childOf(program, first) ?? childOf(program, "report") ?? program;
  return childOf(command, second) ?? command;
}

function childOf(parent: Command, name: string | undefined): Command | undefined {
  return parent.commands.find((one) => one.name() === name);
}

function meantInstead(error: CommanderError, argv: readonly string[], program: Command): readonly string[] | null {
  const flag = unknownFlag(error);
  if (flag === null && error.code !== "commander.excessArguments") return null;
  if (flag !== null && commonWords().includes(flag)) return null;
  return meantWords(argv, flag, commandOf(argv, program));
}

function unknownFlag({ message }: CommanderError): string | null {
  return /^error: unknown option '(--?[^'=]+)/.exec(message)?.[1] ?? null;
}

/** Readers for further agents, named in the settings or on the command line. */
async function loadModules({ config, env }: Io, { sourceModule = [] }: CommonFlags): Promise<void> {
  const given = sourceModule.map((path) => resolve(expandHome(path, env)));
  for (const path of [...(config?.source_modules ?? []), ...given]) await loadSourceModule(path);
}

/** Copies property descriptors, so that getters such as `errIsTerminal` stay getters. */
function extendIo(io: Io, more: Partial<Io>): Io {
  const fields = { ...Object.getOwnPropertyDescriptors(io), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, fields) as Io;
}

/**
 * Only the requested command, so that the flags of all others need not be set up; none for the version. All of them for
 * `completions`, and where only commander can tell.
 */
function neededCommands([first = "report"]: readonly string[]): readonly Register[] | undefined {
  if (first === "-v" || first === "--version") return [];
  if (first === "completions") return undefined;
  const register = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return register && [register];
}

/**
 * Without this the default command would take a misspelt command as its argument, and `help` would show the overview
 * instead of an error.
 */
function assertCommand([first, second]: readonly string[]): void {
  if (first === "help") return assertCommand([second ?? "--help"]);
  if (first === undefined || first.startsWith("-")) return;
  const names = Object.keys(COMMANDS);
  if (names.includes(first)) return;
  throw new DaybookError(`unknown command: ${first}`, {
    code: "usage",
    op: "parse command",
    hint: NOT_NEEDED[first] ?? (suggestion(first, names) || "daybook --help lists them"),
  });
}

/** Whether a program reads the output; determined before the flags are parsed, since they may be what is wrong. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  // Short flags may be combined, as in -qj; what follows a short flag that takes a value is its value.
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => word === "--json" || /^-[^-suz]*j/.test(word));
}

/** Turns commander's message about wrong flags and arguments into ours. */
function toUsageError(error: CommanderError, argv: readonly string[], program: Command): DaybookError | CommanderError {
  // Help was requested and printed.
  if (error.exitCode === 0) return error;
  const [first = ""] = argv;
  const [message = "", ...more] = error.message.replace(/^error: /, "").split("\n");
  const near = more
    .join(" ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  const command = Object.hasOwn(COMMANDS, first) ? first : "";
  const flag = unknownFlag(error) ?? "";
  const commands = command === "" ? Object.keys(COMMANDS) : null;
  const meant =
    flag === "" || (near !== "" && flag !== "--format") ? [] : meantNearby(flag, commandOf(argv, program), commands);
  const hints = [
    meant.length > 0 ? "" : near,
    meant.length === 0 ? "" : `did you mean ${meant.join(" or ")}?`,
    error.code === "commander.missingArgument" ? exampleOf(commandOf(argv, program)) : "",
  ].filter((text) => text !== "");
  const hint = hints.join(" ") || `see daybook ${command === "" ? "" : `${command} `}--help`;
  if (commonWords().includes(flag))
    return usageError(`${command || "report"} does not take ${flag}: it would have no effect`, "leave it out");
  return usageError(message, hint);
}

/** The first example of a command's help. */
function exampleOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => void (help += text) });
  command.outputHelp();
  const example = /^Examples?:\n {2}(.+)$/m.exec(help)?.[1] ?? "";
  return example === "" ? "" : `for example ${example}`;
}

function fail(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const json = wantsJson(argv);
  // Help was requested and printed.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const known = error instanceof DaybookError ? error : toDiskError(error);
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
