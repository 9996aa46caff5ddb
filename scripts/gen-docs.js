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
  "input was unreadable (named on stderr), 4 the store or server of a push does not answer (nothing is lost), 130 stopped by Ctrl-C. With `--json` every error, wrong flags included, is one object on stderr:",
  '`{"error":{"code","message","hint"}}`. Every answer has a [JSON Schema](api.md#what-the-commands-print). What `--root` names goes into a book only where `--home` names one.',
  "",
  "## In a terminal",
  "",
  "Nothing is wider than the window (`$COLUMNS`, else the terminal's width, else 100), and no word is broken; a path or an id alone",
  "on its line is left whole, to be copied. Tables give way in this order: the column of titles or commands is cut; times lose their",
  "year, ids all but what tells them apart, counts their remarks; project and tool names are cut; then columns are left out, one by",
  "one: of `sessions` tokens, tools, agent, turns, cost, project; of `tools` exit code, duration, time; of `list --verbose` zone,",
  "projects, sessions, turns. `--json` has everything.",
  "",
  "On a terminal lists show 20 rows and say of how many; `--limit N` shows others, `--limit 0` all, and a pipe is given all.",
  "`show` takes citations as the last report printed them; that report is remembered in `terminal.json` beside the book.",
  "`--sample` tries a command on the bundled sessions. `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` are heeded; in a locale without",
  "Unicode (`LANG=C`) signs are written in ASCII.",
  "",
  "## daybook",
  "",
  "```text",
  help(program),
  "```",
];
for (const command of program.commands) {
  parts.push("", `## daybook ${command.name()}`, "", "```text", help(command), "```");
  for (const action of command.commands)
    parts.push("", `### daybook ${command.name()} ${action.name()}`, "", "```text", help(action), "```");
}
const text = `${parts.join("\n")}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== text) {
    console.error("docs/cli.md is out of date: run npm run docs");
    process.exitCode = 1;
  }
} else writeFileSync(target, text);
