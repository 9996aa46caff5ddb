import { Option, type Command } from "commander";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DaybookError } from "../errors.ts";
import { daybookHome } from "../home.ts";
import { Redactor, type JsonValue } from "../redact/redact.ts";
import { Daybook, sourceIds, type DaybookOptions, type NewerVersion, type Query } from "../daybook.ts";
import { choosesMarks } from "../answers/marks.ts";
import { suggestion } from "../text/near.ts";
import { parseRange } from "../time/range.ts";
import type { Config } from "./config-file.ts";
import type { Io } from "./io.ts";
import { JOINT, JsonText } from "./json.ts";
import { flow, lined } from "./layout.ts";
import { takeGuidance } from "./memory.ts";
import { paints, type Paint } from "./paint.ts";
import { progressBar } from "./progress.ts";
import { orStopped } from "./stop.ts";
import { sampleRoots } from "./sample.ts";
import { storeOptions, type StoreFlags } from "./store-flags.ts";
import { plain } from "./text.ts";
import { wrongUse } from "./unknown.ts";

/** Flags every reading command takes. */
export interface CommonFlags extends StoreFlags {
  root?: string[];
  home?: string;
  sync?: boolean;
  source?: string[];
  project?: string;
  session?: string;
  since?: string;
  until?: string;
  timezone?: string;
  json?: boolean;
  limit?: string;
  quiet?: boolean;
  color?: boolean;
  redact?: boolean;
  sample?: boolean;
  label?: string[];
  starred?: boolean;
  noted?: boolean;
}

/** Where sessions and the book are, and how days are counted: for commands that answer no question themselves. */
export function placeFlags(command: Command): Command {
  return command
    .option(
      "--root <source=path>",
      "read this directory or file instead of the agent's own places (repeatable); kept only with --home",
      collect,
    )
    .option(
      "--home <dir>",
      "where the book and the index are kept (default: $DAYBOOK_HOME or the platform's data directory)",
    )
    .option("--source <id>", "only this agent (repeatable)", collect)
    .option("-z, --timezone <zone>", "IANA time zone for days (default: the system's)")
    .option("-q, --quiet", "no progress, no notes on stderr");
}

type Heeded = "sync" | "project" | "session" | "marks" | "since" | "until" | "json" | "limit" | "redact" | "sample";

/** Flags that narrow a question or change its answer. A command that would not heed one does not take it. */
const HEEDED: Readonly<Record<Exclude<Heeded, "marks">, readonly [flags: string, about: string]>> = {
  sync: ["--no-sync", "answer from what was read before; do not look for new files"],
  project: ["--project <name>", "only this project (name, key or directory)"],
  session: ["--session <id>", "only this session (id, path, or the beginning of an id)"],
  since: ["-s, --since <day>", 'from this day on (2026-05-12, 28d, 5w, yesterday, "last monday", october)'],
  until: ["-u, --until <day>", "up to and including this day"],
  json: ["-j, --json", "print JSON"],
  limit: ["--limit <n>", "at most this many rows; 0 for all"],
  redact: ["--no-redact", "show what looks like a secret"],
  sample: ["--sample", "use the bundled sample sessions; your own book is not touched"],
};

/** Choose by what people put on sessions and turns. */
const MARKS: readonly (readonly [flags: string, about: string])[] = [
  ["--label <key[=value]>", "only what carries this label (repeatable: all of them)"],
  ["--starred", "only what is starred"],
  ["--noted", "only what has a note"],
];

export function commonFlags(command: Command, unheeded: readonly Heeded[] = []): Command {
  placeFlags(command);
  const isHeeded = (name: string): boolean => !(unheeded as readonly string[]).includes(name);
  for (const [name, [flags, about]] of Object.entries(HEEDED)) {
    if (isHeeded(name)) command.option(flags, about);
    // What cannot be asked for one session is not asked by its marks either.
    if (name !== "session" || !isHeeded(name) || !isHeeded("marks")) continue;
    for (const [words, said] of MARKS) command.addOption(markOption(words, said));
  }
  return command.option("--no-color", "no colour");
}

