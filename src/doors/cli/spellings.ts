import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command, Option } from "commander";
import { sourceIds } from "../../answers/daybook.ts";
import { nearest } from "../../base/text/near.ts";
import { parseDayWords } from "../../base/time/day-words.ts";
import { ValuesOption } from "./flags.ts";
import { OTHER_VALUES } from "./meant-value.ts";
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
  share: ["export", "--format", "html", "--session"],
  project: ["sessions", "--project"],
  server: ["serve"],
  errors: ["tools", "--status", "failed"],
  failed: ["tools", "--status", "failed"],
  failures: ["tools", "--status", "failed"],
  todo: ["week"],
  day: ["report"],
  summary: ["report"],
  overview: ["report"],
  recap: ["report"],
  digest: ["report"],
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
  config: ["doctor"],
  settings: ["doctor"],
  rebuild: ["doctor", "--repair"],
  reset: ["doctor", "--repair"],
  sources: ["doctor"],
  agents: ["doctor"],
  ui: ["serve", "--open"],
  web: ["serve", "--open"],
  dashboard: ["serve", "--open"],
  rm: ["forget"],
  delete: ["forget"],
  version: ["--version"],
};

/** What is no command here because there is nothing to do, and why. */
export const NOT_NEEDED: Readonly<Record<string, string>> = {
  init: "nothing to set up: daybook reads the sessions that are there",
  setup: "nothing to set up: daybook reads the sessions that are there",
  install: "installed already; `daybook mcp --install AGENT` tells an agent about it",
  login: "there is no account: everything stays on this machine",
  upgrade: "npm install --global agent-daybook@latest",
  man: "man daybook, or daybook COMMAND --help",
  diff: "`daybook file PATH` tells which requests changed a file, `daybook commit SHA` what is behind a commit",
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
  const at = first.startsWith("-") ? commandBehind(argv, commands) : -1;
  // `daybook --home DIR sessions`: as other programs take them.
  if (at > 0) return respelt([argv[at] ?? "", ...argv.slice(0, at), ...argv.slice(at + 1)], commands, cwd);
  if (first === "help") return rest.length === 0 ? argv : [...respelt(rest, commands, cwd), "--help"];
  if (first === "usage") return [first, ...withoutBy([first], rest)];
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
  if (meant) return [...meant, ...withoutBy(meant, rest)];
  if (commands.includes(`${first}s`)) return [`${first}s`, ...rest];
  if (commands.includes(first.replace(/s$/, ""))) return [first.replace(/s$/, ""), ...rest];
  if (/^[\w-]+\/T\d{4,}|^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/.test(first)) return ["show", ...argv];
  if (/[./\\]/.test(first) && existsSync(resolve(cwd, first))) return ["file", ...argv];
  const words = said.split(/\s+/).filter((word) => word !== "");
  const isAsked = /\s/.test(first.trim()) || (words.length > 2 && nearest(first, commands).length === 0);
  return isAsked ? asked(words, argv) : argv;
}

/** Where the command stands behind flags; -1 where there is none. A flag takes the word behind it unless that is one. */
function commandBehind(argv: readonly string[], commands: readonly string[]): number {
  const isCommand = (word: string): boolean => commands.includes(word) || Object.hasOwn(SPELLINGS, word);
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return -1;
    if (!word.startsWith("-")) return isCommand(word) ? at : -1;
    if (!word.includes("=") && TAKES_VALUE.test(word)) at++;
  }
  return -1;
}

/** Flags that every reading command has and that take a value. */
const TAKES_VALUE =
  /^(?:--(?:home|root|source|project|session|since|until|timezone|format|limit|label|date|out)|-[suz])$/;

/** `cost by model`: the word between says nothing more. */
function withoutBy(meant: readonly string[], rest: readonly string[]): readonly string[] {
  return meant[0] === "usage" && /^(?:by|per)$/.test(rest[0] ?? "") ? rest.slice(1) : rest;
}

/**
 * A question: what was done on these days, what it cost, or else what answers it. Only English is understood without
 * looking at the sessions.
 */
function asked(words: readonly string[], argv: readonly string[]): readonly string[] {
  const plainWords = words.map((word) => word.toLowerCase().replace(/[^\p{L}\p{N}.-]/gu, ""));
  const from = plainWords.findIndex((_, i) => isDays(plainWords.slice(i).join(" ")));
  const days = from === -1 ? "" : plainWords.slice(from).join(" ");
  const content = plainWords.slice(0, from === -1 ? plainWords.length : from).filter((word) => !EMPTY.has(word));
  const isAbout = (some: ReadonlySet<string>): boolean => content.length > 0 && content.every((word) => some.has(word));
  if (isAbout(MONEY)) return ["usage", ...(days === "" ? [] : ["--since", days, "--until", days])];
  if (content.length === 0 && days !== "") return ["report", days];
  return isAbout(OPEN) ? ["report", ...(days === "" ? [] : [days])] : ["search", ...argv];
}

