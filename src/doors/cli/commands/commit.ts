import type { CommitTurn, CommitView } from "../../../answers/blame/file-view.ts";
import type { CommitAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { money, oneLine, plural, withoutYear } from "../text.ts";

export const commit: Register = (program, io, exit) => {
  commonFlags(program.command("commit"), ["project", "session", "since", "until", "limit"])
    .description("the turns behind a commit: those that made it, and those that wrote its lines")
    .argument("<sha|range>", "a commit of the current repository, or a range like main..HEAD")
    .addHelpText("after", "\nExamples:\n  daybook commit HEAD\n  daybook commit main..HEAD --json")
    .action(async (name: string, flags: CommonFlags) => {
      const opened = openDaybook(io, flags);
      const commits = await opened.daybook.commits(name, { cwd: io.cwd, redact: flags.redact });
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, commits } satisfies CommitAnswer);
      else for (const [i, view] of commits.entries()) print(io, view, i > 0, opened);
      exit(code);
    });
};

function print(io: Io, view: CommitView, isNext: boolean, { daybook, paint }: OpenedDaybook): void {
  const { hash, subject, author, time, lines, attributed, files_skipped, turns } = view;
  const clock = daybook.zone.clock(Date.parse(time)).slice(0, 16);
  io.out(
    `${isNext ? "\n" : ""}${paint.bold(hash.slice(0, 10))}  ${clock}  ${oneLine(`${author}: ${subject}`, Math.max(20, io.columns - 30))}\n`,
  );
  for (const turn of turns) io.out(`  ${lineOf(turn, io, daybook)}\n`);
  const known = lines === 0 ? "" : `${attributed} of ${plural(lines, "line")} known to be written by these turns`;
  const last = turns.length === 0 ? "no recorded turn is behind it" : known;
  const skipped = files_skipped === 0 ? "" : `${plural(files_skipped, "more file")} not looked at`;
  for (const text of [last, skipped]) if (text !== "") io.out(`  ${paint.dim(text)}\n`);
}

function lineOf(turn: CommitTurn, io: Io, daybook: OpenedDaybook["daybook"]): string {
  const { session_id, turn_ref, time, cost_usd, made, lines, request } = turn;
  const clock = time === null ? "" : withoutYear(daybook.zone.clock(Date.parse(time)).slice(0, 16));
  const did = [...(made === null ? [] : [`made it :${made}`]), ...(lines === 0 ? [] : [plural(lines, "line")])].join(
    ", ",
  );
  const head = `${clock}  ${session_id.slice(0, 13)}/${turn_ref}  ${money(cost_usd)}  ${did}  `;
  return `${head}${oneLine(askedLine(request), Math.max(20, io.columns - head.length - 2))}`;
}