function markOption(flags: string, about: string): Option {
  const option = new Option(flags, about);
  return flags.includes("<") ? option.argParser(collect) : option;
}

/** Every word by which a common flag is given. */
export const COMMON_WORDS: readonly string[] = [...Object.values(HEEDED), ...MARKS].flatMap(([flags]) =>
  flags.split(/[ ,]+/).filter((word) => word.startsWith("-")),
);

/** For flags that may be given several times. */
export function collect(value: string, list: string[] | undefined): string[] {
  return [...(list ?? []), value];
}

export function queryOf(flags: CommonFlags): Query {
  return {
    project: flags.project,
    session: flags.session,
    ...{ label: flags.label, starred: flags.starred, noted: flags.noted },
    since: flags.since,
    until: flags.until,
    limit: limitOf(flags),
  };
}

/** 0 asks for all. */
export function limitOf({ limit }: Pick<CommonFlags, "limit">): number | undefined {
  return limit === undefined || limit.trim() === "0" ? undefined : positive(limit, "--limit");
}

export function positive(text: string, flag: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n > 0) return n;
  throw new DaybookError(`${flag} takes a whole number above 0, not ${text}`, { code: "usage", op: "parse flags" });
}

/** `SOURCE=PATH` pairs into the shape the library takes. */
export function parseRoots(pairs: readonly string[] | undefined, env: Io["env"]): Record<string, string[]> | undefined {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const roots: Record<string, string[]> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at <= 0 || at === pair.length - 1) {
      throw new DaybookError(`--root takes SOURCE=PATH, not ${pair}`, {
        code: "usage",
        op: "parse flags",
        hint: "for example --root codex=~/.codex",
      });
    }
    const id = pair.slice(0, at);
    (roots[id] ??= []).push(resolve(expandHome(pair.slice(at + 1), env)));
  }
  return roots;
}

export function expandHome(path: string, env: Io["env"]): string {
  return /^~(?:[\\/]|$)/.test(path) ? (env["HOME"] ?? env["USERPROFILE"] ?? "") + path.slice(1) : path;
}

/**
 * Where the book is kept. Roots named by hand are a question about those files alone: they enter a book only when `--home`
 * names one, so that looking into somebody's files leaves no trace in one's own book, wherever that is kept.
 */
export function bookOf(io: Io, flags: Pick<CommonFlags, "home" | "root">): string | undefined {
  if (flags.home !== undefined) return resolve(expandHome(flags.home, io.env));
  if (flags.root !== undefined) return undefined;
  if (io.env["DAYBOOK_HOME"] === undefined && io.config?.home !== undefined) return io.config.home;
  return daybookHome(io.env, process.platform, io.env["HOME"] ?? io.env["USERPROFILE"] ?? "");
}

function configuredRoots({ roots = {}, aider_dirs: aider }: Config): Record<string, string[]> {
  return aider === undefined ? roots : { ...roots, aider: [...(roots["aider"] ?? []), ...aider] };
}

export interface OpenedDaybook {
  daybook: Daybook;
  /** Where the book is kept; null where nothing is. */
  book: string | null;
  query: Query;
  /** The same for a list on a terminal: what one can look through, unless more is asked for. A pipe is given all. */
  listQuery: Query;
  paint: Paint;
  json: boolean;
  /** What may be printed or written of a value: secrets are hidden unless they were asked for. */
  hide: <T>(value: T) => T;
  /** The same for values that are written as JSON, each when it is its turn. */
  hideTexts: (list: Iterable<JsonValue>) => Iterable<JsonText>;
  /** What is said where a list is empty. A project that nobody ever worked on is an error, as a session is that is not there. */
  none(what: string): Promise<string>;
  /** Names what could not be read on stderr and gives the exit code: 3 when something was unreadable, else 0. */
  done(): Promise<number>;
}

interface OpenDemand extends Partial<DaybookOptions> {
  mayLackRoots?: boolean;
}

