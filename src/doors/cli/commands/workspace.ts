import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { inside } from "../../../answers/daybook.ts";
import type { CollectAnswer, InspectAnswer, PrepareAnswer, WorkspacesAnswer } from "../../../answers/json.ts";
import { collectWorkspace } from "../../../answers/workspace/collect.ts";
import {
  type Inspection,
  inspectWorkspace,
  type Listed,
  listWorkspaces,
  type ProjectProgress,
} from "../../../answers/workspace/inspect.ts";
import { collectionPath, workRoot } from "../../../answers/workspace/places.ts";
import { type Prepared, prepareWorkspace } from "../../../answers/workspace/prepare.ts";
import { DaybookError } from "../../../base/errors.ts";
import { plain } from "../../../base/text/inert.ts";
import { shellQuote } from "../../../base/text/shell-words.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import { VERSION } from "../../../base/version.ts";
import { keyOfSession } from "../../../record/session-key.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { beforePath, flow, tally, wrapLines } from "../layout.ts";
import { bookOf, openDaybook } from "../open-daybook.ts";
import { paintFor } from "../output.ts";
import { limitOf, type Register, unknownValueError, usageError } from "../flags.ts";
import { table } from "../table.ts";
import {
  homeOf,
  outputFlags,
  placesOf,
  redactorOf,
  requestedDay,
  rootFlags,
  targetFlags,
  type TargetFlags,
  zoneOf,
} from "../workspace-flags.ts";

interface PrepareFlags extends TargetFlags {
  root?: string[];
  source?: string[];
  out?: string;
  force?: boolean;
  minOutput?: string;
}

const prepare: Register = (program, io, exit) => {
  outputFlags(rootFlags(targetFlags(program.command("prepare"))))
    .description(
      "make the evidence folder of one day: its projects, copied sessions, and which lines belong to the day",
    )
    .option("--out <dir>", "the folder to make (default: work/<date> in Daybook's own folder)")
    .option("--force", "replace an existing workspace")
    .option("--min-output <n>", "leave out sessions in which every turn is known to have produced fewer output tokens")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook workspace prepare --date 2026-05-12 --timezone Europe/Berlin\n  daybook workspace prepare --today --out ./evidence --force",
    )
    .action(async (flags: PrepareFlags) => {
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
      if (opened.json) printJson(io, prepareAnswer(done));
      else printPrepared(io, done, flags.quiet === true);
      exit(code);
    });
};

function limit(text: string): number {
  const n = Number(text);
  if (text.trim() !== "" && Number.isInteger(n) && n >= 0) return n;
  throw new DaybookError(`--min-output takes a whole number, not ${text}`, { code: "usage", op: "parse flags" });
}

/** The same command with the defaults (date, time zone) written out. */
function again(flags: PrepareFlags, date: string, zone: string): string {
  const words = ["daybook", "workspace", "prepare", "--date", date, "--timezone", zone];
  for (const root of flags.root ?? []) words.push("--root", root);
  for (const source of flags.source ?? []) words.push("--source", source);
  if (flags.sample === true) words.push("--sample");
  if (flags.home !== undefined) words.push("--home", flags.home);
  if (flags.out !== undefined) words.push("--out", flags.out);
  if (flags.minOutput !== undefined) words.push("--min-output", flags.minOutput);
  return [...words, "--force"].map(shellQuote).join(" ");
}

