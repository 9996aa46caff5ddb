import { Command, CommanderError } from "commander";
import { DaybookError } from "../errors.ts";
import { COMMANDS } from "./commands/index.ts";
import { readConfig } from "./config.ts";
import { gated } from "./gate.ts";
import { processIo, type Io } from "./io.ts";
import type { Register } from "./register.ts";
import { plain } from "./text.ts";
import { VERSION } from "../version.ts";

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
    .showHelpAfterError("(try daybook --help)")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) });
  for (const register of commands) register(program, io, exit);
  return program;
}

/** Runs one command line; returns the exit code. Failures are mapped here, once. */
export async function main(argv: readonly string[], raw: Io = processIo()): Promise<ExitCode> {
  const io = withMore(raw, gated(raw));
  let code: ExitCode = 0;
  try {
    const waiting: (() => Promise<unknown>)[] = [];
    const given = withMore(io, { config: await readConfig(io), later: (work) => void waiting.push(work) });
    assertCommand(argv);
    const program = buildProgram(given, (set) => void (code = set), asked(argv));
    await program.parseAsync([...argv], { from: "user" });
    for (const work of waiting) await work();
    return code;
  } catch (error) {
    return fail(error, argv, io);
  }
}

/** What is told when it is asked for, such as whether there is a terminal, stays so. */
function withMore(io: Io, more: Partial<Io>): Io {
  const fields = { ...Object.getOwnPropertyDescriptors(io), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, fields) as Io;
}

/** The one command that is named, so that the flags of twenty need not be set up; all where only commander can tell, or all are told of. */
function asked([first = "report"]: readonly string[]): readonly Register[] | undefined {
  if (first === "completions") return undefined;
  const register = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return register && [register];
}

/** The default command would take a misspelt one for its argument. */
function assertCommand([first]: readonly string[]): void {
  if (first === undefined || first.startsWith("-") || first === "help") return;
  const names = Object.keys(COMMANDS);
  if (names.includes(first)) return;
  const near = names.filter((name) => name.startsWith(first.slice(0, 2)));
  throw new DaybookError(`unknown command: ${first}`, {
    code: "usage",
    op: "parse command",
    hint: near.length > 0 ? `did you mean ${near.join(" or ")}?` : `one of ${names.join(", ")}`,
  });
}

function fail(error: unknown, argv: readonly string[], io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const json = argv.includes("--json") || argv.includes("-j");
  const known = error instanceof DaybookError ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  const code = known?.code ?? "internal";
  if (json) io.err(`${JSON.stringify({ error: { code, message, hint: known?.hint ?? null } })}\n`);
  else {
    io.err(`daybook: ${plain(message)}\n`);
    if (known?.hint) io.err(`  ${plain(known.hint)}\n`);
    if (!known && error instanceof Error && io.env["DAYBOOK_DEBUG"]) io.err(`${error.stack ?? ""}\n`);
  }
  return code === "usage" || code === "not_found" || code === "invalid" ? 2 : 1;
}