/** Opens the library for one command with the common flags. */
export function openDaybook(
  io: Io,
  given: CommonFlags,
  { mayLackRoots = false, ...overrides }: OpenDemand = {},
): OpenedDaybook {
  const store = storeOptions(io, given);
  const flags = given.sample === true ? ofSample(given) : given;
  const bar = progressBar(io, flags.quiet === true);
  // Who looks at a terminal has the answer first; a program that reads it has the book made on the way, and the next at once.
  const isSeen = io.outIsTerminal && io.errIsTerminal && flags.quiet !== true;
  const isWatched = isSeen && io.again !== undefined && !store;
  const isFirst = isWatched && !choosesMarks(flags);
  const roots = parseRoots(flags.root, io.env);
  const book = store ? undefined : bookOf(io, flags);
  if (roots !== undefined && !mayLackRoots) assertThere(roots, book);
  const timezone = flags.timezone ?? io.config?.timezone;
  const daybook = new Daybook({
    ...(book === undefined ? {} : { book }),
    ...(flags.sync === false ? { noSync: true } : {}),
    env: io.env,
    now: io.now,
    onProgress: bar.tick,
    // Only the program itself is sent signals.
    ...(io.again === undefined ? {} : { stoppable: orStopped }),
    ...(isFirst ? { answerFirst: WORTH } : {}),
    ...(flags.quiet === true ? {} : { onNote: (text: string) => io.err(`daybook: ${plain(text)}\n`) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(io.config === undefined ? {} : { configured: configuredRoots(io.config) }),
    ...(io.config?.projects === undefined ? {} : { projects: io.config.projects }),
    ...(io.config?.redaction === undefined ? {} : { redactor: new Redactor(io.config.redaction) }),
    ...(roots === undefined ? {} : { roots }),
    ...(flags.source === undefined ? {} : { sources: flags.source }),
    ...store,
    ...overrides,
  });
  // Wrong days are reported before anything is read, also where a command does not ask for any.
  const query = queryOf(flags);
  parseRange(query, daybook.zone, io.now);
  if (isWatched) io.later?.(() => keep(io, daybook, flags));
  const hide = <T>(value: T): T => (flags.redact === false ? value : daybook.redactor.all(value));
  return {
    daybook,
    book: book ?? null,
    query,
    listQuery:
      io.outIsTerminal && flags.limit === undefined && flags.json !== true ? { ...query, limit: SHOWN } : query,
    get paint() {
      return paints(io, flags.color !== false);
    },
    json: flags.json === true,
    hide,
    *hideTexts(list) {
      if (flags.redact === false) for (const { json } of list) yield new JsonText(json);
      else for (const text of daybook.redactor.json(list, JOINT)) yield new JsonText(text);
    },
    none: (what) => none(what, daybook, query, io.columns),
    async done() {
      bar.clear();
      const code = await reportProblems(io, daybook, flags);
      // Below the answer, which is printed when this is done.
      if (isSeen && flags.json !== true && book !== undefined) io.later?.(async () => guide(io, book));
      return code;
    },
  };
}

/** After the first answer of a book: what to do with it. */
function guide(io: Io, book: string): void {
  if (!takeGuidance(book)) return;
  const next = [
    "daybook show S0001/T0001 opens what a report cites",
    "daybook search WORDS finds it",
    "daybook usage says what it cost",
    "daybook --help lists the rest",
  ];
  io.err(`\n${flow(["next", ...next], io.columns).join("\n")}\n`);
}

/** The bundled sessions, read for this one question: they never enter a book. */
function ofSample({ home, root, ...flags }: CommonFlags): CommonFlags {
  const other = home !== undefined ? "--home" : root !== undefined ? "--root" : null;
  if (other !== null)
    throw wrongUse(
      `--sample reads the bundled sessions and keeps nothing; ${other} does not go with it`,
      "leave one of them out",
    );
  return { ...flags, root: sampleRoots() };
}

/** A place named by hand that is not there is a mistake, unless a book may know what once was. */
function assertThere(roots: Readonly<Record<string, readonly string[]>>, book: string | undefined): void {
  if (book !== undefined && existsSync(join(book, "book"))) return;
  for (const [source, paths] of Object.entries(roots)) {
    const missing = paths.find((path) => !existsSync(path));
    // Which agents there are is reported first, by who knows them.
    if (missing === undefined || !sourceIds().includes(source)) continue;
    throw new DaybookError(`nothing at ${missing}`, {
      ...{ code: "not_found", op: "open roots", path: missing },
      hint: `--root ${source}=PATH takes a directory or a file that is there; \`daybook doctor\` shows where agents keep theirs`,
    });
  }
}

async function none(what: string, daybook: Daybook, query: Query, width: number): Promise<string> {
  const { project, session, since, until, label, starred, noted } = query;
  if (project !== undefined && (await daybook.count("sessions", { project })) === 0) {
    const known = await daybook.projectNames();
    throw new DaybookError(`no project ${project}`, {
      code: "not_found",
      op: "find project",
      hint: suggestion(project, known) || "`daybook sessions` lists sessions with their projects",
    });
  }
  const asked = Object.entries({ project, session, since, until }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag} ${value}`],
  );
  asked.push(...(label ?? []).map((one) => `--label ${one}`));
  asked.push(...(starred === true ? ["--starred"] : []), ...(noted === true ? ["--noted"] : []));
  const where =
    asked.length > 0
      ? `That is with ${asked.join(" ")}.`
      : daybook.isOfStore
        ? "`daybook push` sends what is on a machine."
        : "`daybook doctor` shows where Daybook looked.";
  return lined(`No ${what} found. ${where}`, width).join("\n");
}

/** How many there are: counted only where the list may have been cut. */
export async function totalOf(
  { listQuery }: OpenedDaybook,
  shown: number,
  count: () => Promise<number>,
): Promise<number> {
  return listQuery.limit !== undefined && shown >= listQuery.limit ? count() : shown;
}

/** Rows of a list on a terminal. */
const SHOWN = 20;

/** Bytes: less is in the book within a second, and the sessions of more would not fit into memory together. */
const WORTH = { least: 64_000_000, most: 1_200_000_000 };

/** The first answer came from the files; the next will come from the book. A process of its own begins with empty hands. */
async function keep(io: Io, daybook: Daybook, flags: CommonFlags): Promise<void> {
  if (!io.again || !daybook.owesBook) return;
  io.err(
    "daybook: now the rest is read into the book, once, newest first; Ctrl-C stops it, the next question goes on\n",
  );
  const home = flags.home === undefined ? [] : ["--home", flags.home];
  await io.again(["sync", ...home, ...(flags.root ?? []).flatMap((root) => ["--root", root])]);
}

const MOST_NOTES = 5;

/** `Codex 0.170.0 (up to 0.166.0 was)`: one note for all, the newest of each agent. */
function newerText(newer: readonly NewerVersion[]): string {
  const newest = new Map(newer.map((one) => [one.source, one]));
  return [...newest.values()]
    .map(({ name, version, checked }) => `${name} ${version} (up to ${checked} was)`)
    .join(", ");
}

async function reportProblems(io: Io, daybook: Daybook, flags: CommonFlags): Promise<number> {
  const problems = await daybook.problems();
  const hide = (text: string): string => plain(flags.redact === false ? text : daybook.redactor.text(text));
  const unreadable = problems.filter(
    (p) =>
      p.code === "file_unreadable" ||
      p.code === "root_unreadable" ||
      p.code === "line_corrupt" ||
      p.code === "number_impossible" ||
      p.code === "page_damaged",
  );
  if (flags.quiet !== true) {
    // An agent that is not installed is nothing new; a place named by hand that is not there is, unless the book has it.
    const missing =
      flags.root === undefined || flags.home !== undefined ? [] : problems.filter((p) => p.code === "root_missing");
    for (const p of missing) io.err(`daybook: nothing at ${hide(p.path)}\n`);
    for (const p of unreadable.slice(0, MOST_NOTES))
      io.err(`daybook: unreadable: ${hide(p.path)}${p.line ? `:${p.line}` : ""}: ${hide(p.message)}\n`);
    const newer = await daybook.newerVersions();
    if (newer.length > 0) io.err(`daybook: newer than any version checked: ${hide(newerText(newer))}\n`);
    if (unreadable.length > MOST_NOTES)
      io.err(`daybook: … and ${unreadable.length - MOST_NOTES} more; see daybook doctor\n`);
  }
  return unreadable.length > 0 ? 3 : 0;
}
