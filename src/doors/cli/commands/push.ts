import { Option } from "commander";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../../../base/errors.ts";
import { type Daybook, inside, LockedError } from "../../../answers/daybook.ts";
import type { PushAnswer } from "../../../answers/json.ts";
import { LEVELS, type Level } from "../../../views/push-level.ts";
import type { Destination } from "../../../team/push/destination.ts";
import { machineOf } from "../../../team/push/machine.ts";
import { push as pushOnce, type PushOptions, type PushReport } from "../../../team/push/push.ts";
import { DEFAULT_LEVEL, openDestination, type TeamSettings } from "../../../team/push/settings.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import type { Io } from "../io.ts";
import { printJson, printJsonText } from "../json.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import { wrapLines } from "../layout.ts";
import { countBar, untilStopped } from "../long-work.ts";
import type { Register } from "../flags.ts";
import { table } from "../table.ts";

interface Flags extends CommonFlags {
  to?: string;
  level?: Level;
  owner?: string;
  machine?: string;
  dryRun?: boolean;
  watch?: boolean;
  interval: string;
}

export const push: Register = (program, io, exit) => {
  commonFlags(program.command("push"), ["project", "session", "since", "until", "limit", "redact", "sample"])
    .description("send what changed to your own or your team's store; secrets are removed first")
    .option("--to <url>", "postgres://… or https://… (default: [team] url in config.toml)")
    .addOption(
      new Option(
        "--level <level>",
        "how much is sent: numbers only; requests and results; everything (default: [team] level, else totals)",
      ).choices([...LEVELS]),
    )
    .option(
      "--owner <login>",
      "with postgres://: the owner of the rows (default: [team] owner, else your account name)",
    )
    .option("--machine <label>", "the name of this machine (default: [team] machine, else its host name)")
    .option("--dry-run", "send nothing; show how much would be sent, and three sample rows")
    .option("--watch", "keep sending what is new until Ctrl-C")
    .option("--interval <seconds>", "with --watch: time between two checks", "10")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook push --to postgres://localhost/daybook --dry-run\n  daybook push --level turns\n  daybook push --watch",
    )
    .action(async (flags: Flags) => {
      // Here --owner says whose rows are sent; everywhere else it says whose rows are queried.
      const { owner: _, ...common } = flags;
      const opened = openDaybook(io, common);
      const { book } = opened;
      if (book === null) throw wrong("push needs a book", "leave --root out, or give --home DIR as well");
      const settings = settingsOf(io, flags);
      const to = openDestination(settings, io.env);
      const how: PushOptions = {
        daybook: opened.daybook,
        home: book,
        to,
        level: settings.level ?? DEFAULT_LEVEL,
        salt: settings.salt,
        namedProjects: settings.projects,
        machine: machineOf(book, settings.machine),
        isDry: flags.dryRun === true,
      };
      const bar = countBar(io, flags.quiet === true, "sessions");
      try {
        if (flags.watch === true) return exit(await follow(io, opened, flags, how));
        let isStopped = false;
        const report = await untilStopped(async (signal) => {
          const made = await pushOnce({ ...how, signal, onProgress: bar.tick });
          isStopped = signal.aborted;
          return made;
        });
        bar.clear();
        const code = await opened.done();
        if (opened.json) printJson(io, answerOf(report));
        else io.out(reportText(report, io.columns));
        if (isStopped && flags.quiet !== true) io.err("daybook: stopped; the next push continues\n");
        exit(isStopped ? STOPPED : code);
      } finally {
        bar.clear();
        await closeQuietly(to);
      }
    });
};

/** The exit code a shell uses for a program ended by Ctrl-C. */
const STOPPED = 130;

function settingsOf(io: Io, { to, level, owner, machine }: Flags): TeamSettings {
  const given = Object.entries({ url: to, level, owner, machine }).filter(([, value]) => value !== undefined);
  return { ...io.config?.team, ...Object.fromEntries(given) };
}

function answerOf(report: PushReport): PushAnswer {
  return { schema_version: 1, ...report };
}

