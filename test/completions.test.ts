import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { SHELLS } from "../src/doors/cli/commands/completions.ts";
import { buildProgram, main } from "../src/doors/cli/main.ts";

async function script(shell: string): Promise<string> {
  let text = "";
  const io = {
    out: (part: string) => void (text += part),
    err() {},
    env: {},
    now: 0,
    columns: 80,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: true,
  };
  expect(await main(["completions", shell], io)).toBe(0);
  return text;
}

/** The completions bash offers for the last of the words. */
function completionsFor(bash: string, ...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(" ");
  const program = `${bash}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _daybook; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", program], { encoding: "utf8" }).split("\n").filter(Boolean);
}

test("bash completes commands, flags, and the words a flag takes", async () => {
  const bash = await script("bash");
  expect(completionsFor(bash, "daybook", "se")).toEqual(["serve", "sessions", "search"]);
  expect(completionsFor(bash, "daybook", "usage", "w")).toEqual(["weekly"]);
  expect(completionsFor(bash, "daybook", "usage", "--br")).toEqual(["--breakdown"]);
  expect(completionsFor(bash, "daybook", "sessions", "--source", "co")).toEqual(["codex", "continue", "copilot"]);
  expect(completionsFor(bash, "daybook", "show", "--format", "json")).toEqual(["json", "jsonl"]);
  expect(completionsFor(bash, "daybook", "help", "ex")).toEqual(["explain", "export"]);
});

test.each(SHELLS)("the %s script contains every command and every flag", async (shell) => {
  const text = await script(shell);
  const io = { out() {}, err() {}, env: {}, now: 0, columns: 80, outIsTerminal: false, errIsTerminal: false };
  const program = buildProgram(io, () => undefined);
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    expect(text).toContain(command.name());
    for (const { long = "" } of command.options)
      expect(text).toContain(shell === "fish" ? `-l ${long.slice(2)}` : long);
  }
});

test("an unknown shell is refused, with a list of the supported ones", async () => {
  let errors = "";
  const io = {
    out() {},
    err: (part: string) => void (errors += part),
    env: {},
    now: 0,
    columns: 80,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  expect(await main(["completions", "tcsh"], io)).toBe(2);
  expect(errors).toContain("bash, zsh, fish");
});
