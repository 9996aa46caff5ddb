import { inside } from "../../../answers/daybook.ts";
import { shellQuote } from "../../../base/text/shell-words.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../../../base/errors.ts";
import { prepareWorkspace, type Prepared } from "../../../answers/workspace/prepare.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import type { PrepareAnswer } from "../../../answers/json.ts";
import { flow } from "../layout.ts";
import { bookOf, openDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { plain, plural } from "../text.ts";
import {
  requestedDay,
  homeOf,
  outputFlags,
  rootFlags,
  targetFlags,
  zoneOf,
  type TargetFlags,
} from "../workspace-flags.ts";
import { keyOfSession } from "../../../record/session-key.ts";

interface Flags extends TargetFlags {
  root?: string[];
  source?: string[];
  out?: string;
  force?: boolean;
  minOutput?: string;
}

export const prepare: Register = (program, io, exit) => {
  outputFlags(rootFlags(targetFlags(program.command("prepare"))))
    .description(
      "make the evidence folder of one day: its projects, copied sessions, and which lines belong to the day",
    )
    .option("--out <dir>", "the folder to make (default: work/<date> in Daybook's own folder)")
    .option("--force", "replace an existing workspace")
    .option("--min-output <n>", "leave out sessions in which every turn is known to have produced fewer output tokens")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook prepare --date 2026-05-12 --timezone Europe/Berlin\n  daybook prepare --today --out ./evidence --force",
    )
    .action(async (flags: Flags) => {
      const zone = zoneOf(io, flags);
      // Evidence rests on the native files as they are now. For files that are gone, only an existing book can supply
      // the content.
      const book = flags.sample === true ? undefined : bookOf(io, flags);
      const withBook = book !== undefined && existsSync(join(book, "book")) ? book : undefined;
      const opened = openDaybook(io, { ...flags, timezone: zone.name }, { book: withBook });
      const done = await prepareWorkspace(inside(opened.daybook), {
        ...requestedDay(flags),
        now: io.now,
        home: homeOf(io, flags),
        out: flags.out,
        force: flags.force,
        minOutput: flags.minOutput === undefined ? undefined : limit(flags.minOutput),
        again: (date) => again(flags, date, zone.name),
      });
      const code = await opened.done();
      if (opened.json) printJson(io, view(done));
      else print(io, done, flags.quiet === true);
      exit(code);
    });
};

function limit(text: string): number {
  const n = Number(text);
  if (text.trim() !== "" && Number.isInteger(n) && n >= 0) return n;
  throw new DaybookError(`--min-output takes a whole number, not ${text}`, { code: "usage", op: "parse flags" });
}

/** The same command with the defaults (date, time zone) written out. */
function again(flags: Flags, date: string, zone: string): string {
  const words = ["daybook", "prepare", "--date", date, "--timezone", zone];
  for (const root of flags.root ?? []) words.push("--root", root);
  for (const source of flags.source ?? []) words.push("--source", source);
  if (flags.sample === true) words.push("--sample");
  if (flags.home !== undefined) words.push("--home", flags.home);
  if (flags.out !== undefined) words.push("--out", flags.out);
  if (flags.minOutput !== undefined) words.push("--min-output", flags.minOutput);
  return [...words, "--force"].map(shellQuote).join(" ");
}

function view({
  metadata,
  workspace,
  manifest,
  created,
  projects,
  sessions,
  turns,
  subagents,
  left_out,
  gone,
}: Prepared): PrepareAnswer {
  const { report_date, timezone, status, prepared_at, report_window_local, report_window_utc } = metadata;
  return {
    schema_version: 1,
    workspace,
    manifest,
    created,
    report_date,
    timezone,
    status,
    prepared_at,
    report_window_local,
    report_window_utc,
    projects,
    sessions,
    turns,
    ...(created ? { subagents, left_out, gone } : {}),
  };
}

function print(io: Io, done: Prepared, quiet: boolean): void {
  const { metadata, projects, sessions, turns, subagents } = done;
  const counts = [plural(projects, "project"), plural(sessions, "session"), plural(turns, "turn")];
  if (subagents > 0) counts.push(plural(subagents, "sub-agent file"));
  const { start, end } = metadata.report_window_local;
  io.out(`${plain(done.workspace)}\n`);
  const about = [`${metadata.report_date} ${metadata.timezone}, ${metadata.status}`, `${start} to ${end}`];
  for (const line of flow(about, io.columns - 2)) io.out(`  ${line}\n`);
  io.out(`  ${counts.join(", ")}\n`);
  if (quiet) return;
  if (!done.created) io.err("daybook: the workspace already exists and was kept; --force rebuilds it\n");
  for (const { source, source_session_id, reason } of done.left_out)
    io.err(`daybook: left out: ${plain(keyOfSession(source, source_session_id))}: ${reason}\n`);
  for (const { source_path, reason } of done.gone)
    io.err(`daybook: ${reason}, taken from the book: ${plain(source_path)}\n`);
}
