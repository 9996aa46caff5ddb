import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createTwoFilesPatch } from "diff";
import { DaybookError, messageOf } from "../../errors.ts";
import { sessionVariables } from "../../daybook.ts";
import { installing, uninstalling, write, type ConfigChange } from "../../mcp/install/server-list.ts";
import { Redactor } from "../../redact/redact.ts";
import type { Io } from "../io.ts";
import { bookOf, expandHome, openDaybook, placeFlags, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plain } from "../text.ts";

interface Flags extends CommonFlags {
  install?: string;
  uninstall?: string;
  yes?: boolean;
}

export const mcp: Register = (program, io, exit) => {
  placeFlags(program.command("mcp"))
    .description("answer agents about the past: a server of the Model Context Protocol on stdin and stdout")
    .option("--install <agent>", "list it among the servers of an agent: shows the change to its file, and asks")
    .option("--uninstall <agent>", "take it out again")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook mcp --install codex\n  daybook mcp --install claude-code --yes\n  daybook mcp --uninstall opencode\n  daybook mcp",
    )
    .action(async (flags: Flags) => {
      const { install, uninstall } = flags;
      if (install !== undefined && uninstall !== undefined) throw wrong("--install or --uninstall, not both");
      const place = { env: io.env, home: io.env["HOME"] ?? io.env["USERPROFILE"] ?? "" };
      if (install !== undefined) await change(io, installing(install, place, command(io, flags), variables(io)), flags);
      else if (uninstall !== undefined) await change(io, uninstalling(uninstall, place), flags);
      else await serve(io, flags);
      exit(0);
    });
};

async function serve(io: Io, flags: Flags): Promise<void> {
  // Answers come quickly from a book alone: where none is to be kept, one is made for as long as the client stays.
  const aside = bookOf(io, flags) === undefined ? mkdtempSync(join(tmpdir(), "daybook-mcp-")) : undefined;
  const { daybook } = openDaybook(
    io,
    { ...flags, quiet: true, ...(aside === undefined ? {} : { home: aside }) },
    { noSync: true, now: () => Date.now() },
  );
  try {
    // Loaded here: no other command needs it.
    const { serveOverStdio } = await import("../../mcp/stdio.ts");
    const failed = (error: unknown): void => io.err(`daybook: ${plain(messageOf(error))}\n`);
    await serveOverStdio({ daybook, cwd: process.cwd(), env: io.env, streams: io.streams, failed });
  } finally {
    daybook.close();
    if (aside !== undefined) rmSync(aside, { recursive: true, force: true });
  }
}

/** Shows what would become of the file, and makes it so when somebody says yes. */
async function change(io: Io, { path, before, after }: ConfigChange, flags: Flags): Promise<void> {
  if (before === after) {
    io.out(`Nothing to change in ${plain(path)}.\n`);
    return;
  }
  const [from, to] = [before === null ? "nothing" : path, after === null ? "nothing" : path];
  const shown = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: 2 });
  // Other servers' keys stand in the same file.
  io.out(plain(new Redactor().text(shown.replace(/^(?:Index: .*\n)?=+\n/, ""))));
  if (flags.yes !== true && !(await isConfirmed(io, path))) return;
  write({ path, before, after });
  io.out(`Written: ${plain(path)}\n`);
}

/** Nobody who cannot be asked has said yes. */
async function isConfirmed(io: Io, path: string): Promise<boolean> {
  if (!io.ask || io.inIsTerminal !== true || !io.errIsTerminal)
    throw wrong("nothing was written: there is nobody to ask", "give --yes to write it");
  const answer = await io.ask(`Write ${plain(path)}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was written\n");
  return false;
}

/** How an agent starts this program, with the places that were named here. */
function command(io: Io, flags: Flags): string[] {
  const { home, root = [], source = [], timezone } = flags;
  return [
    ...programOf(io),
    "mcp",
    ...(home === undefined ? [] : ["--home", resolve(expandHome(home, io.env))]),
    ...root.flatMap((pair) => [
      "--root",
      pair.replace(/=(.*)$/, (_, path: string) => `=${resolve(expandHome(path, io.env))}`),
    ]),
    ...source.flatMap((id) => ["--source", id]),
    ...(timezone === undefined ? [] : ["--timezone", timezone]),
  ];
}

/** By its name where that leads here, so that the entry survives an update; else by its place. */
function programOf(io: Io): string[] {
  const script = placeOf(process.argv[1] ?? "");
  const dirs = (io.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
  const isNamed = script !== null && dirs.some((dir) => placeOf(join(dir, "daybook")) === script);
  return isNamed ? ["daybook"] : [process.execPath, script ?? "daybook"];
}

function placeOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** What Daybook goes by that an agent may not hand on. */
function variables(io: Io): Record<string, string> {
  const names = ["DAYBOOK_HOME", "DAYBOOK_CONFIG", ...sessionVariables()];
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => {
      const value = io.env[name]?.trim();
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

function wrong(message: string, hint = "daybook mcp --help"): DaybookError {
  return new DaybookError(message, { code: "usage", op: "install", hint });
}
