import { DaybookError, messageOf } from "../../../base/errors.ts";
import {
  inside,
  type SyncDemand,
  type SyncReport,
  type VectorCount,
  type Daybook,
  type WatchedChange,
} from "../../../answers/daybook.ts";
import { followReviews } from "../follow-reviews.ts";
import { LockedError } from "../../../record/write-lock.ts";
import type { Io } from "../io.ts";
import type { SyncAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import { plural } from "../../../base/text/units.ts";
import { keyOfSession, sessionKey } from "../../../record/session-key.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { printJson, printJsonText } from "../json.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import { isOnPath, startDetached } from "../system.ts";
import { untilStopped } from "../long-work.ts";
import type { Register } from "../flags.ts";

interface Flags extends CommonFlags {
  full?: boolean;
  watch?: boolean;
  interval: string;
  notify?: string | boolean;
}

/** How long to wait for the write lock, in ms. A Daybook that only answers a question releases it soon. */
const LOCK_WAIT_MS = 5000;

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
      const how: SyncDemand = { patience: LOCK_WAIT_MS, full: flags.full === true };
      if (flags.watch === true) return exit(await follow(io, opened, flags, how));
      const report = await untilStopped((signal) => syncOrExplain(opened, { ...how, signal }));
      const code = await opened.done();
      print(io, report, opened.json);
      await makeVectors(io, opened, flags);
      exit(report.files_left > 0 ? STOPPED : report.damaged.length > 0 ? Math.max(code, 3) : code);
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
    const embedding = inside(opened.daybook).keepVectors(signal, (error) => noteFailure(io, error));
    const reviews = followReviews(io, opened, signal);
    for await (const { sync, sessions } of opened.daybook.watch({ ...how, every: seconds * 1000, signal })) {
      if (sync) print(io, sync, opened.json, opened.daybook.zone.clock(Date.now()).slice(11, 19));
      for (const event of (await events?.of(sessions)) ?? []) announce(io, opened.hide(event), flags);
    }
    await embedding;
    await reviews;
  });
  return opened.done();
}

/** For `recall`, where a model is named: whatever happens to it, the sync is done. */
async function makeVectors(io: Io, { daybook }: OpenedDaybook, { quiet }: Flags): Promise<void> {
  const isShown = io.errIsTerminal && quiet !== true;
  const tick = ({ made, of }: VectorCount): void => io.err(`\r\u001b[Kvectors ${made}/${of}`);
  try {
    const count = await untilStopped((signal) =>
      daybook.makeVectors({ signal, ...(isShown ? { onProgress: tick } : {}) }),
    );
    if (isShown) io.err("\r\u001b[K");
    if (count !== null && count.made < count.of && quiet !== true)
      io.err(`daybook: ${count.made} of ${plural(count.of, "request")} have vectors; the next sync continues\n`);
  } catch (error) {
    noteFailure(io, error);
  }
}

function noteFailure(io: Io, error: unknown): void {
  io.err(`daybook: ${plain(messageOf(error))}\n`);
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
  const damaged =
    report.damaged.length === 0
      ? ""
      : `${plural(report.damaged.length, "damaged page")} of the book (daybook doctor --verify names them). `;
  const rebuilt =
    damaged + (pages_rebuilt > 0 ? `Index rebuilt from ${plural(pages_rebuilt, "page")} of the book. ` : "");
  if (files_read === 0 && gone === 0 && files_left === 0)
    return `${rebuilt}Nothing new in ${plural(files_seen, "file")}.`;
  const lost = gone > 0 ? `; ${plural(gone, "file")} no longer there, kept in the book` : "";
  const more = files_left > 0 ? ` Stopped: ${plural(files_left, "file")} left; the next sync continues.` : "";
  return `${rebuilt}Read ${plural(files_read, "file")} of ${files_seen}, ${plural(entries, "record")}; ${plural(sessions_refreshed, "session")} refreshed${lost}.${more}`;
}

const SAYS: Readonly<Record<WatchEventKind, string>> = {
  waiting: "waits for your answer",
  failed: "failed",
  finished: "finished",
};

/** Columns of a notification. */
const WIDTH = 120;

/** The text of a notification, safe to display: one line each. */
export function notice({ kind, project, request, text }: WatchEvent): { title: string; body: string } {
  const body = kind === "waiting" ? text : `${askedLine(request)}${text === "" ? "" : ` – ${askedLine(text)}`}`;
  return { title: oneLine(`${project} ${SAYS[kind]}`, WIDTH), body: oneLine(body, WIDTH) };
}

