import { existsSync, readdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  Daybook,
  type DaybookOptions,
  inside,
  type QueryFor,
  type RemoteDemand,
  type RemoteRows,
  sourceIds,
} from "../../answers/daybook.ts";
import { DaybookError } from "../../base/errors.ts";
import { daybookHome, expandHome, homeDirectory, valueIn } from "../../base/home.ts";
import { type JsonValue, Redactor } from "../../base/redact/redact.ts";
import { plain } from "../../base/text/inert.ts";
import { suggestion } from "../../base/text/near.ts";
import { groupDigits } from "../../base/text/units.ts";
import { parseRange } from "../../base/time/range.ts";
import { SAMPLES } from "../../places.ts";
import type { FieldTable, QueryOf } from "../../views/query/field.ts";
import type { Config } from "./config.ts";
import { filterWords, queryFrom, usageError } from "./flags.ts";
import type { Io } from "./io.ts";
import { JOINT, JsonText } from "./json.ts";
import { shouldShowHints } from "./last-shown.ts";
import { flow, wrapLines } from "./layout.ts";
import { orThrowIfStopped, progressBar } from "./long-work.ts";
import { type Asked, COMMON, type CommonFlags, type StoreFlags } from "./options.ts";
import { type Paint, paintFor } from "./output.ts";
import { noteProblems } from "./problem-notes.ts";

