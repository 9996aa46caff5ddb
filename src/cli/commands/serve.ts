import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DaybookError, messageOf } from "../../errors.ts";
import { LockedError, type Daybook } from "../../daybook.ts";
import type { Serving } from "../../http/listen.ts";
import type { ServeOptions } from "../../http/server.ts";
import type { Io } from "../io.ts";
import { bookOf, openDaybook, placeFlags, type CommonFlags, type OpenedDaybook } from "../options.ts";
import { progressBar } from "../progress.ts";
import type { Register } from "../register.ts";
import { sampleRoots } from "../sample.ts";
import { runTeamServer } from "../team-server.ts";
import { plain } from "../text.ts";
import { wrongUse } from "../unknown.ts";

/** How long one try waits for another that writes the book, in ms: who ends the server waits no longer. */
const PATIENCE = 2000;

interface Flags extends CommonFlags {
  port: string;
  host: string;
  token?: string;
  page: boolean;
  open?: boolean;
  sample?: boolean;
  store?: string;
  team?: boolean;
  publicUrl?: string;
}

export const serve: Register = (program, io, exit) => {
  placeFlags(program.command("serve"))
    .description("a local web page of your sessions, and the same as an HTTP API")
    .option("--port <n>", "port; 0 for any that is free", "4242")
    .option("--host <address>", "where to listen; any but this machine's own needs --token", "127.0.0.1")
    .option("--token <text>", "whoever asks must know it")
    .option("--no-page", "only the API; it is described at /api/openapi.json")
    .option("--open", "open the page in the browser")
    .option("--sample", "show the bundled sample sessions")
    .option(
      "--store <url>",
      "your sessions of all machines that pushed, to a store, postgres://…, or a team's server, https://…; no file here is read",
    )
    .option("--owner <login>", "with a store: whose sessions (default: [team] owner, else your account's name)")
    .option(
      "--team",
      "serve the store (default: $DAYBOOK_STORE) with the login postgres://daybook_api@… to people with tokens (daybook team invite)",
    )
    .option("--public-url <url>", "with --team: the https address people use, where a proxy in front has TLS")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook serve --open\n  daybook serve --no-page --port 0\n  daybook serve --host 0.0.0.0 --token my-secret\n  daybook serve --store postgres://localhost/daybook\n  daybook serve --store https://daybook.example.com --open\n  daybook serve --team --store postgres://daybook_api@db.example/daybook --public-url https://daybook.example.com",
    )
    .action(async (flags: Flags) => {
      const port = Number(flags.port);
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw new DaybookError(`--port takes a number up to 65535, not ${flags.port}`, { code: "usage", op: "serve" });
      if (flags.team === true && flags.owner !== undefined)
        throw wrongUse("--owner does not go with --team: tokens say who asks", "leave one of them out");
      if (flags.team === true) return exit(await runTeamServer(io, flags, port, stopped()));
      if (flags.publicUrl !== undefined)
        throw wrongUse("--public-url goes with --team", "daybook serve --team --store URL");
      if (flags.store !== undefined || flags.owner !== undefined) return exit(await runOfStore(io, flags, port));
      // Answers come quickly from a book alone: where none is to be kept, one is made for as long as the page is served.
      const aside = bookOf(io, flags) === undefined || flags.sample === true;
      const home = aside ? mkdtempSync(join(tmpdir(), "daybook-serve-")) : undefined;
      try {
        exit(await run(io, { ...flags, ...(home === undefined ? {} : { home }) }, port));
      } finally {
        if (home !== undefined) rmSync(home, { recursive: true, force: true });
      }
    });
};