function prepareAnswer({
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

function printPrepared(io: Io, done: Prepared, quiet: boolean): void {
  const { metadata, projects, sessions, turns, subagents } = done;
  const counts = [plural(projects, "project"), plural(sessions, "session"), plural(turns, "request")];
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

const SHOWN = 10;
const SHOWN_VERBOSE = 5;

interface ListFlags extends TargetFlags {
  limit?: string;
  verbose?: boolean;
}

const list: Register = (program, io, exit) => {
  listFlags(program.command("list"))
    .description("list the workspaces made by prepare, newest first")
    .addHelpText("after", "\nExamples:\n  daybook workspace list\n  daybook workspace list --verbose --limit 0")
    .action((flags: ListFlags) => exit(printList(io, flags)));
};

/** The commands of the evidence folder; alone, which folders there are. */
export const workspace: Register = (program, io, exit) => {
  const command = listFlags(program.command("workspace"))
    .description("the evidence folder of a day: prepare, list, inspect, collect; alone: list them")
    .argument("[action]", "one of the commands below")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText("after", "\nExamples:\n  daybook workspace prepare --date yesterday\n  daybook workspace inspect")
    .action((action: string | undefined, flags: ListFlags) => {
      if (action === undefined) return exit(printList(io, flags));
      const known = command.commands.map((one) => one.name());
      throw unknownValueError("action", action, known);
    });
  for (const add of [prepare, list, inspect, collect]) add(command, io, exit);
};

function listFlags(command: Command): Command {
  return outputFlags(command)
    .option("--limit <n>", `at most this many (default: ${SHOWN}, with --verbose ${SHOWN_VERBOSE}); 0 for all`)
    .option("--verbose", "with counts and folders");
}

function printList(io: Io, flags: ListFlags): number {
  const home = homeOf(io, flags);
  const most = flags.verbose === true ? SHOWN_VERBOSE : SHOWN;
  const { total, workspaces } = listWorkspaces(home, flags.limit === undefined ? most : (limitOf(flags) ?? Infinity));
  if (flags.json === true) printJson(io, { schema_version: 1, total, workspaces } satisfies WorkspacesAnswer);
  else if (total === 0) io.out(`No workspaces in ${plain(workRoot(home))} yet; daybook workspace prepare makes one.\n`);
  else {
    const paint = paintFor(io, flags.color !== false);
    io.out(`${tableOf(workspaces, flags.verbose === true, io.columns, paint.bold)}\n\n`);
    io.out(`${paint.dim(tally(workspaces.length, total, "workspace"))}\n`);
  }
  return 0;
}

function brief({ date, status, timezone }: Listed): string[] {
  return [date, status ?? "unreadable", timezone ?? ""];
}

function tableOf(list: readonly Listed[], verbose: boolean, width: number, head: (text: string) => string): string {
  if (!verbose) {
    return table([{ head: "date" }, { head: "status" }, { head: "zone" }], list.map(brief), width, head);
  }
  const columns = [
    { head: "date" },
    { head: "status" },
    { head: "zone", dropOrder: 1 },
    { head: "projects", align: "right" as const, dropOrder: 2 },
    { head: "sessions", align: "right" as const, dropOrder: 3 },
    { head: "requests", align: "right" as const, dropOrder: 4 },
    { head: "folder", grow: true },
  ];
  const rows = list.map((w) => [...brief(w), String(w.projects), String(w.sessions), String(w.turns), plain(w.path)]);
  return table(columns, rows, width, head);
}

const inspect: Register = (program, io, exit) => {
  outputFlags(targetFlags(program.command("inspect")))
    .description("show the progress of a workspace")
    .option("--workspace <dir>", "a workspace in another place")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook workspace inspect --date 2026-05-12\n  daybook workspace inspect --workspace ./evidence",
    )
    .action((flags: TargetFlags) => {
      const { workspace, manifest } = placesOf(io, flags);
      const found = redactorOf(io).all(inspectWorkspace(workspace, manifest));
      if (flags.json === true) printJson(io, inspectAnswer(found));
      else io.out(text(found, io.columns));
      exit(0);
    });
};

function inspectAnswer({ metadata, ...rest }: Inspection): InspectAnswer {
  const { report_date, timezone, status, prepared_at } = metadata;
  return { schema_version: 1, report_date, timezone, status, prepared_at, ...rest };
}

function text(found: Inspection, width: number): string {
  const { metadata, projects } = found;
  const lines = [
    plain(found.workspace),
    ...wrapLines(
      `${metadata.report_date} ${metadata.timezone}, ${metadata.status}, prepared ${metadata.prepared_at}`,
      width,
    ),
    "",
    `projects           ${groupDigits(projects.length)}`,
    `sessions           ${groupDigits(found.sessions)}`,
    `requests           ${groupDigits(found.turns)}`,
    `evidence chains    ${found.evidence_chains}/${groupDigits(found.turns)}`,
    `project syntheses  ${found.project_syntheses}/${groupDigits(projects.length)}`,
    `daily report       ${there(found.daily_report)}`,
    `markdown           ${there(found.markdown)}`,
    `html               ${there(found.html)}`,
  ];
  for (const project of projects) lines.push("", ...about(project, width));
  return `${lines.join("\n")}\n`;
}

function there(is: boolean): string {
  return is ? "present" : "missing";
}

function about(project: ProjectProgress, width: number): string[] {
  const { sessions, turns, evidence_chains } = project;
  const chains = `evidence ${evidence_chains}/${turns}`;
  return [
    plain(project.project_key),
    ...beforePath("  directory", project.directory ?? project.directory_note ?? "", width),
    ...wrapLines(
      `  ${plural(sessions, "session")}, ${plural(turns, "request")}, ${chains}, synthesis ${there(project.synthesis)}`,
      width,
    ),
  ];
}

interface CollectFlags extends TargetFlags {
  output?: string;
  includeRawSessions?: boolean;
}

const collect: Register = (program, io, exit) => {
  outputFlags(targetFlags(program.command("collect")))
    .description("pack a workspace into a zip file for support; without the sessions themselves unless asked")
    .option("--workspace <dir>", "a workspace in another place")
    .option("--output <zip>", "the file to write (default: collections/<date>.zip in Daybook's own folder)")
    .option("--include-raw-sessions", "include the copied sessions: everything that was said and printed")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook workspace collect --date 2026-05-12\n  daybook workspace collect --workspace ./evidence --output evidence.zip",
    )
    .action(async (flags: CollectFlags) => {
      if (flags.output !== undefined && !/\.zip$/i.test(flags.output))
        throw usageError(`--output must name a zip file, not ${flags.output}`, "use a name that ends in .zip");
      const { workspace, manifest, home, named } = placesOf(io, flags);
      const includeRaw = flags.includeRawSessions === true;
      if (includeRaw)
        io.err("daybook: warning: the collection will contain raw sessions; review it before you share it\n");
      const done = await collectWorkspace({
        mode: named ? "workspace" : "date-root",
        workspace,
        manifest: named ? null : manifest,
        home: named ? null : home,
        output: flags.output ?? collectionPath(home, basename(workspace)),
        includeRaw,
        redactor: redactorOf(io),
        now: io.now,
        tool: { name: "daybook", version: VERSION },
      });
      const { included_paths, excluded_paths } = done.manifest;
      if (flags.json === true) printJson(io, { output: done.output, ...done.manifest } satisfies CollectAnswer);
      else {
        io.out(`${plain(done.output)}\n`);
        io.out(`  ${plural(included_paths.length, "file")} included, ${excluded_paths.length} left out\n`);
      }
      exit(0);
    });
};
