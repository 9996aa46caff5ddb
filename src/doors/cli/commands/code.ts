import { isAbsolute } from "node:path";
import type { CommitTurn, CommitView, FileView, TouchingTurn } from "../../../answers/blame/file-view.ts";
import type { UnknownReason } from "../../../answers/blame/model.ts";
import type { BlameLine, BlameTurn, BlameView } from "../../../answers/blame/view.ts";
import { inside } from "../../../answers/daybook.ts";
import type { SessionNaming } from "../../../answers/lists.ts";
import type { BlameAnswer, CommitAnswer, FileAnswer } from "../../../answers/json.ts";
import {
  blame as blameQuestion,
  commits as commitsQuestion,
  file as fileQuestion,
} from "../../../answers/questions/code.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import type { ChangedFile } from "../../../views/list-rows.ts";
import { fit, oneLine, pad, plain } from "../../../base/text/inert.ts";
import { cost, money, plural } from "../../../base/text/units.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { NOT_PUSHED, withoutYear } from "../layout.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import type { Register } from "../flags.ts";

interface Flags extends CommonFlags {
  rev?: string;
}

/** Why the author of a line is unknown, in a few words. */
const WHY: Readonly<Record<UnknownReason, string>> = {
  before_records: "older than all records",
  changed_outside: "not by a recorded edit",
  ambiguous: "one of several equal lines",
  older_in_git: "older in git",
  not_recorded: "not recorded",
};

export const blame: Register = (program, io, exit) => {
  questionCommand(program, blameQuestion)
    .description("which request wrote each line of a file, proven by recorded edits; git is only read")
    .argument("<file[:line[-line]]>", "for example src/app.ts, src/app.ts:12, src/app.ts:12-40")
    .option("--rev <commit>", "the file as it is in this commit (default: as it is on disk)")
    .addHelpText("after", "\nExamples:\n  daybook blame src/app.ts\n  daybook blame src/app.ts:12-40 --json")
    .action(async (target: string, flags: Flags) => {
      const opened = openDaybook(io, flags);
      const view = await opened.daybook.blame(target, { cwd: io.cwd, revision: flags.rev, redact: flags.redact });
      const naming = await inside(opened.daybook).naming(view.turns);
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, ...view } satisfies BlameAnswer);
      else printBlame(io, view, naming, opened);
      exit(code);
    });
};

function printBlame(io: Io, view: BlameView, naming: SessionNaming, { daybook, paint }: OpenedDaybook): void {
  const { lines, turns, counts } = view;
  const names = new Map(turns.map((turn) => [turn.turn, `${naming(turn)}/${turn.turn_ref}`]));
  const who = lines.map((line) => (line.turn === null ? unknownOf(line) : (names.get(line.turn) ?? "")));
  const width = Math.min(28, Math.max(...who.map((text) => text.length), 0));
  const digits = String(lines.at(-1)?.line ?? 0).length;
  for (const [i, line] of lines.entries()) {
    // Consecutive lines of the same author show the name only once.
    const name = i > 0 && who[i] === who[i - 1] ? "" : (who[i] ?? "");
    const said = pad(fit(plain(name), width), width);
    const room = Math.max(10, io.columns - width - digits - 4);
    const text = fit(plain(line.text).replaceAll("\t", "    "), room);
    const number = String(line.line).padStart(digits);
    io.out(`${line.turn === null ? paint.dim(said) : said}  ${paint.dim(number)}  ${text}\n`.replace(/ +\n$/, "\n"));
  }
  const by = turns.length === 0 ? "" : ` by ${plural(turns.length, "request")}`;
  io.out(`\n${plural(counts.lines, "line")}: ${counts.attributed} written${by}, ${counts.unknown} unknown\n`);
  for (const turn of turns) io.out(`${turnLine(turn, names.get(turn.turn) ?? "", io.columns, daybook)}\n`);
}

function unknownOf({ unknown, commit }: BlameLine): string {
  if (commit) return `${commit.author}, ${commit.hash.slice(0, 7)}`;
  return unknown === null ? "unknown" : WHY[unknown];
}

function turnLine(turn: BlameTurn, name: string, columns: number, daybook: OpenedDaybook["daybook"]): string {
  const time = turn.time === null ? "" : withoutYear(daybook.zone.clock(Date.parse(turn.time)).slice(0, 16));
  const head = `${name}  ${time}  ${turn.source}  ${money(turn.cost_usd)}  ${plural(turn.lines, "line")}  `;
  return `${head}${oneLine(askedLine(turn.request), Math.max(20, columns - head.length))}`;
}

export const file: Register = (program, io, exit) => {
  questionCommand(program, fileQuestion)
    .description("the turns that touched a file, under any name it had, in order, with what they cost")
    .argument("<path>", "the file; it may be deleted")
    .addHelpText("after", "\nExamples:\n  daybook file src/app.ts\n  daybook file src/app.ts --since 28d --json")
    .action(async (path: string, flags: CommonFlags) => {
      const opened = openDaybook(io, flags, { question: fileQuestion });
      const asked = { ...opened.query, cwd: io.cwd, redact: flags.redact };
      const here = await opened.daybook.file(path, asked);
      const elsewhere = here.turns.length > 0 ? [] : await filesEndingIn(path, opened);
      const [only] = elsewhere;
      const view = only && elsewhere.length === 1 ? await opened.daybook.file(only.path, asked) : here;
      if (view !== here && flags.quiet !== true) io.err(`daybook: ${plain(view.path)}\n`);
      const naming = await inside(opened.daybook).naming(view.turns);
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, ...view } satisfies FileAnswer);
      else if (elsewhere.length > 1) printFiles(io, elsewhere);
      else printFile(io, view, naming, opened);
      exit(code);
    });
};

