import type { Command } from "commander";
import { resolve } from "node:path";
import { DaybookError } from "../errors.ts";
import { daybookHome } from "../home.ts";
import { Redactor, type JsonValue } from "../redact/redact.ts";
import { Daybook, type DaybookOptions, type NewerVersion, type Query } from "../daybook.ts";
import { suggestion } from "../text/near.ts";
import { parseRange } from "../time/range.ts";
import type { Config } from "./config-file.ts";
import type { Io } from "./io.ts";
import { JOINT, JsonText } from "./json.ts";
import { lined } from "./layout.ts";
import { paints, type Paint } from "./paint.ts";
import { progressBar } from "./progress.ts";
import { orStopped } from "./stop.ts";
import { plain } from "./text.ts";

/** Flags every reading command takes. */
export interface CommonFlags {
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

export function commonFlags(command: Command): Command {
  return placeFlags(command)
    .option("--no-sync", "answer from what was read before; do not look for news")
    .option("--project <name>", "only this project (name, key or directory)")
    .option("--session <id>", "only this session (id, path, or the beginning of an id)")
    .option("-s, --since <day>", 'from this day on (2026-05-12, 28d, 5w, yesterday, "last monday", october)')
    .option("-u, --until <day>", "up to and including this day")
    .option("-j, --json", "print JSON")
    .option("--limit <n>", "at most this many rows; 0 for all")
    .option("--no-color", "no colour")
    .option("--no-redact", "show what looks like a secret");
}

/** For flags that may be given several times. */
export function collect(value: string, list: string[] | undefined): string[] {
  return [...(list ?? []), value];
}

export function queryOf(flags: CommonFlags): Query {
  return {
    project: flags.project,
    session: flags.session,
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

function expandHome(path: string, env: Io["env"]): string {
  return path === "~" || path.startsWith("~/") ? (env["HOME"] ?? "") + path.slice(1) : path;
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
  query: Query;
  /** The same for a list on a terminal: what one can look through, unless more is asked for. A pipe is given all. */
  listQuery: Query;
  paint: Paint;
  json: boolean;
  /** What may be printed or written of a value: secrets are hidden unless they were asked for. */
  hide: <T>(value: T) => T;
  /** The same for values that are told as JSON, each when it is its turn. */
  hideTexts: (list: Iterable<JsonValue>) => Iterable<JsonText>;
  /** What is said where a list is empty. A project that nobody ever worked on is an error, as a session is that is not there. */
  none(what: string): Promise<string>;
  /** Names what could not be read on stderr and gives the exit code: 3 when something was unreadable, else 0. */
  done(): Promise<number>;
}

/** Opens the library for one command with the common flags. */
export function openDaybook(io: Io, flags: CommonFlags, overrides: Partial<DaybookOptions> = {}): OpenedDaybook {
  const bar = progressBar(io, flags.quiet === true);
  // Who looks at a terminal has the answer first; a program that reads it has the book made on the way, and the next at once.
  const isWatched = io.outIsTerminal && io.errIsTerminal && io.again !== undefined && flags.quiet !== true;
  const roots = parseRoots(flags.root, io.env);
  const book = bookOf(io, flags);
  const timezone = flags.timezone ?? io.config?.timezone;
  const daybook = new Daybook({
    ...(book === undefined ? {} : { book }),
    ...(flags.sync === false ? { noSync: true } : {}),
    env: io.env,
    now: io.now,
    onProgress: bar.tick,
    // Only the program itself is sent signals.
    ...(io.again === undefined ? {} : { stoppable: orStopped }),
    ...(isWatched ? { answerFirst: WORTH } : {}),
    ...(flags.quiet === true ? {} : { onNote: (text: string) => io.err(`daybook: ${plain(text)}\n`) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(io.config === undefined ? {} : { configured: configuredRoots(io.config) }),
    ...(io.config?.projects === undefined ? {} : { projects: io.config.projects }),
    ...(io.config?.redaction === undefined ? {} : { redactor: new Redactor(io.config.redaction) }),
    ...(roots === undefined ? {} : { roots }),
    ...(flags.source === undefined ? {} : { sources: flags.source }),
    ...overrides,
  });
  // Wrong days are told before anything is read, also where a command does not ask for any.
  const query = queryOf(flags);
  parseRange(query, daybook.zone, io.now);
  if (isWatched) io.later?.(() => keep(io, daybook, flags));
  const hide = <T>(value: T): T => (flags.redact === false ? value : daybook.redactor.all(value));
  return {
    daybook,
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
      return reportProblems(io, daybook, flags);
    },
  };
}

async function none(what: string, daybook: Daybook, query: Query, width: number): Promise<string> {
  const { project, session, since, until } = query;
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
  const where =
    asked.length === 0 ? "`daybook doctor` shows where Daybook looked." : `That is with ${asked.join(" ")}.`;
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
  const found = await daybook.problems();
  const problems = flags.redact === false ? found : daybook.redactor.all(found);
  const unreadable = problems.filter(
    (p) =>
      p.code === "file_unreadable" ||
      p.code === "root_unreadable" ||
      p.code === "line_corrupt" ||
      p.code === "number_impossible" ||
      p.code === "page_damaged",
  );
  if (flags.quiet !== true) {
    // An agent that is not installed is no news; a place named by hand that is not there is, unless the book has it.
    const missing =
      flags.root === undefined || flags.home !== undefined ? [] : problems.filter((p) => p.code === "root_missing");
    for (const p of missing) io.err(`daybook: nothing at ${plain(p.path)}\n`);
    for (const p of unreadable.slice(0, MOST_NOTES))
      io.err(`daybook: unreadable: ${plain(p.path)}${p.line ? `:${p.line}` : ""}: ${plain(p.message)}\n`);
    const found = await daybook.newerVersions();
    const newer = flags.redact === false ? found : daybook.redactor.all(found);
    if (newer.length > 0) io.err(`daybook: newer than any version checked: ${plain(newerText(newer))}\n`);
    if (unreadable.length > MOST_NOTES)
      io.err(`daybook: … and ${unreadable.length - MOST_NOTES} more; see daybook doctor\n`);
  }
  return unreadable.length > 0 ? 3 : 0;
}
