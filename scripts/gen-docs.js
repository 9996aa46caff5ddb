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
  "Results go to stdout, everything else to stderr. With `--json`, every error, wrong flags included, is one object on",
  'stderr: `{"error":{"code","message","hint"}}`. Every answer has a [JSON Schema](api.md#what-the-commands-print). Files',
  "named with `--root` are stored in a book only if `--home` names one.",
  "",
  "| exit code | meaning |",
  "|---|---|",
  "| 0 | done |",
  "| 1 | failed |",
  "| 2 | wrong use or bad input |",
  "| 3 | done, but some input was unreadable (`daybook doctor` names it) |",
  "| 4 | a store or server does not answer; nothing is lost |",
  "| 130 | stopped by Ctrl-C |",
  "",
  "## In a terminal",
  "",
  "Output is never wider than the window (`$COLUMNS`, else the terminal's width, else 100 columns), and words are not",
  "broken. A path or an id on a line of its own is printed whole, so that it can be copied. If a table is too wide, Daybook",
  "first cuts titles and commands, then shortens times, ids and remarks, then cuts project and tool names, and finally drops",
  "columns one by one: tokens, tools, agent, turns, cost, project (`sessions`); exit code, duration, time (`tools`); zone,",
  "projects, sessions, turns (`list --verbose`). `--json` has everything.",
  "",
  "On a terminal, lists show 20 rows and the total; `--limit N` shows another number, `--limit 0` all. A pipe gets all rows.",
  "Every session is printed by the beginning of its id that no other session's id has; whatever takes a session takes it, and a citation (`019e2f1c/T0002:12-40`), as printed.",
  "`--sample` runs a command on the bundled sessions. `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` are respected. In a locale",
  "without Unicode (`LANG=C`), signs are printed in ASCII.",
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