/** The recorded files that a relative path may mean from wherever it was typed, last changed first. */
async function filesEndingIn(path: string, { daybook, query, hide }: OpenedDaybook): Promise<ChangedFile[]> {
  const end = path.replace(/^\.\//, "");
  if (isAbsolute(path) || end.startsWith("..") || inside(daybook).isOfStore) return [];
  const { files } = await daybook.ask("files", { ...query, text: end });
  return hide(files.filter((file) => file.path === end || file.path.endsWith(`/${end}`)));
}

function printFiles(io: Io, files: readonly ChangedFile[]): void {
  io.out("No file of that name here. Recorded elsewhere:\n");
  for (const { path, project, turns } of files)
    io.out(`  daybook file ${oneLine(path, io.columns - 16)}  ${oneLine(project, 24)}, ${plural(turns, "request")}\n`);
}

function printFile(io: Io, { names, turns, cost_usd }: FileView, naming: SessionNaming, opened: OpenedDaybook): void {
  if (turns.length === 0) io.out("No recorded request touched it.\n");
  for (const turn of turns) io.out(`${touchLine(turn, `${naming(turn)}/${turn.turn_ref}`, io, opened)}\n`);
  if (turns.length > 0) io.out(`\n${plural(turns.length, "request")}, ${money(cost_usd)}\n`);
  for (const name of names.slice(1)) io.out(`before: ${plain(name)}\n`);
}

function touchLine(turn: TouchingTurn, name: string, io: Io, { daybook }: OpenedDaybook): string {
  const { trigger, changes, usage_with_children } = turn;
  const time = trigger.time === null ? "" : withoutYear(daybook.zone.clock(Date.parse(trigger.time)).slice(0, 16));
  const how = [...new Set(changes.map((change) => change.how))].join(", ");
  const head = `${time}  ${name}  ${cost(usage_with_children)}  ${how} :${changes[0]?.line ?? ""}  `;
  return `${head}${oneLine(trigger.text === null ? NOT_PUSHED : askedLine(trigger.text), Math.max(20, io.columns - head.length))}`;
}

export const commit: Register = (program, io, exit) => {
  questionCommand(program, { ...commitsQuestion, name: "commit" })
    .description("the turns behind a commit: those that made it, and those that wrote its lines")
    .argument("<sha|range>", "a commit of the current repository, or a range like main..HEAD")
    .addHelpText("after", "\nExamples:\n  daybook commit HEAD\n  daybook commit main..HEAD --json")
    .action(async (name: string, flags: CommonFlags) => {
      const opened = openDaybook(io, flags);
      const commits = await opened.daybook.commits(name, { cwd: io.cwd, redact: flags.redact });
      const naming = await inside(opened.daybook).naming(commits.flatMap(({ turns }) => turns));
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, commits } satisfies CommitAnswer);
      else for (const [i, view] of commits.entries()) printCommit(io, view, i > 0, { ...opened, naming });
      exit(code);
    });
};

function printCommit(
  io: Io,
  view: CommitView,
  isNext: boolean,
  { daybook, paint, naming }: OpenedDaybook & { naming: SessionNaming },
): void {
  const { hash, subject, author, time, lines, attributed, files_skipped, turns } = view;
  const clock = daybook.zone.clock(Date.parse(time)).slice(0, 16);
  io.out(
    `${isNext ? "\n" : ""}${paint.bold(hash.slice(0, 10))}  ${clock}  ${oneLine(`${author}: ${subject}`, Math.max(20, io.columns - 30))}\n`,
  );
  for (const turn of turns) io.out(`  ${commitLine(turn, naming(turn), io, daybook)}\n`);
  const known = lines === 0 ? "" : `${attributed} of ${plural(lines, "line")} known to be written by these requests`;
  const last = turns.length === 0 ? "no recorded request is behind it" : known;
  const skipped = files_skipped === 0 ? "" : `${plural(files_skipped, "more file")} not looked at`;
  for (const text of [last, skipped]) if (text !== "") io.out(`  ${paint.dim(text)}\n`);
}

function commitLine(turn: CommitTurn, id: string, io: Io, daybook: OpenedDaybook["daybook"]): string {
  const { turn_ref, time, cost_usd, made, lines, request } = turn;
  const clock = time === null ? "" : withoutYear(daybook.zone.clock(Date.parse(time)).slice(0, 16));
  const did = [...(made === null ? [] : [`made it :${made}`]), ...(lines === 0 ? [] : [plural(lines, "line")])].join(
    ", ",
  );
  const head = `${clock}  ${id}/${turn_ref}  ${money(cost_usd)}  ${did}  `;
  return `${head}${oneLine(askedLine(request), Math.max(20, io.columns - head.length - 2))}`;
}
