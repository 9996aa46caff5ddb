import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { DaybookError, messageOf } from "../../../base/errors.ts";
import { inside, sessionVariables } from "../../../answers/daybook.ts";
import { homeDirectoryFor, expandHome } from "../../../base/home.ts";
import { installing, uninstalling, type Place } from "../../mcp/install/server-list.ts";
import { Redactor } from "../../../base/redact/redact.ts";
import { confirmChange, programOf } from "../config-change.ts";
import type { Io } from "../io.ts";
import { bookOf, openDaybook } from "../open-daybook.ts";
import { type CommonFlags, placeFlags } from "../options.ts";
import type { Register } from "../flags.ts";
import { plain } from "../../../base/text/inert.ts";

interface Flags extends CommonFlags {
  install?: string;
  uninstall?: string;
  yes?: boolean;
  narrate?: string;
}

export const mcp: Register = (program, io, exit) => {
  placeFlags(program.command("mcp"))
    .description("answer agents' questions about the past: a Model Context Protocol server on stdin and stdout")
    .option("--install <agent>", "add it to the servers of an agent; shows the change to its file and asks first")
    .option("--uninstall <agent>", "remove it again")
    .option("--yes", "do not ask")
    .addOption(new Option("--narrate <file>", "the tools of one run of a narrative").hideHelp())
    .addHelpText(
      "after",
      "\nExamples:\n  daybook mcp --install codex\n  daybook mcp --install claude-code --yes\n  daybook mcp --uninstall opencode\n  daybook mcp",
    )
    .action(async (flags: Flags) => {
      const { install, uninstall } = flags;
      if (install !== undefined && uninstall !== undefined) throw wrong("use either --install or --uninstall");
      if (flags.narrate !== undefined) {
        await serveWriter(io, flags.narrate);
        return exit(0);
      }
      if (install !== undefined)
        await confirmChange(io, installing(install, placeOf(io), command(io, flags), variables(io)), flags.yes);
      else if (uninstall !== undefined) await confirmChange(io, uninstalling(uninstall, placeOf(io)), flags.yes);
      else await serve(io, flags);
      exit(0);
    });
};

/** Where agents keep their settings. */
function placeOf({ env }: Io): Place {
  return { env, home: homeDirectoryFor("the agents' settings", env) };
}

async function serve(io: Io, flags: Flags): Promise<void> {
  // Fast answers need a book: where none is to be kept, a temporary one is made for as long as the client is
  // connected.
  const aside = bookOf(io, flags) === undefined ? mkdtempSync(join(tmpdir(), "daybook-mcp-")) : undefined;
  const { daybook } = openDaybook(
    io,
    { ...flags, quiet: true, ...(aside === undefined ? {} : { home: aside }) },
    { noSync: true, now: () => Date.now() },
  );
  const stop = new AbortController();
  const failed = (error: unknown): void => io.err(`daybook: ${plain(messageOf(error))}\n`);
  const embedding = inside(daybook).keepVectors(stop.signal, failed);
  try {
    // Imported here because no other command needs it.
    const { serveOverStdio } = await import("../../mcp/server.ts");
    await serveOverStdio({ daybook, cwd: process.cwd(), env: io.env, streams: io.streams, failed });
  } finally {
    stop.abort();
    await embedding;
    daybook.close();
    if (aside !== undefined) rmSync(aside, { recursive: true, force: true });
  }
}

/** The server for the agent that writes a narrative; it lives for one run. */
async function serveWriter(io: Io, task: string): Promise<void> {
  const { serveNarration } = await import("../../../narrate/tools/serve.ts");
  const redactor = new Redactor(io.config?.redaction);
  const failed = (error: unknown): void => io.err(`daybook: ${plain(messageOf(error))}\n`);
  await serveNarration({ task, redactor, streams: io.streams, failed });
}

/** The command line with which an agent starts this program, including the places named by flags. */
function command(io: Io, flags: Flags): string[] {
  const { home, root = [], source = [], sourceModule = [], timezone } = flags;
  return [
    ...programOf(io),
    "mcp",
    ...(home === undefined ? [] : ["--home", resolve(expandHome(home, io.env))]),
    ...root.flatMap((pair) => [
      "--root",
      pair.replace(/=(.*)$/, (_, path: string) => `=${resolve(expandHome(path, io.env))}`),
    ]),
    ...source.flatMap((id) => ["--source", id]),
    ...sourceModule.flatMap((path) => ["--source-module", resolve(expandHome(path, io.env))]),
    ...(timezone === undefined ? [] : ["--timezone", timezone]),
  ];
}

/** Environment variables Daybook depends on that an agent may not pass on to its servers. */
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
