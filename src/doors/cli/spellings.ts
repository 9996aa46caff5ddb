import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command, Option } from "commander";
import { sourceIds } from "../../answers/daybook.ts";
import { nearest } from "../../base/text/near.ts";
import { parseDayWords } from "../../base/time/day-words.ts";
import { ValuesOption } from "./flags.ts";
import { USAGE_WORDS } from "./usage/question.ts";

/**
 * Words people type in place of a command, and the words they stand for: names of earlier releases, names other
 * programs have, and what one would call it. None of them is listed by the help.
 */
export const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  star: ["mark", "star"],
  label: ["mark", "label"],
  note: ["mark", "note"],
  done: ["mark", "done"],
  prepare: ["workspace", "prepare"],
  list: ["workspace", "list"],
  inspect: ["workspace", "inspect"],
  collect: ["workspace", "collect"],
  ls: ["sessions"],
  log: ["sessions"],
  history: ["sessions"],
  view: ["show"],
  cat: ["show"],
  open: ["show"],
  last: ["show", "last"],
  latest: ["show", "last"],
  find: ["search"],
  grep: ["search"],
  ask: ["search"],
  continue: ["resume"],
  errors: ["tools", "--status", "failed"],
  failed: ["tools", "--status", "failed"],
  failures: ["tools", "--status", "failed"],
  todo: ["week"],
  day: ["report"],
  month: ["report", "this month"],
  cost: ["usage"],
  costs: ["usage"],
  stats: ["usage"],
  tokens: ["usage"],
  daily: ["usage", "daily"],
  weekly: ["usage", "weekly"],
  monthly: ["usage", "monthly"],
  models: ["usage", "model"],
  projects: ["usage", "--instances"],
  blocks: ["usage", "blocks"],
  limits: ["usage", "limits"],
  update: ["sync"],
  refresh: ["sync"],
  index: ["sync"],
  watch: ["sync", "--watch"],
  status: ["doctor"],
  health: ["doctor"],
  check: ["doctor"],
  sources: ["doctor"],
  agents: ["doctor"],
  ui: ["serve", "--open"],
  web: ["serve", "--open"],
  dashboard: ["serve", "--open"],
  rm: ["forget"],
  delete: ["forget"],
  version: ["--version"],
};

/** Any day: only the form of the words is asked. */
const ANY_DAY = "2026-05-12";

/** Whether words name a day or several. */
function isDays(text: string): boolean {
  return parseDayWords(text, ANY_DAY) !== null;
}

/**
 * The command line that was meant. What is no command may be another word for one, one of many (`session`), days, a
 * session, a file, or a question.
 */
export function respelt(argv: readonly string[], commands: readonly string[], cwd = "."): readonly string[] {
  const [first = "", ...rest] = argv;
  if (first === "help") return rest.length === 0 ? argv : [...respelt(rest, commands, cwd), "--help"];
  if (first === "" || first.startsWith("-") || commands.includes(first)) return argv;
  const meant = Object.hasOwn(SPELLINGS, first) ? SPELLINGS[first] : undefined;
  // `last` is a session, `last week` are days.
  const said = argv
    .slice(
      0,
      [...argv, "-"].findIndex((word) => word.startsWith("-")),
    )
    .join(" ");
  if (isDays(said)) return ["report", ...argv];
  if (meant) return [...meant, ...rest];
  if (commands.includes(`${first}s`)) return [`${first}s`, ...rest];
  if (/^[\w-]+\/T\d{4,}|^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/.test(first)) return ["show", ...argv];
  if (/[./\\]/.test(first) && existsSync(resolve(cwd, first))) return ["file", ...argv];
  return /\s/.test(first.trim()) ? ["search", ...argv] : argv;
}

/** Other names of flags. */
const FLAGS: Readonly<Record<string, string>> = {
  n: "limit",
  last: "limit",
  top: "limit",
  max: "limit",
  count: "limit",
  from: "since",
  after: "since",
  start: "since",
  to: "until",
  before: "until",
  end: "until",
  tz: "timezone",
  agent: "source",
  repo: "project",
  p: "project",
  id: "session",
  output: "out",
  o: "out",
  f: "format",
  open: "unanswered",
  fix: "repair",
  browser: "open",
  a: "all",
};

/** Other names of values. */
const VALUES: Readonly<Record<string, string>> = {
  md: "markdown",
  text: "terminal",
  error: "failed",
  errors: "failed",
};

/** What a word that a command does not know stands for among its flags, or null. */
function meantBy(word: string, command: Command): readonly string[] | null {
  const name = word.replace(/^-+/, "");
  const { options } = command;
  const named = (long: string): Option | undefined => options.find((option) => option.long === `--${long}`);
  const asFlag = word.startsWith("-") ? named(FLAGS[name] ?? "") : named(name);
  if (asFlag?.long) return [asFlag.long];
  const value = VALUES[name] ?? name;
  const taking = options.find((option) => option instanceof ValuesOption && option.values.includes(value));
  if (taking?.long) return [taking.long, value];
  if (named("source") && sourceIds().includes(name)) return ["--source", name];
  if (command.name() === "usage" && USAGE_WORDS.includes(name)) return [name];
  if (VERSION_FLAGS.has(word)) return ["--version"];
  const days = [name, `this ${name}`].find((text) => isDays(text.replaceAll("-", " ")));
  if (days === undefined) return null;
  if (named("since")) return ["--since", days, "--until", days];
  return named("date") ? ["--date", days] : null;
}

const VERSION_FLAGS: ReadonlySet<string> = new Set(["-V", "--ver"]);

/**
 * The command line that was meant by one that commander refused: an unknown flag or a word too many that stands for a
 * flag. Null if nobody can tell.
 */
export function meantWords(
  argv: readonly string[],
  unknown: string | null,
  command: Command,
): readonly string[] | null {
  if (unknown !== null) {
    const at = argv.findIndex((word) => word === unknown || word.startsWith(`${unknown}=`));
    // `-n5`: a letter with its value.
    const [, letter = unknown, amount = ""] = /^(-[a-z])(\d+)$/.exec(unknown) ?? [];
    const meant = at === -1 ? null : meantBy(letter, command);
    if (meant === null) return null;
    const value = amount === "" ? (argv[at] ?? "").slice(unknown.length + 1) : amount;
    return [...argv.slice(0, at), ...meant, ...(value === "" ? [] : [value]), ...argv.slice(at + 1)];
  }
  const [surplus] = command.args.slice(command.registeredArguments.length);
  const at = surplus === undefined ? -1 : argv.lastIndexOf(surplus);
  if (surplus === undefined || at < 1) return null;
  const project = command.options.some(({ long }) => long === "--project") ? ["--project", surplus] : null;
  const meant = meantBy(surplus, command) ?? project;
  return meant && [...argv.slice(0, at), ...meant, ...argv.slice(at + 1)];
}

/** What an unknown flag may have meant: a value of a flag, or without a command one of those (`--dayly`). */
export function meantNearby(flag: string, command: Command, commands: readonly string[] | null): string[] {
  const word = flag.replace(/^-+/, "");
  if (commands !== null)
    return nearest(word, [...commands, ...Object.keys(SPELLINGS)]).map((name) => `daybook ${name}`);
  const words = command.name() === "usage" ? nearest(word, USAGE_WORDS).map((name) => `daybook usage ${name}`) : [];
  return command.options
    .flatMap((option) =>
      (option instanceof ValuesOption ? nearest(word, option.values) : []).map((value) => `${option.long} ${value}`),
    )
    .concat(words);
}
