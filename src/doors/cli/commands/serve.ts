import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Daybook, inside, LockedError } from "../../../answers/daybook.ts";
import { DaybookError, messageOf } from "../../../base/errors.ts";
import { plain } from "../../../base/text/inert.ts";
import type { DaybookServer, ServeOptions } from "../../http/server.ts";
import { followReviews } from "../follow-reviews.ts";
import type { Io } from "../io.ts";
import { progressBar } from "../long-work.ts";
import { expandHome } from "../../../base/home.ts";
import { bookOf, openDaybook, type OpenedDaybook, sampleRoots } from "../open-daybook.ts";
import { type CommonFlags, placeFlags } from "../options.ts";
import { collect, type Register, usageError } from "../flags.ts";

/** How long one attempt waits for the write lock of the book, in ms. Ctrl-C takes effect at most this much later. */
const LOCK_WAIT_MS = 2000;

interface Flags extends CommonFlags {
  port: string;
  host: string;
  token?: string;
  tokenFile?: string;
  allowHost?: string[];
  page: boolean;
  open?: boolean;
  sample?: boolean;
  store?: string;
  team?: boolean;
  publicUrl?: string;
}

export const serve: Register = (program, io, exit) => {
  placeFlags(program.command("serve"))
    .description("serve a local web page of your sessions, and the same as an HTTP API")
    .option("--port <n>", "port; 0 for any free one", "4242")
    .option("--host <address>", "address to listen on; any but localhost needs --token", "127.0.0.1")
    .option("--token <text>", "a token that every client must send (default: $DAYBOOK_TOKEN, else made for this start)")
    .option("--token-file <path>", "read the token from this file, so that it is not seen in the list of processes")
    .option("--allow-host <name>", "a further name of this machine, or of a proxy in front (repeatable)", collect)
    .option("--no-page", "only the API; it is described at /api/openapi.json")
    .option("--open", "open the page in the browser")
    .option("--sample", "show the bundled sample sessions")
    .option(
      "--store <url>",
      "show your sessions of all machines that pushed to a store (postgres://…) or a team's server (https://…); no local file is read",
    )
    .option("--owner <login>", "with a store: whose sessions (default: [team] owner, else your account name)")
    .option(
      "--team",
      "serve a team's store (default: $DAYBOOK_STORE), with the login postgres://daybook_api@…, to people with tokens (daybook team invite)",
    )
    .option("--public-url <url>", "with --team: the public https address, provided by a TLS proxy in front")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook serve --open\n  daybook serve --no-page --port 0\n  daybook serve --host 0.0.0.0 --token-file ~/.daybook-token\n  daybook serve --store postgres://localhost/daybook\n  daybook serve --store https://daybook.example.com --open\n  daybook serve --team --store postgres://daybook_api@db.example/daybook --public-url https://daybook.example.com",
    )
    .action(async (flags: Flags) => {
      const port = Number(flags.port);
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw new DaybookError(`--port takes a number up to 65535, not ${flags.port}`, { code: "usage", op: "serve" });
      if (flags.team === true && flags.owner !== undefined)
        throw usageError("--owner cannot be combined with --team: tokens say who asks", "leave one of them out");
      if (flags.team === true) return exit(await runTeamServer(io, flags, port, untilSignal()));
      if (flags.publicUrl !== undefined)
        throw usageError("--public-url needs --team", "daybook serve --team --store URL");
      if (flags.store !== undefined || flags.owner !== undefined) return exit(await runOfStore(io, flags, port));
      // Fast answers need a book: where none is to be kept, a temporary one is made for as long as the page is
      // served.
      const aside = bookOf(io, flags) === undefined || flags.sample === true;
      const home = aside ? mkdtempSync(join(tmpdir(), "daybook-serve-")) : undefined;
      try {
        exit(await run(io, { ...flags, ...(home === undefined ? {} : { home }) }, port, !aside));
      } finally {
        if (home !== undefined) rmSync(home, { recursive: true, force: true });
      }
    });
};