const EMPTY = new Set(
  "what which how much did do does done was were is are has have had i we you my our me for us it the a an agents agent coding on in at of happened work worked all".split(
    " ",
  ),
);
const MONEY = new Set("cost costs spend spent pay paid money usage tokens".split(" "));
const OPEN = new Set("left open waiting waits wait todo next unfinished".split(" "));

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
  pending: "unanswered",
  tool: "name",
  force: "full",
  fix: "repair",
  browser: "open",
  a: "all",
};

/** What a word that a command does not know stands for among its flags, or null. */
function meantBy(word: string, command: Command): readonly string[] | null {
  const name = word.replace(/^-+/, "");
  const { options } = command;
  const named = (long: string): Option | undefined => options.find((option) => option.long === `--${long}`);
  const asFlag = word.startsWith("-") ? named(FLAGS[name] ?? "") : named(name);
  if (asFlag?.long) return [asFlag.long];
  const value = OTHER_VALUES[name] ?? name;
  const taking = options.find((option) => option instanceof ValuesOption && option.values.includes(value));
  if (taking?.long) return [taking.long, value];
  if (named("source") && sourceIds().includes(name)) return ["--source", name];
  if (command.name() === "usage" && USAGE_WORDS.includes(name)) return [name];
  if (VERSION_FLAGS.has(word)) return ["--version"];
  if (named("session") && isSession(name)) return ["--session", name];
  if (/^\d+$/.test(name)) {
    const counted = word.startsWith("-") ? named("limit") : named("port");
    if (counted?.long) return [counted.long, name];
  }
  const days = [name, `this ${name}`].find((text) => isDays(text.replaceAll("-", " ")));
  if (days === undefined) return null;
  if (named("since")) return ["--since", days, "--until", days];
  return named("date") ? ["--date", days] : null;
}

/** The newest session, or what looks like the id of one. */
function isSession(word: string): boolean {
  return word === "last" || word === "latest" || /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/.test(word);
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
    // `--days 7` says the same as `--since 7d`.
    const spanned = /^--(days|weeks|months)$/.exec(unknown)?.[1]?.charAt(0);
    if (spanned !== undefined && at !== -1) {
      const [n, used] = unknown === argv[at] ? [argv[at + 1] ?? "", 2] : [(argv[at] ?? "").split("=")[1] ?? "", 1];
      if (/^\d+$/.test(n)) return [...argv.slice(0, at), "--since", `${n}${spanned}`, ...argv.slice(at + used)];
    }
    const meant = at === -1 ? null : meantBy(letter, command);
    if (meant === null) return null;
    const value = amount === "" ? (argv[at] ?? "").slice(unknown.length + 1) : amount;
    return [...argv.slice(0, at), ...meant, ...(value === "" ? [] : [value]), ...argv.slice(at + 1)];
  }
  const [surplus] = command.args.slice(command.registeredArguments.length);
  const at = surplus === undefined ? -1 : argv.lastIndexOf(surplus);
  if (surplus === undefined || at < 1) return null;
  // What was run is looked for by its words, sessions by their project.
  const by = ["--grep", "--project"].find((flag) => command.options.some(({ long }) => long === flag));
  const meant = meantBy(surplus, command) ?? (by === undefined ? null : [by, surplus]);
  return meant && [...argv.slice(0, at), ...meant, ...argv.slice(at + 1)];
}

/** What an unknown flag may have meant: a value of a flag, or without a command one of those (`--dayly`). */
export function meantNearby(flag: string, command: Command, commands: readonly string[] | null): string[] {
  const word = flag.replace(/^-+/, "");
  if (/^(?:csv|parquet|xlsx?|excel|format)$/.test(word)) return ["daybook export --format csv"];
  if (commands !== null)
    return nearest(word, [...commands, ...Object.keys(SPELLINGS)]).map((name) => `daybook ${name}`);
  const words = command.name() === "usage" ? nearest(word, USAGE_WORDS).map((name) => `daybook usage ${name}`) : [];
  return command.options
    .flatMap((option) =>
      (option instanceof ValuesOption ? nearest(word, option.values) : []).map((value) => `${option.long} ${value}`),
    )
    .concat(words);
}
