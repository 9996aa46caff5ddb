import type { Command } from "commander";
import { wrapLines } from "./layout.ts";

/** The commands a new user needs, each with an example. */
const FIRST: Readonly<Record<string, string>> = {
  today: "daybook today",
  yesterday: "daybook yesterday --open",
  week: "daybook week last",
  standup: "daybook standup",
  usage: "daybook usage monthly --breakdown",
  search: "daybook search flaky test --since 7d",
  sessions: "daybook sessions --project my-app",
  show: "daybook show 019e2f1c/T0002",
  doctor: "daybook doctor",
};

/** All other commands, by purpose. */
const PURPOSES: readonly (readonly [purpose: string, commands: readonly string[]])[] = [
  ["Look closer", ["report", "recall", "turns", "tools", "decisions", "context", "explain", "audit"]],
  ["From the code back to the request", ["blame", "file", "commit"]],
  ["Mark and find again", ["mark"]],
  ["Continue a session", ["resume", "handoff"]],
  ["In the browser", ["serve"]],
  ["For agents", ["mcp"]],
  ["Store, export, forget", ["sync", "export", "validate", "forget"]],
  ["Evidence and narrative of a day", ["review", "narrate", "workspace"]],
  ["Many machines, one store", ["push", "team"]],
  ["In your shell", ["statusline", "completions"]],
];

/** `daybook --help`: the most used commands first, then all others. */
export function overview(program: Command, width: number): string {
  const about = new Map(program.commands.map((command) => [command.name(), command.description()]));
  const listed = new Set([...Object.keys(FIRST), ...PURPOSES.flatMap(([, names]) => names)]);
  const others = [...about.keys()].filter((name) => !listed.has(name));
  const indent = Math.max(...[...about.keys()].map((name) => name.length)) + 4;
  const entry = (name: string, example?: string): string[] => {
    const lines = wrapLines(about.get(name) ?? "", width - indent);
    const all = example === undefined ? lines : [...lines, `$ ${example}`];
    return all.map((line, i) => (i === 0 ? `  ${name}`.padEnd(indent) : " ".repeat(indent)) + line);
  };
  const group = (names: readonly string[]): string[] =>
    names.filter((name) => about.has(name)).flatMap((name) => entry(name));
  return [
    "Usage: daybook [command] [options]",
    "",
    ...wrapLines(program.description(), width),
    "",
    "Most used:",
    ...Object.entries(FIRST).flatMap(([name, example]) => (about.has(name) ? entry(name, example) : [])),
    ...[...PURPOSES, ["More", others] as const].flatMap(([purpose, names]) => {
      const lines = group(names);
      return lines.length === 0 ? [] : ["", `${purpose}:`, ...lines];
    }),
    "",
    ...wrapLines(
      "`daybook COMMAND --help` shows its flags and examples. `--sample` runs a command on bundled sessions.",
      width,
    ),
    "",
    "Options:",
    "  -v, --version  output the version number",
    "  -h, --help     display help for command",
    "",
  ].join("\n");
}