/** `isKept`: the book stays when the server ends. */
async function run(io: Io, flags: Flags, port: number, isKept: boolean): Promise<number> {
  // Installed first, so that Ctrl-C during startup also cleans up.
  const end = untilSignal();
  let opened = open(io, flags);
  const isEmpty =
    flags.sample !== true &&
    flags.root === undefined &&
    inside(opened.daybook).opened().refs.length === 0 &&
    !(await hasBook(opened));
  const sample = flags.sample === true || isEmpty;
  let aside: string | null = null;
  if (sample) {
    opened.daybook.close();
    aside = mkdtempSync(join(tmpdir(), "daybook-serve-"));
    opened = open(io, { ...flags, root: sampleRoots(), home: aside });
  }
  const { ServerNote } = await import("../../http/server.ts");
  const note = new ServerNote(aside ?? opened.book ?? "", port);
  const serving = await startServer(io, flags, port, { daybook: opened.daybook, sample }).catch(
    async (error: unknown) => {
      opened.daybook.close();
      const running = await note.addressOnce();
      if (running === null) throw error;
      return running;
    },
  );
  if (typeof serving === "string") {
    io.out(`Daybook is at ${serving}\n`);
    if (flags.open === true) show(io, serving);
    return 0;
  }
  note.write(serving);
  if (isEmpty) io.err("daybook: no agent sessions found; showing the bundled samples\n");
  announce(io, flags, serving);
  // New files are read while the page is already being served.
  const stop = new AbortController();
  const reading = syncNewFiles(opened.daybook, stop.signal, io).catch((error: unknown) => {
    if (!stop.signal.aborted) reportError(io, error);
  });
  const embedding = inside(opened.daybook).keepVectors(stop.signal, (error) => reportError(io, error));
  const reviews = sample || !isKept ? null : followReviews(io, opened, stop.signal);
  if (flags.open === true) show(io, serving.addressOnce());
  await end;
  stop.abort();
  note.remove();
  await serving.close();
  // The sync finishes writing what it has read, then stops.
  await reading;
  await embedding;
  await reviews;
  opened.daybook.close();
  if (aside !== null) rmSync(aside, { recursive: true, force: true });
  return 0;
}

/** A team's server has many clients, so each polls it less often than its own database. In ms. */
const SERVER_PACE = { every: 10_000, all: 10_000 };

/** `serve --store URL`: what one person pushed. The server itself polls the store for later pushes. */
async function runOfStore(io: Io, flags: Flags, port: number): Promise<number> {
  const onNote = (text: string): void => io.err(`daybook: ${plain(text)}\n`);
  const bar = progressBar(io, flags.quiet === true);
  let onProgress = bar.tick;
  const { daybook } = openDaybook(
    io,
    { ...flags, quiet: true },
    { givenWhole: true, now: () => Date.now(), onNote, onProgress: (done) => onProgress(done) },
  );
  // Asked before anything is served, so that a wrong address, name or token fails at once.
  await daybook.sessions({ limit: 1 }).finally(() => bar.clear());
  // No progress for later fetches: nobody waits for them.
  onProgress = () => undefined;
  const end = untilSignal();
  const pace = isDatabase(flags) ? undefined : SERVER_PACE;
  const serving = await startServer(io, flags, port, { daybook, sample: false, pace });
  announce(io, flags, serving);
  if (flags.open === true) show(io, serving.addressOnce());
  await end;
  await serving.close();
  daybook.close();
  return 0;
}

function isDatabase({ store = "" }: Flags): boolean {
  return store.startsWith("postgres");
}

async function startServer(
  io: Io,
  flags: Flags,
  port: number,
  what: Pick<ServeOptions, "daybook" | "sample" | "pace">,
): Promise<DaybookServer> {
  // Imported here because no other command needs a server.
  const { serveDaybook } = await import("../../http/server.ts");
  return serveDaybook({
    ...what,
    port,
    host: flags.host,
    token: tokenOf(io, flags),
    allowedHosts: flags.allowHost ?? [],
    page: flags.page,
    terminal: io.config?.page?.terminal ?? null,
    now: () => Date.now(),
    failed: (error) => reportError(io, error),
  });
}

