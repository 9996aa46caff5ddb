import { DaybookError } from "../../../base/errors.ts";
import type { SyncDemand, SyncReport } from "../../../answers/daybook.ts";
import { SessionEvents, type WatchEvent } from "../session-events.ts";
import { LockedError } from "../../../record/write-lock.ts";
import type { Io } from "../io.ts";
import type { SyncAnswer } from "../../../answers/json.ts";
import { printJson, printJsonText } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import { notice, notify } from "../notifier.ts";
import type { Register } from "../register.ts";
import { untilStopped } from "../stop.ts";
import { plural } from "../text.ts";

interface Flags extends CommonFlags {
  full?: boolean;
  watch?: boolean;
  interval: string;
  notify?: string | boolean;
}

/** How long to wait for the write lock, in ms. A Daybook that only answers a question releases it soon. */
const PATIENCE = 5000;

export const sync: Register = (program, io, exit) => {
  commonFlags(program.command("sync"), ["sync", "project", "session", "since", "until", "limit", "sample"])
    .description("read what changed into the book and the index")
    .option("--full", "read every file from its start again, not only what is new")
    .option("--watch", "keep looking for changes until Ctrl-C")
    .option("--interval <seconds>", "with --watch: time between two checks", "1")
    .option(
      "--notify [command]",
      "with --watch: notify when a session waits for an answer, failed or finished, by this command or by bell and desktop",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  daybook sync\n  daybook sync --watch --interval 5\n  daybook sync --watch --notify\n  daybook sync --watch --notify 'say \"$DAYBOOK_TITLE\"'",
    )
    .action(async (flags: Flags) => {
      if (flags.root !== undefined && flags.home === undefined) {
        throw new DaybookError("sync with --root needs --home, which names the book", {
          code: "usage",
          op: "sync",
          hint: "give --home DIR as well, or list the place under [roots] in config.toml",
        });
      }
      if (flags.notify !== undefined && flags.watch !== true)
        throw new DaybookError("--notify needs --watch", { code: "usage", op: "sync", hint: "give --watch as well" });
      const opened = openDaybook(io, flags);
      const how: SyncDemand = { patience: PATIENCE, full: flags.full === true };
      if (flags.watch === true) return exit(await follow(io, opened, flags, how));
      const report = await untilStopped((signal) => syncOrExplain(opened, { ...how, signal }));
      const code = await opened.done();
      print(io, report, opened.json);
      exit(report.files_left > 0 ? STOPPED : code);
    });
};

/** The exit code a shell uses for a program ended by Ctrl-C. */
const STOPPED = 130;

async function syncOrExplain(opened: OpenedDaybook, how: SyncDemand): Promise<SyncReport> {
  try {
    return await opened.daybook.sync(how);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new DaybookError(`the book is being written${error.by}`, {
      code: "unreadable",
      op: "sync",
      hint: `try again when it is done; if that process is certainly gone, delete ${error.path ?? "the lock file"}`,
      cause: error,
    });
  }
}

async function follow(io: Io, opened: OpenedDaybook, flags: Flags, how: SyncDemand): Promise<number> {
  const seconds = Number(flags.interval);
  if (!(seconds > 0)) {
    throw new DaybookError(`--interval takes seconds, not ${flags.interval}`, { code: "usage", op: "parse flags" });
  }
  // A sync in progress is finished first: the usual way to stop never leaves one half done.
  const events = flags.notify === undefined ? null : new SessionEvents(opened.daybook, Date.now());
  await untilStopped(async (signal) => {
    for await (const { sync, sessions } of opened.daybook.watch({ ...how, every: seconds * 1000, signal })) {
      if (sync) print(io, sync, opened.json, opened.daybook.zone.clock(Date.now()).slice(11, 19));
      for (const event of (await events?.of(sessions)) ?? []) announce(io, opened.hide(event), flags);
    }
  });
  return opened.done();
}

function announce(io: Io, event: WatchEvent, { notify: hook, quiet, json }: Flags): void {
  const { title, body } = notice(event);
  if (quiet !== true && json !== true) io.out(`${title}: ${body}\n`);
  notify(io, event, typeof hook === "string" ? hook : null);
}

function print(io: Io, report: SyncReport, json: boolean, clock?: string): void {
  if (!json) io.out(`${clock === undefined ? "" : `${clock} `}${summary(report)}\n`);
  // One document; with --watch, one line per sync.
  else if (clock === undefined) printJson(io, { schema_version: 1, ...report } satisfies SyncAnswer);
  else printJsonText(io, `${JSON.stringify({ schema_version: 1, ...report })}\n`);
}

function summary(report: SyncReport): string {
  const { files_seen, files_read, files_left, entries, sessions_refreshed, gone, pages_rebuilt } = report;
  const rebuilt = pages_rebuilt > 0 ? `Index rebuilt from ${plural(pages_rebuilt, "page")} of the book. ` : "";
  if (files_read === 0 && gone === 0 && files_left === 0)
    return `${rebuilt}Nothing new in ${plural(files_seen, "file")}.`;
  const lost = gone > 0 ? `; ${plural(gone, "file")} no longer there, kept in the book` : "";
  const more = files_left > 0 ? ` Stopped: ${plural(files_left, "file")} left; the next sync continues.` : "";
  return `${rebuilt}Read ${plural(files_read, "file")} of ${files_seen}, ${plural(entries, "record")}; ${plural(sessions_refreshed, "session")} refreshed${lost}.${more}`;
}
