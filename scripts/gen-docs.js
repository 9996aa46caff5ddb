#!/usr/bin/env node
// Writes docs/cli.md from the program's own help texts, so that the reference cannot drift. `--check` only compares.
// Runs on the compiled program: build first.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const cli = createRequire(import.meta.url)("../bin/load.js").load("cli");

const target = new URL("../docs/cli.md", import.meta.url);
const io = {
  out() {},
  err() {},
  env: {},
  now: 0,
  columns: 100,
  outIsTerminal: false,
  errIsTerminal: false,
  inIsTerminal: true,
};
const program = cli.buildProgram(io, () => {});

/** Everything `--help` prints, including the examples commander adds through events. */
function help(command) {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return text.trimEnd();
}

const parts = [
  "# Command reference",
  "",
  "Generated from `daybook --help` by `npm run docs`; do not edit.",
  "",
  "Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 wrong use or bad input, 3 done but some",
  "input was unreadable (named on stderr). With `--json` every error, wrong flags included, is one object on stderr:",
  '`{"error":{"code","message","hint"}}`. Every answer has a [JSON Schema](api.md#what-the-commands-print). What `--root` names goes into a book only where `--home` names one.',
  "",
  "## daybook",
  "",
  "```text",
  help(program),
  "```",
];
for (const command of program.commands)
  parts.push("", `## daybook ${command.name()}`, "", "```text", help(command), "```");
const text = `${parts.join("\n")}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== text) {
    console.error("docs/cli.md is out of date: run npm run docs");
    process.exitCode = 1;
  }
} else writeFileSync(target, text);
