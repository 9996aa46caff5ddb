import type { Command } from "commander";
import type { TeamRetentionAnswer } from "../../../answers/json.ts";
import type { Retention, RetentionRun } from "../../../views/team.ts";
import type { StoreAdmin } from "../../../team/admin.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import { wrapLines } from "../layout.ts";
import { countBar, untilStopped } from "../long-work.ts";
import { table } from "../table.ts";
import { usageError } from "../flags.ts";

interface Flags {
  texts?: string;
  calls?: string;
  turns?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

const AGED = ["texts", "calls", "turns"] as const;

/** The exit code a shell uses for a program ended by Ctrl-C. */
const STOPPED = 130;

/** `daybook team retention`: removes old rows from the store; the totals per day stay as they were. */
export function retentionCommand(
  command: Command,
  io: Io,
  adminOf: (flags: Flags) => Promise<StoreAdmin>,
  exit: (code: number) => void,
): void {
  command
    .description("remove data that is older than the store keeps; daily sums stay, and pushes do not bring it back")
    .option("--texts <age>", "how long to keep texts and finished answers: 90d, 12w, 6m, 2y or forever")
    .option("--calls <age>", "how long to keep calls and responses")
    .option("--turns <age>", "how long to keep turns and everything in them")
    .option("--dry-run", "only show what would be removed")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      "\nThe ages are stored: a run without them uses the stored ones, for example\na nightly cron job.\n\nExamples:\n  daybook team retention --texts 90d --calls 180d --turns 2y --dry-run\n  daybook team retention --yes\n  daybook team retention --texts forever",
    )
    .action(async (flags: Flags) => {
      const change = Object.fromEntries(
        AGED.flatMap((name) => (flags[name] === undefined ? [] : [[name, daysOf(flags[name], name)]])),
      );
      const admin = await adminOf(flags);
      const bar = countBar(io, flags.json === true, "people");
      const run = (isDry: boolean): Promise<RetentionRun> =>
        untilStopped((signal) => admin.retention({ change, isDry, signal, onProgress: bar.tick }));
      try {
        const plan = await run(true);
        bar.clear();
        if (flags.json !== true) io.out(planText(plan, io.columns));
        const isNothing = plan.sessions === 0 && plan.asked_again === 0;
        const isMeant =
          flags.dryRun !== true && !plan.unfinished && (await isConfirmed(io, flags, isNothing && hasNoRows(plan)));
        const made = isMeant ? withBytes(await run(false), plan) : plan;
        bar.clear();
        if (flags.json === true) printJson(io, { schema_version: 1, ...made } satisfies TeamRetentionAnswer);
        else io.out(`${wrapLines(resultText(made, flags.dryRun === true, isMeant), io.columns).join("\n")}\n`);
        exit(made.unfinished ? STOPPED : 0);
      } finally {
        bar.clear();
      }
    });
}

const UNITS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };
/** A hundred years. */
const MOST_DAYS = 36_500;

/** Null means forever. */
function daysOf(age: string, name: string): number | null {
  if (age === "forever") return null;
  const [, n = "", unit = ""] = /^(\d{1,5})([dwmy])$/.exec(age) ?? [];
  const days = Number(n) * (UNITS[unit] ?? 0);
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw usageError(
    `--${name} takes an age, not ${age}`,
    "for example 90d, 12w, 6m (of 30 days), 2y (of 365) or forever",
  );
}

function hasPolicy({ retention }: RetentionRun): boolean {
  return retentionWords(retention).length > 0;
}

function hasNoRows({ removed }: RetentionRun): boolean {
  return Object.values(removed).every(({ rows }) => rows === 0);
}

/** Without a terminal to ask on, the answer counts as no. If nothing would be removed, there is no need to ask. */
async function isConfirmed(io: Io, { yes }: Flags, isNothing: boolean): Promise<boolean> {
  if (yes === true || isNothing) return true;
  if (!io.ask || io.inIsTerminal !== true || !io.errIsTerminal)
    throw usageError(
      "retention needs a confirmation, and there is no terminal to ask on",
      "give --yes, or --dry-run to see what would be removed",
    );
  if (/^y(es)?$/i.test((await io.ask("Remove it for good? [y/N] ")).trim())) return true;
  io.err("daybook: nothing was removed\n");
  return false;
}

/** A real run counts only rows, so the byte counts are taken from the dry run before it. */
function withBytes(made: RetentionRun, { removed }: RetentionRun): RetentionRun {
  const sized = Object.entries(made.removed).map(([name, { rows }]) => [
    name,
    { rows, bytes: removed[name]?.bytes ?? 0 },
  ]);
  return { ...made, removed: Object.fromEntries(sized) };
}

/** How long each kind of data is kept, in words. */
export function retentionWords({ texts, calls, turns }: Retention): string[] {
  if ([texts, calls, turns].every(({ days }) => days === null)) return [];
  return Object.entries({ texts, calls, turns }).map(([name, { days, before }]) => {
    const gone = before === null ? "" : `, removed before ${before}`;
    return `${name} ${days === null ? "forever" : `for ${plural(days, "day")}`}${gone}`;
  });
}

function planText(plan: RetentionRun, columns: number): string {
  const words = retentionWords(plan.retention);
  if (words.length === 0) return "This store keeps everything forever.\n";
  const lines = wrapLines(`Kept: ${words.join("; ")}. Daily sums are kept forever.`, columns);
  const rows = Object.entries(plan.removed)
    .filter(([, one]) => one.rows > 0)
    .map(([name, one]) => [name, groupDigits(one.rows), sizeOf(one.bytes)]);
  const heads = [
    { head: "Table" },
    { head: "Rows too old", align: "right" as const },
    { head: "Size", align: "right" as const },
  ];
  if (rows.length > 0)
    lines.push(
      "",
      table(heads, rows, columns, (head) => head),
      "",
    );
  return `${lines.join("\n")}\n`;
}

function resultText(run: RetentionRun, isDry: boolean, isDone: boolean): string {
  const { people, sessions, removed, asked_again, unfinished } = run;
  const rows = Object.values(removed).reduce((sum, one) => sum + one.rows, 0);
  const whose = `of ${plural(sessions, "session")} of ${plural(people, "person", "people")}`;
  const again =
    asked_again === 0
      ? ""
      : ` More is kept than before: machines ${isDone ? "send" : "would send"} ${plural(asked_again, "session")} again, if they still have ${asked_again === 1 ? "it" : "them"}.`;
  if (unfinished) return `Stopped after ${plural(rows, "row")}; run it again to continue.`;
  if (rows === 0) return `${hasPolicy(run) ? "Nothing is older than that" : "Nothing is removed"}.${again}`;
  if (!isDone)
    return isDry ? `Nothing was removed: this was a dry run, ${whose}.${again}` : `Nothing was removed.${again}`;
  const gone = `${rows === 1 ? "1 row" : `${groupDigits(rows)} rows`} ${whose} ${rows === 1 ? "was" : "were"} removed.`;
  return `${gone}${again} The database's own vacuum frees the space.`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
