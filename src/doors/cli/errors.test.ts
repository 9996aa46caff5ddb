import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Argument, Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "./commands/index.ts";
import type { Io } from "./io.ts";
import { buildProgram, main } from "./main.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "daybook-errors-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface RunResult {
  code: number;
  out: string;
  err: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<RunResult> {
  const result: RunResult = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => void (result.out += text),
    err: (text) => void (result.err += text),
    env: { HOME: home, ...env },
    now: Date.UTC(2026, 4, 13),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: true,
  };
  result.code = await main(args, io);
  return result;
}

interface ErrorAnswer {
  error: { code: string; message: string; hint: string | null };
}

/** The error object; asserts that nothing else is printed. */
async function errorOf(args: readonly string[], env?: Record<string, string>): Promise<ErrorAnswer["error"]> {
  const { code, out, err } = await run(args, env);
  expect({ args, out, lines: err.trimEnd().split("\n").length }).toEqual({ args, out: "", lines: 1 });
  const { error, ...more } = JSON.parse(err) as ErrorAnswer;
  expect(more).toEqual({});
  expect(Object.keys(error)).toEqual(["code", "message", "hint"]);
  expect(code).toBe(2);
  expect(error.message).not.toMatch(/^error:|\n|outputHelp/);
  expect(error.message).not.toBe("");
  return error;
}

const noIo = { out: () => undefined, err: () => undefined } as unknown as Io;
const tree: readonly Command[] = buildProgram(noIo, () => undefined).commands;
/** A value for each required argument of a command. */
const wordsFor = (command: Command): string[] =>
  command.registeredArguments.filter((argument: Argument) => argument.required).map(() => "word");
const takes = (command: Command, flag: string): boolean => command.options.some((option) => option.long === flag);
/** Commands and subcommands, each with its full name. */
const everyCommand = tree.flatMap((command): [string, Command][] => [
  [command.name(), command],
  ...command.commands.map((action): [string, Command] => [`${command.name()} ${action.name()}`, action]),
]);

/** Values that no command accepts, by flag. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  "--since": ["someday", "2026-13-45"],
  "--until": ["28x"],
  "--date": ["2026-02-30"],
  "--timezone": ["Nowhere/City"],
  "--limit": ["none", "-1"],
  "--root": ["codex", "nobody=/nowhere"],
  "--source": ["nobody"],
  "--format": ["runes"],
  "--order": ["sideways"],
  "--by": ["chance"],
  "--kind": ["gossip"],
  "--status": ["sleepy"],
  "--interval": ["soon"],
  "--min-output": ["few"],
};

describe("the tests of errors", () => {
  it("cover all commands", () =>
    expect(tree.map((command) => command.name()).toSorted()).toEqual(Object.keys(COMMANDS).toSorted()));

  it("name only flags that some command has", () =>
    expect(Object.keys(WRONG).filter((flag) => !everyCommand.some(([, command]) => takes(command, flag)))).toEqual([]));
});

describe("with --json every error is one object on stderr", () => {
  it.each(everyCommand)("for an unknown flag or a flag without its value: %s", async (name, command) => {
    for (const flag of ["--json", "-j"]) {
      const { code, message } = await errorOf([...name.split(" "), ...wordsFor(command), "--no-such-flag", flag]);
      expect([code, message]).toEqual(["usage", "unknown option '--no-such-flag'"]);
      // Also when the flag comes before the command.
      expect((await errorOf([flag, ...name.split(" "), ...wordsFor(command), "--no-such-flag"])).code).toBe("usage");
    }
    for (const option of command.options.filter((one) => one.required))
      expect(await errorOf([...name.split(" "), ...wordsFor(command), "--json", option.long ?? ""])).toMatchObject({
        code: "usage",
      });
  });

  /** A command with optional, variadic arguments takes any number of them. */
  const countsArguments = everyCommand.filter(
    ([, command]) => wordsFor(command).length > 0 || !command.registeredArguments.some(({ variadic }) => variadic),
  );

  it.each(countsArguments)("for missing or too many arguments: %s", async (name, command) => {
    const args = command.registeredArguments;
    if (wordsFor(command).length > 0) expect((await errorOf([...name.split(" "), "--json"])).code).toBe("usage");
    if (!args.some((argument) => argument.variadic))
      expect((await errorOf([...name.split(" "), ...args.map(() => "word"), "more", "--json"])).code).toBe("usage");
  });

  const hasWrongValues = everyCommand.filter(([, command]) => Object.keys(WRONG).some((flag) => takes(command, flag)));

  it.each(hasWrongValues)("for invalid values of flags: %s", async (name, command) => {
    for (const [flag, values] of Object.entries(WRONG)) {
      if (!takes(command, flag)) continue;
      for (const value of values) {
        const more = name === "sync" && flag === "--interval" ? ["--watch"] : [];
        const { code } = await errorOf([
          ...name.split(" "),
          ...wordsFor(command),
          `${flag}=${value}`,
          ...more,
          "--json",
        ]);
        expect({ name, flag, value, code }).toEqual({ name, flag, value, code: "usage" });
      }
    }
  });

  it("for an unknown command, flag, setting or session", async () => {
    expect(await errorOf(["nonsense", "--json"])).toMatchObject({
      code: "usage",
      message: "unknown command: nonsense",
    });
    expect(await errorOf(["help", "nonsense", "--json"])).toMatchObject({ message: "unknown command: nonsense" });
    expect(await errorOf(["usage", "nonsense", "-qj"])).toMatchObject({ code: "usage" });
    expect(await errorOf(["usage", "--brekdown", "--json"])).toMatchObject({ hint: "Did you mean --breakdown?" });
    const config = join(home, "config.toml");
    writeFileSync(config, "colour = 1\n");
    expect(await errorOf(["usage", "--json"], { DAYBOOK_CONFIG: config })).toMatchObject({ code: "usage" });
    expect(await errorOf(["show", "nobody", "--json"])).toMatchObject({ code: "not_found" });
  });

  it("while errors without --json are plain text, and --help is no error", async () => {
    const wrong = await run(["usage", "--nope"]);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain("unknown option '--nope'");
    // After `--` it is an ordinary argument.
    expect((await run(["completions", "--", "--json"])).err).toContain("unknown shell: --json");
    const help = await run(["usage", "--help", "--json"]);
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toContain("Usage: daybook usage");
  });
});
