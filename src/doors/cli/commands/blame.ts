import { inside } from "../../../answers/daybook.ts";
import type { BlameLine, BlameTurn, BlameView } from "../../../answers/blame/view.ts";
import type { UnknownReason } from "../../../answers/blame/model.ts";
import type { BlameAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { shortIds } from "../short-ids.ts";
import { fit, money, oneLine, pad, plain, plural, withoutYear } from "../text.ts";

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
  commonFlags(program.command("blame"), ["project", "session", "since", "until", "limit"])
    .description("which request wrote each line of a file, proven by recorded edits; git is only read")
    .argument("<file[:line[-line]]>", "for example src/app.ts, src/app.ts:12, src/app.ts:12-40")
    .option("--rev <commit>", "the file as it is in this commit (default: as it is on disk)")
    .addHelpText("after", "\nExamples:\n  daybook blame src/app.ts\n  daybook blame src/app.ts:12-40 --json")
    .action(async (target: string, flags: Flags) => {
      const opened = openDaybook(io, flags);
      const view = await opened.daybook.blame(target, { cwd: io.cwd, revision: flags.rev, redact: flags.redact });
      const ids = opened.json ? [] : await inside(opened.daybook).sessionIds();
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, ...view } satisfies BlameAnswer);
      else print(io, view, ids, opened);
      exit(code);
    });
};

function print(io: Io, view: BlameView, ids: readonly string[], { daybook, paint }: OpenedDaybook): void {
  const { lines, turns, counts } = view;
  const short = shortIds(
    turns.map(({ session_id }) => session_id),
    ids,
  );
  const names = new Map(turns.map((turn, i) => [turn.turn, `${short[i]}/${turn.turn_ref}`]));
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
  const by = turns.length === 0 ? "" : ` by ${plural(turns.length, "turn")}`;
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