/** Parses `SOURCE=PATH` pairs into the form the library takes. */
function parseRoots(pairs: readonly string[] | undefined, env: Io["env"]): Record<string, string[]> | undefined {
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

/**
 * Where the book is kept. Roots given on the command line are a question about those files alone: they enter a book
 * only if `--home` names one, so that reading somebody else's files leaves no trace in the user's own book.
 */
export function bookOf(io: Io, flags: Pick<CommonFlags, "home" | "root">): string | undefined {
  if (flags.home !== undefined) return resolve(expandHome(flags.home, io.env));
  if (flags.root !== undefined) return undefined;
  if (valueIn(io.env, "DAYBOOK_HOME") === null && io.config?.home !== undefined) return io.config.home;
  return daybookHome(io.env, process.platform, homeDirectory(io.env));
}

function embeddingsOf({ recall }: Config = {}): Pick<DaybookOptions, "embeddings"> {
  const { embeddings, model, key_env } = recall ?? {};
  return embeddings === undefined ? {} : { embeddings: { embeddings, model, key_env } };
}

function configuredRoots({ roots = {}, aider_dirs: aider }: Config): Record<string, string[]> {
  return aider === undefined ? roots : { ...roots, aider: [...(roots["aider"] ?? []), ...aider] };
}

/** What a command asks with, unless it has a question of its own. */
type CommonQuery = QueryOf<typeof COMMON>;

export interface OpenedDaybook<Query = CommonQuery> {
  daybook: Daybook;
  /** Where the book is kept; null if there is none. */
  book: string | null;
  query: Query;
  /**
   * The same for a list on a terminal, limited to what one can look through unless a limit is given. A pipe gets
   * everything.
   */
  listQuery: Query;
  paint: Paint;
  json: boolean;
  /** Hides secrets in a value to be printed or written, unless --no-redact was given. */
  hide: <T>(value: T) => T;
  /** The same for values in JSON form, produced one by one. */
  hideTexts: (list: Iterable<JsonValue>) => Iterable<JsonText>;
  /** The text for an empty list. Throws if the query names a project that does not exist. */
  emptyText(what: string): Promise<string>;
  /** Reports unreadable files on stderr and returns the exit code: 3 if something was unreadable, otherwise 0. */
  done(): Promise<number>;
}

interface OpenDemand<Fields extends FieldTable> extends Partial<DaybookOptions> {
  mayLackRoots?: boolean;
  /** Whose query the flags say. */
  question?: Asked<Fields>;
}

/** Opens the library for one command with the common flags. */
export function openDaybook<Fields extends FieldTable = typeof COMMON>(
  io: Io,
  given: CommonFlags,
  { mayLackRoots = false, question, ...overrides }: OpenDemand<Fields> = {},
): OpenedDaybook<QueryOf<Fields>> {
  const store = storeOptions(io, given);
  const flags = given.sample === true ? withSampleRoots(given) : given;
  const bar = progressBar(io, flags.quiet === true);
  // On a terminal the answer comes first and the book is made afterwards. A program gets its answer after the book
  // was made, so that its next question is fast.
  const isSeen = io.outIsTerminal && io.errIsTerminal && flags.quiet !== true;
  const isWatched = isSeen && io.runAgain !== undefined && !store;
  const roots = parseRoots(flags.root, io.env);
  const book = store ? undefined : bookOf(io, flags);
  if (roots !== undefined && !mayLackRoots) assertRootsExist(roots, book);
  const timezone = flags.timezone ?? io.config?.timezone;
  const daybook = new Daybook({
    ...(book === undefined ? {} : { book }),
    ...(flags.sync === false ? { noSync: true } : {}),
    lookOnce: true,
    env: io.env,
    now: io.now,
    onProgress: bar.tick,
    // Signals are handled only when running as a program of its own.
    ...(io.runAgain === undefined ? {} : { stoppable: orThrowIfStopped }),
    ...(flags.quiet === true ? {} : { onNote: (text: string) => io.err(`daybook: ${plain(text)}\n`) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(io.config === undefined ? {} : { configured: configuredRoots(io.config) }),
    ...(io.config?.projects === undefined ? {} : { projects: io.config.projects }),
    ...embeddingsOf(io.config),
    ...(io.config?.redaction === undefined ? {} : { redactor: new Redactor(io.config.redaction) }),
    ...(roots === undefined ? {} : { roots }),
    ...(flags.source === undefined ? {} : { sources: flags.source }),
    ...store,
    ...overrides,
  });
  // Wrong values and invalid days are reported before anything is read, even if the command does not use them.
  const fields: FieldTable = question?.query ?? COMMON;
  const query = queryFrom(fields, { ...flags }) as QueryOf<Fields>;
  parseRange(flags, daybook.zone, io.now);
  if (isWatched) io.defer?.(() => makeBook(io, daybook, flags));
  const hide = <T>(value: T): T => (flags.redact === false ? value : daybook.redactor.all(value));
  return {
    daybook,
    book: book ?? null,
    query,
    listQuery:
      io.outIsTerminal && flags.limit === undefined && flags.json !== true ? { ...query, limit: SHOWN } : query,
    get paint() {
      return paintFor(io, flags.color !== false);
    },
    json: flags.json === true,
    hide,
    *hideTexts(list) {
      if (flags.redact === false) for (const { json } of list) yield new JsonText(json);
      else for (const text of daybook.redactor.json(list, JOINT)) yield new JsonText(text);
    },
    emptyText: (what) => emptyText(what, daybook, { fields, query }, io.columns),
    async done() {
      bar.clear();
      const code = await noteProblems({
        io,
        daybook,
        book: book ?? null,
        quiet: flags.quiet === true,
        redact: flags.redact !== false,
        missingRoots: flags.root !== undefined && flags.home === undefined,
      });
      // Printed below the answer, which is printed after this.
      if (isSeen && flags.json !== true && book !== undefined) io.defer?.(async () => showHints(io, book));
      return code;
    },
  };
}

/** Hints shown once, after the first answer from a book. */
function showHints(io: Io, book: string): void {
  if (!shouldShowHints(book)) return;
  const next = [
    "daybook show S0001/T0001 opens what a report cites",
    "daybook search WORDS finds it",
    "daybook usage says what it cost",
    "daybook --help lists the rest",
  ];
  io.err(`\n${flow(["next", ...next], io.columns).join("\n")}\n`);
}

/** Switches to the bundled sessions, read for this one question: they never enter a book. */
function withSampleRoots({ home, root, ...flags }: CommonFlags): CommonFlags {
  const other = home !== undefined ? "--home" : root !== undefined ? "--root" : null;
  if (other !== null)
    throw usageError(
      `--sample cannot be combined with ${other}: it reads only the bundled sessions`,
      "leave one of them out",
    );
  return { ...flags, root: sampleRoots() };
}

/** A root given on the command line that does not exist is an error, unless a book may still hold its sessions. */
function assertRootsExist(roots: Readonly<Record<string, readonly string[]>>, book: string | undefined): void {
  if (book !== undefined && existsSync(join(book, "book"))) return;
  for (const [source, paths] of Object.entries(roots)) {
    const missing = paths.find((path) => !existsSync(path));
    // An unknown source id is reported later, by the code that knows the sources.
    if (missing === undefined || !sourceIds().includes(source)) continue;
    throw new DaybookError(`${missing} does not exist`, {
      code: "not_found",
      op: "open roots",
      path: missing,
      hint: `--root ${source}=PATH needs an existing directory or file; \`daybook doctor\` shows where agents keep theirs`,
    });
  }
}

async function emptyText(
  what: string,
  daybook: Daybook,
  { fields, query }: { fields: FieldTable; query: CommonQuery },
  width: number,
): Promise<string> {
  const { project } = query;
  if (project !== undefined && (await inside(daybook).count("sessions", { project })) === 0) {
    const known = await inside(daybook).projectNames();
    throw new DaybookError(`no project ${project}`, {
      code: "not_found",
      op: "find project",
      hint: suggestion(project, known) || "`daybook sessions` lists sessions with their projects",
    });
  }
  const asked = filterWords(fields, query);
  const where =
    asked.length > 0
      ? `Filters: ${asked.join(" ")}.`
      : inside(daybook).isOfStore
        ? "`daybook push` sends the sessions of a machine."
        : "`daybook doctor` shows where Daybook looked.";
  return wrapLines(`No ${what} found. ${where}`, width).join("\n");
}

/** The length of the whole list; counted only if the list may have been cut. */
export async function totalOf(
  { listQuery }: Pick<OpenedDaybook, "listQuery">,
  shown: number,
  count: () => Promise<number>,
): Promise<number> {
  return listQuery.limit !== undefined && shown >= listQuery.limit ? count() : shown;
}

/** How many sessions in which narratives were written a list leaves out, in words; "" for none. */
export async function ownLeftOut(
  { daybook, book, query }: OpenedDaybook<QueryFor<"sessions"> | QueryFor<"turns">>,
  list: "sessions" | "turns",
): Promise<string> {
  if (book === null || query.own === true) return "";
  const [all, shown] = [
    await inside(daybook).count(list, { ...query, own: true }),
    await inside(daybook).count(list, query),
  ];
  return all === shown ? "" : `${groupDigits(all - shown)} of narratives left out`;
}

/** Rows of a list on a terminal without --limit. */
const SHOWN = 20;

/** The first answer came from the files; this makes the book for the next ones, in a new process with fresh memory. */
async function makeBook(io: Io, daybook: Daybook, flags: CommonFlags): Promise<void> {
  if (!io.runAgain || !inside(daybook).isBookIncomplete) return;
  io.err(
    "daybook: reading the rest into the book, newest first (once only). Ctrl-C stops; the next command continues.\n",
  );
  const home = flags.home === undefined ? [] : ["--home", flags.home];
  const roots = (flags.root ?? []).flatMap((root) => ["--root", root]);
  const modules = (flags.sourceModule ?? []).flatMap((path) => ["--source-module", path]);
  await io.runAgain(["sync", ...home, ...roots, ...modules]);
}

/** Flags that refer to this machine. */
const LOCAL_FLAGS = ["root", "home", "sample"] as const;

/** The remote source to query, and whose sessions; null to answer from the files and the book of this machine. */
function storeOptions(
  io: Pick<Io, "config" | "env" | "err" | "columns">,
  flags: StoreFlags & { quiet?: boolean } & Partial<Record<(typeof LOCAL_FLAGS)[number], unknown>>,
): Pick<DaybookOptions, "remote" | "roots"> | null {
  const { store: url, owner } = flags;
  if (url === undefined) {
    if (owner !== undefined) throw usageError("--owner needs --store", "--store URL names the store");
    return null;
  }
  const other = LOCAL_FLAGS.find((name) => flags[name] !== undefined);
  if (other !== undefined) throw usageError(`--${other} cannot be combined with --store`, "leave one of them out");
  const noting = noteRemovedOnce(io, flags.quiet === true);
  // Look for no agent files on this machine.
  const roots = {};
  if (/^https?:\/\//.test(url)) {
    if (owner !== undefined)
      throw usageError("--owner cannot be combined with a team's server", "the token says who you are");
    const server = { url, settings: io.config?.team ?? {}, env: io.env };
    return {
      roots,
      remote: async (work, about) =>
        (await import("../../team/read/open-server.ts")).fromServer({ ...server, ...about }, noting(work, about)),
    };
  }
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw usageError(
      "that is not the address of a store",
      "use postgres://host/database, or https://server for a team's server",
    );
  const login = owner ?? io.config?.team?.owner ?? userInfo().username;
  return {
    roots,
    remote: async (work, about) =>
      (await import("../../team/read/open-store.ts")).fromStore({ url, login, ...about }, noting(work, about)),
  };
}

type Work<T> = (rows: RemoteRows) => Promise<T>;
type Noting = <T>(work: Work<T>, about: RemoteDemand) => Work<T>;

/**
 * Reports once which of the requested days were removed from the store, so that an empty answer is not mistaken for
 * no work.
 */
function noteRemovedOnce({ err, columns }: Pick<Io, "err" | "columns">, isQuiet: boolean): Noting {
  let isSaid = isQuiet;
  return (work, about) => async (rows) => {
    const removed = isSaid ? null : await rows.removed();
    const start = about.range?.start ?? null;
    const since = start === null ? "" : new Date(start).toISOString().slice(0, 10);
    const said = Object.entries(removed ?? {}).flatMap(([what, day]) =>
      day === null || day <= since ? [] : [`${what} before ${day}`],
    );
    if (said.length > 0) {
      isSaid = true;
      const text = `daybook: removed from the store because of their age: ${said.join(", ")}`;
      err(`${wrapLines(text, columns).join("\n")}\n`);
    }
    return work(rows);
  };
}

/** The bundled sessions as values for `--root`: one folder per agent, named by its id. */
export function sampleRoots(): string[] {
  return readdirSync(SAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}=${fileURLToPath(new URL(name, SAMPLES))}`);
}

/** The newest day with work in the samples. */
export const SAMPLE_DAY = "2026-05-12";

/** The home for workspaces of the samples, outside the user's own folder. */
export function sampleHome(): string {
  return join(tmpdir(), `daybook-sample-${userInfo().username}`);
}