async function run(io: Io, flags: Flags, port: number): Promise<number> {
  // From the beginning: who ends it early has nothing left behind either.
  const end = stopped();
  let opened = open(io, flags);
  const isEmpty =
    flags.sample !== true &&
    flags.root === undefined &&
    opened.daybook.opened().refs.length === 0 &&
    !(await hasBook(opened));
  const sample = flags.sample === true || isEmpty;
  let aside: string | null = null;
  if (sample) {
    opened.daybook.close();
    aside = mkdtempSync(join(tmpdir(), "daybook-serve-"));
    opened = open(io, { ...flags, root: sampleRoots(), home: aside });
  }
  const serving = await begin(io, flags, port, { daybook: opened.daybook, sample });
  if (isEmpty) io.err("daybook: no sessions of any agent were found; these are the bundled samples\n");
  announce(io, flags, serving);
  // What is new is read while the page is already shown.
  const stop = new AbortController();
  const reading = readNews(opened.daybook, stop.signal, io).catch((error: unknown) => {
    if (!stop.signal.aborted) complain(io, error);
  });
  if (flags.open === true) show(io, serving.url);
  await end;
  stop.abort();
  await serving.close();
  // It writes what it has read, and nothing after that.
  await reading;
  opened.daybook.close();
  if (aside !== null) rmSync(aside, { recursive: true, force: true });
  return 0;
}

/** A team's server is asked by many, so each asks it less often than a database of their own, in ms. */
const SERVER_PACE = { every: 10_000, all: 10_000 };

/** `serve --store URL`: what one person pushed. The server looks for what is pushed later by itself. */
async function runOfStore(io: Io, flags: Flags, port: number): Promise<number> {
  const onNote = (text: string): void => io.err(`daybook: ${plain(text)}\n`);
  const bar = progressBar(io, flags.quiet === true);
  let onProgress = bar.tick;
  const { daybook } = openDaybook(
    io,
    { ...flags, quiet: true },
    { givenWhole: true, now: () => Date.now(), onNote, onProgress: (done) => onProgress(done) },
  );
  // Before anything is served: where the address, the name or the token is wrong there is nothing to serve.
  await daybook.sessions({ limit: 1 }).finally(() => bar.clear());
  // What is taken later nobody waits for.
  onProgress = () => undefined;
  const end = stopped();
  const pace = isDatabase(flags) ? undefined : SERVER_PACE;
  const serving = await begin(io, flags, port, { daybook, sample: false, pace });
  announce(io, flags, serving);
  if (flags.open === true) show(io, serving.url);
  await end;
  await serving.close();
  daybook.close();
  return 0;
}

function isDatabase({ store = "" }: Flags): boolean {
  return store.startsWith("postgres");
}

async function begin(
  io: Io,
  flags: Flags,
  port: number,
  what: Pick<ServeOptions, "daybook" | "sample" | "pace">,
): Promise<Serving> {
  // Loaded here: no other command needs a server.
  const { serveDaybook } = await import("../../http/server.ts");
  return serveDaybook({
    ...{ ...what, port, host: flags.host, token: flags.token ?? null },
    ...{ page: flags.page, now: () => Date.now(), failed: (error) => complain(io, error) },
  });
}

function announce(io: Io, flags: Flags, { url }: Serving): void {
  io.out(`Daybook is at ${url}\n`);
  if (!flags.page) io.out(`The API is described at ${new URL("/api/openapi.json", url).href}\n`);
  io.err("Ctrl-C ends it.\n");
}

function complain(io: Io, error: unknown): void {
  io.err(`daybook: ${plain(messageOf(error))}\n`);
}

/** While another writes the book the page shows what was read before, and tries again. */
async function readNews(daybook: Daybook, signal: AbortSignal, io: Io): Promise<void> {
  for (let isSaid = false; !signal.aborted; isSaid = true) {
    try {
      await daybook.sync({ signal, patience: PATIENCE });
      return;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (!isSaid) io.err(`daybook: the book is being written${error.by}; what is new is read when that is done\n`);
    }
  }
}

/** The server's questions are answered from what was read; it watches for changes itself, and its clock goes on. */
function open(io: Io, given: Flags): OpenedDaybook {
  const { sample: _, ...flags } = given;
  return openDaybook(io, { ...flags, quiet: true }, { noSync: true, inBackground: true, now: () => Date.now() });
}

async function hasBook({ daybook }: OpenedDaybook): Promise<boolean> {
  return (await daybook.sessions({ limit: 1 })).length > 0;
}

function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
  });
}

/** Where there is no browser the address that was printed is all there is. */
function show(io: Io, url: string): void {
  if (io.open) io.open(url);
  else io.err("daybook: nothing here opens a page; go to the address above\n");
}