/** The command that shows a notification on this desktop; null if there is none. */
export function desktopCommand(
  platform: NodeJS.Platform,
  env: Io["env"],
  { title, body }: { title: string; body: string },
  isProgram?: (path: string) => boolean,
): string[] | null {
  if (platform === "darwin")
    return [
      "osascript",
      "-e",
      "on run argv",
      "-e",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "-e",
      "end run",
      title,
      body,
    ];
  const isKnown = isOnPath("notify-send", env, isProgram);
  // After `--`, because a title may look like a flag.
  return isKnown && platform !== "win32" ? ["notify-send", "--app-name=daybook", "--", title, body] : null;
}

/** The environment of the user's command. The shell does not parse any of it as part of the command. */
export function hookEnv(event: WatchEvent): Record<string, string> {
  const { title, body } = notice(event);
  return {
    DAYBOOK_EVENT: event.kind,
    DAYBOOK_SOURCE: event.source,
    DAYBOOK_SESSION: event.session_id,
    DAYBOOK_TURN: event.turn_ref,
    DAYBOOK_PROJECT: oneLine(event.project, WIDTH),
    DAYBOOK_TITLE: title,
    DAYBOOK_TEXT: body,
  };
}

/**
 * Runs the user's command, or rings the bell and shows a notification if this desktop can. Does not wait for either.
 */
export function notify(io: Io, event: WatchEvent, hook: string | null): void {
  const failed = (why: string): void => io.err(`daybook: could not notify: ${why}\n`);
  if (hook !== null) return startDetached(hook, [], { env: { ...io.env, ...hookEnv(event) }, shell: true }, failed);
  if (io.errIsTerminal) io.err("\u0007");
  const [program, ...words] = desktopCommand(process.platform, io.env, notice(event)) ?? [];
  if (program !== undefined) startDetached(program, words, { env: { ...io.env } }, failed);
}

/** What a person may want to know at once: the session asks something, its turn failed, or its turn is done. */
type WatchEventKind = "waiting" | "failed" | "finished";

export interface WatchEvent {
  kind: WatchEventKind;
  source: string;
  session_id: string;
  turn_ref: string;
  project: string;
  /** The request of the turn. */
  request: string;
  /** The open question or what else it waits for, the reason of the failure, or the last answer. */
  text: string;
}

/** Turns changes of sessions into events, each reported once. Nothing before `since` (ms) is an event. */
export class SessionEvents {
  readonly #daybook: Daybook;
  readonly #since: number;
  readonly #seen = new Set<string>();

  constructor(daybook: Daybook, since: number) {
    this.#daybook = daybook;
    this.#since = since;
  }

  async of(changes: readonly WatchedChange[]): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    const alive = changes.filter(({ change }) => change !== "removed");
    const ends = await inside(this.#daybook).ends(alive);
    for (const [i, change] of alive.entries()) {
      const event = await this.#eventOf(change, ends[i]?.last ?? null);
      const name = event && `${sessionKey(event)}/${event.turn_ref} ${event.kind} ${event.text}`;
      if (!event || name === null || this.#seen.has(name)) continue;
      this.#seen.add(name);
      events.push(event);
    }
    return events;
  }

  async #eventOf({ source, session_id }: WatchedChange, last: TurnView | null): Promise<WatchEvent | null> {
    if (last === null || last.taken_back !== null) return null;
    const session = keyOfSession(source, session_id);
    const [view] = await this.#daybook.sessions({ session });
    // A sub-agent reports to its parent session, not to the human.
    if (view?.kind !== "root" || Date.parse(last.ended_at ?? view.ended_at ?? "") < this.#since) return null;
    const about = {
      source,
      session_id,
      turn_ref: last.turn_ref,
      project: last.project,
      request: last.trigger.text ?? "",
    };
    if (last.outcome === "completed") return { kind: "finished", ...about, text: last.final_text ?? "" };
    if (last.outcome === "failed") return { kind: "failed", ...about, text: last.outcome_detail ?? "" };
    if (last.outcome !== "open") return null;
    const asked = await this.#daybook.decisions({ session, unanswered: true });
    const question = asked.findLast(({ turn_ref }) => turn_ref === last.turn_ref);
    const text = question ? (question.title ?? "") : (await inside(this.#daybook).waiting()).get(session);
    return text === undefined ? null : { kind: "waiting", ...about, text };
  }
}