/** Sends whatever is new. An unreachable destination is tried again at the next interval. */
async function follow(io: Io, opened: OpenedDaybook, flags: Flags, how: PushOptions): Promise<number> {
  const seconds = Number(flags.interval);
  if (!(seconds > 0)) throw wrong(`--interval takes seconds, not ${flags.interval}`, "for example --interval 10");
  const say = (report: PushReport): void => {
    if (opened.json) printJsonText(io, `${JSON.stringify(answerOf(report))}\n`);
    else if (report.sent + report.forgotten + report.refused.length > 0) io.out(reportText(report, io.columns));
  };
  let isOwed = true;
  let isOffline = false;
  const send = async (signal: AbortSignal): Promise<void> => {
    try {
      say(await pushOnce({ ...how, signal }));
      isOwed = false;
      isOffline = false;
    } catch (error) {
      if (!(error instanceof DaybookError) || error.code !== "unreachable") throw error;
      isOwed = true;
      // Reported once, not at every interval.
      if (!isOffline && flags.quiet !== true) io.err(`daybook: ${plain(error.message)}; retrying\n`);
      isOffline = true;
    }
  };
  let seen = "";
  await untilStopped(async (signal) => {
    while (!signal.aborted) {
      const now = await changeStamp(opened.daybook);
      if (isOwed || now !== seen) await send(signal);
      seen = now;
      await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  });
  return opened.done();
}

/** Reads what is new, and returns a value that changes when anything in the book changes. */
async function changeStamp(daybook: Daybook): Promise<string> {
  try {
    await daybook.sync({ patience: LOCK_WAIT_MS });
  } catch (error) {
    // Another process is writing the book: what was indexed before can still be sent.
    if (!(error instanceof LockedError)) throw error;
  }
  const { index, sessions } = await inside(daybook).sessionStamps();
  const last = sessions.reduce((most, { change }) => Math.max(most, change), 0);
  return [index, sessions.length, last, daybook.forgotten().length].join(" ");
}

/** How long --watch waits for another process that holds the write lock, in ms. */
const LOCK_WAIT_MS = 5000;

async function closeQuietly(to: Destination): Promise<void> {
  await to.close().catch(() => undefined);
}

function reportText(report: PushReport, columns: number): string {
  const { to, level, sent, sessions, rows, bytes, forgotten, behind, kept_out, refused, texts_before, dry_run } =
    report;
  const rest = [
    forgotten > 0 ? `${plural(forgotten, "forgotten session")} ${dry_run ? "would be " : ""}removed` : "",
    behind > 0 ? `${plural(behind, "session")} not sent: another machine has as much or more` : "",
    kept_out > 0 ? `${plural(kept_out, "session")} not sent: forgotten in the store` : "",
    refused.length > 0
      ? `${plural(refused.length, "session")} refused by the store: ${plain(refused.map(({ session_id, reason }) => `${session_id} (${reason})`).join(", "))}`
      : "",
    texts_before !== null && sent > 0 && level !== "totals"
      ? `texts before ${texts_before} not sent: the store removes them`
      : "",
  ].filter((part) => part !== "");
  const also = rest.length > 0 ? `; ${rest.join("; ")}` : "";
  const said = (text: string): string => `${wrapLines(text, columns).join("\n")}\n`;
  if (sent === 0) return said(`Nothing new for ${plain(to)}: ${plural(sessions, "session")} checked${also}.`);
  const what = `${plural(sent, "session")} of ${sessions} at level ${level}: ${plural(rows, "row")}, ${size(bytes)}`;
  if (!dry_run) return said(`Sent ${what}, to ${plain(to)}${also}.`);
  return `${said(`Would send ${what}, to ${plain(to)}${also}.`)}\n${sizes(report, columns)}\n${examples(report, columns)}`;
}

function sizes({ tables }: PushReport, columns: number): string {
  const rows = Object.entries(tables).map(([name, one]) => [name, groupDigits(one.rows), size(one.bytes)]);
  const heads = [
    { head: "Table" },
    { head: "Rows", align: "right" as const },
    { head: "Size", align: "right" as const },
  ];
  return `${table(heads, rows, columns, (head) => head)}\n`;
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function examples({ examples: list }: PushReport, columns: number): string {
  const lines = list.map(({ table: name, row }) => oneLine(`  ${name}  ${JSON.stringify(row)}`, columns));
  return `Three rows as they would be sent (in full with --json):\n${lines.join("\n")}\nNothing was sent: this was a dry run.\n`;
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "push", hint });
}