/** The token a user chose; null if none. */
function tokenOf(io: Io, { token, tokenFile }: Flags): string | null {
  if (token !== undefined && tokenFile !== undefined)
    throw usageError("--token cannot be combined with --token-file", "leave one of them out");
  const given = tokenFile === undefined ? (token ?? io.env["DAYBOOK_TOKEN"]) : readToken(expandHome(tokenFile, io.env));
  // An empty variable is an unset one; an empty token would let everybody in.
  if (given === undefined || (given.trim() === "" && token === undefined)) return null;
  if (given.trim().length < SHORTEST_TOKEN)
    throw usageError(`a token has at least ${SHORTEST_TOKEN} characters`, "openssl rand -hex 16");
  return given.trim();
}

/** Shorter ones can be guessed. */
const SHORTEST_TOKEN = 8;

function readToken(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new DaybookError(`${path} cannot be read`, { code: "unreadable", op: "read token", path, cause: error });
  }
}

function announce(io: Io, flags: Flags, serving: DaybookServer): void {
  io.out(`Daybook is at ${flags.page ? serving.addressOnce() : serving.url}\n`);
  if (!flags.page) io.out(`The API is described at ${new URL("/api/openapi.json", serving.url).href}\n`);
  io.err("Press Ctrl-C to stop.\n");
}

function reportError(io: Io, error: unknown): void {
  io.err(`daybook: ${plain(messageOf(error))}\n`);
}

/** While another process writes the book, the page shows what was read before, and the sync is retried. */
async function syncNewFiles(daybook: Daybook, signal: AbortSignal, io: Io): Promise<void> {
  for (let isSaid = false; !signal.aborted; isSaid = true) {
    try {
      await daybook.sync({ signal, patience: LOCK_WAIT_MS });
      return;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (!isSaid) io.err(`daybook: the book is being written${error.by}; new files are read when that is done\n`);
    }
  }
}

/** Questions are answered without a sync; the server watches for changes itself and uses a live clock. */
function open(io: Io, given: Flags): OpenedDaybook {
  const { sample: _, ...flags } = given;
  return openDaybook(io, { ...flags, quiet: true }, { noSync: true, inBackground: true, now: () => Date.now() });
}

async function hasBook({ daybook }: OpenedDaybook): Promise<boolean> {
  return (await daybook.sessions({ limit: 1 })).length > 0;
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
  });
}

/** Without a browser the printed address has to do. */
function show(io: Io, url: string): void {
  if (io.open) io.open(url);
  else io.err("daybook: no browser can be opened here; use the address above\n");
}

interface TeamServerFlags {
  store?: string;
  host: string;
  publicUrl?: string;
  page: boolean;
}

/** `serve --store URL --team`: the only program with a login to the store; runs until it is stopped. */
async function runTeamServer(io: Io, flags: TeamServerFlags, port: number, end: Promise<void>): Promise<number> {
  const store = flags.store ?? io.env["DAYBOOK_STORE"] ?? "";
  if (store.trim() === "")
    throw usageError("--team: which store?", "--store postgres://daybook_api@host/database, or set $DAYBOOK_STORE");
  // Imported here because no other command needs a server.
  const { serveTeam } = await import("../../http/team/server.ts");
  const serving = await serveTeam({
    store,
    port,
    host: flags.host,
    page: flags.page,
    now: () => Date.now(),
    publicUrl: flags.publicUrl ?? null,
    oidc: io.config?.oidc ?? null,
    failed: (error) => io.err(`daybook: ${plain(messageOf(error))}\n`),
  });
  io.out(`Daybook for a team is at ${serving.url}\n`);
  io.err("Press Ctrl-C to stop.\n");
  await end;
  await serving.close();
  return 0;
}
