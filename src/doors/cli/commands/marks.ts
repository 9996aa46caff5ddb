import { inside, type MarkedView } from "../../../answers/daybook.ts";
import type { LabelsAnswer, MarksAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { displayWidth, oneLine, plain } from "../../../base/text/inert.ts";
import { groupDigits } from "../../../base/text/units.ts";
import { labelText } from "../../../views/marks.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { tally, wrapLines } from "../layout.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import { collect, type Register, usageError } from "../flags.ts";
import { table } from "../table.ts";

export const star: Register = (program, io, exit) => {
  commonFlags(program.command("star"), ["session"])
    .description("star a session or a turn, to find it again with --starred; without arguments: list what is starred")
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002; lines of a citation are ignored")
    .option("--remove", "remove the star")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook mark star 019e2f1c/T0002\n  daybook mark star 019e2f1c --remove\n  daybook mark star\n  daybook turns --starred",
    )
    .action(async (target: string | undefined, flags: CommonFlags & { remove?: boolean }) => {
      if (target === undefined && flags.remove === true)
        throw usageError("--remove: from which session?", "daybook mark star SESSION --remove");
      const opened = openDaybook(io, flags);
      const { daybook, query } = opened;
      if (target !== undefined) {
        const view = await daybook.mark(target, { starred: flags.remove !== true });
        return exit(await printMarks(io, opened, [view]));
      }
      const all = await daybook.marked({ ...query, starred: true, limit: undefined });
      const starred = all.filter((one) => one.starred);
      exit(
        await printMarkList(
          io,
          opened,
          starred,
          "Nothing is starred yet. `daybook mark star SESSION[/TURN]` adds a star.",
        ),
      );
    });
};

export const label: Register = (program, io, exit) => {
  commonFlags(program.command("label"), ["session", "limit"])
    .description("put labels on a session or a turn, to find it again with --label; without arguments: list all labels")
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002; lines of a citation are ignored")
    .argument("[labels...]", "KEY=VALUE, or a plain word; a key has one value. Without any: show its marks")
    .option("--remove <key>", "remove this label (repeatable)", collect)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook mark label 019e2f1c ticket=ABC-1 flaky\n  daybook mark label 019e2f1c/T0002 --remove flaky\n  daybook mark label\n  daybook usage --label ticket=ABC-1",
    )
    .action(async (target: string | undefined, labels: string[], flags: CommonFlags & { remove?: string[] }) => {
      if (target === undefined && flags.remove !== undefined)
        throw usageError("--remove: from which session?", "daybook mark label SESSION --remove KEY");
      const opened = openDaybook(io, flags);
      if (target === undefined) return exit(await printLabels(io, opened));
      const isRead = labels.length === 0 && flags.remove === undefined;
      const named = target;
      const views = isRead
        ? await inside(opened.daybook).markedAt(named)
        : [await opened.daybook.mark(named, { label: labels, unlabel: flags.remove })];
      exit(await printMarks(io, opened, views));
    });
};

async function printLabels(io: Io, opened: OpenedDaybook): Promise<number> {
  const labels = opened.hide(await opened.daybook.labels(opened.query));
  const code = await opened.done();
  if (opened.json) printJson(io, { schema_version: 1, labels } satisfies LabelsAnswer);
  else if (labels.length === 0)
    io.out(
      `${wrapLines("There are no labels yet. `daybook mark label SESSION[/TURN] ticket=ABC-1` adds one.", io.columns).join("\n")}\n`,
    );
  else {
    const rows = labels.map((one) => [plain(labelText(one)), groupDigits(one.sessions), groupDigits(one.turns)]);
    const columns = [
      { head: "label", grow: true },
      { head: "sessions", align: "right" as const },
      { head: "requests", align: "right" as const },
    ];
    io.out(`${table(columns, rows, io.columns, opened.paint.bold)}\n`);
  }
  return code;
}

export const note: Register = (program, io, exit) => {
  commonFlags(program.command("note"), ["session"])
    .description(
      "write a note on a session or a turn; search finds it. Without a text: show its notes; without arguments: list all notes",
    )
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002; lines of a citation are ignored")
    .argument("[text...]", "the text of the note")
    .option("--remove <id>", "remove the note with this id")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook mark note 019e2f1c/T0002 "the retry hides the race; see ABC-1"\n  daybook mark note 019e2f1c\n  daybook mark note 019e2f1c --remove n3\n  daybook search --kind note race',
    )
    .action(async (target: string | undefined, words: string[], flags: CommonFlags & { remove?: string }) => {
      if (target === undefined && flags.remove !== undefined)
        throw usageError("--remove: from which session?", "daybook mark note SESSION --remove ID");
      const opened = openDaybook(io, flags);
      const { daybook, query } = opened;
      if (target === undefined) {
        const all = await daybook.marked({ ...query, noted: true, limit: undefined });
        const noted = all.filter(({ notes }) => notes.length > 0);
        return exit(
          await printMarkList(
            io,
            opened,
            noted,
            'There are no notes yet. `daybook mark note SESSION[/TURN] "…"` adds one.',
          ),
        );
      }
      const named = target;
      const isRead = words.length === 0 && flags.remove === undefined;
      const text = words.length === 0 ? undefined : words.join(" ");
      const views = isRead
        ? await inside(daybook).markedAt(named)
        : [await daybook.mark(named, { note: text, unnote: flags.remove })];
      exit(await printMarks(io, opened, views));
    });
};

export const done: Register = (program, io, exit) => {
  commonFlags(program.command("done"), ["session", "limit"])
    .description("close what a turn left open, and what its goal left before it; no report says it any more")
    .argument("<session/turn>", "for example 019e2f1c/T0002; lines of a citation are ignored")
    .option("--remove", "open it again")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook mark done 019e2f1c/T0002\n  daybook mark done 019e2f1c/T0002 --remove",
    )
    .action(async (target: string, flags: CommonFlags & { remove?: boolean }) => {
      const opened = openDaybook(io, flags);
      const closed = flags.remove !== true;
      const view = await opened.daybook.mark(target, { closed });
      exit(await printMarks(io, opened, [view]));
    });
};

/** Prints the marks on one session or turn, and on the turns of a session. */
export async function printMarks(io: Io, opened: OpenedDaybook, views: readonly MarkedView[]): Promise<number> {
  const naming = await inside(opened.daybook).naming(views);
  const code = await opened.done();
  const shown = opened.hide([...views]);
  if (opened.json) printJson(io, { schema_version: 1, marks: shown } satisfies MarksAnswer);
  else for (const view of shown) io.out(textOf(view, naming(view), io, opened));
  return code;
}

/** Prints everything with such a mark; `empty` is the text for none. */
export async function printMarkList(
  io: Io,
  opened: OpenedDaybook,
  found: MarkedView[],
  empty: string,
): Promise<number> {
  const all = opened.hide(found);
  const naming = await inside(opened.daybook).naming(all);
  const code = await opened.done();
  const shown = all.slice(0, opened.json ? opened.query.limit : opened.listQuery.limit);
  if (opened.json) {
    printJson(io, { schema_version: 1, marks: shown } satisfies MarksAnswer);
    return code;
  }
  if (shown.length === 0) io.out(`${wrapLines(empty, io.columns).join("\n")}\n`);
  for (const view of shown) io.out(textOf(view, naming(view), io, opened));
  if (shown.length > 0) io.out(`\n${opened.paint.dim(tally(shown.length, all.length, ["marked", "marked"]))}\n`);
  return code;
}

/** A line with place and title, followed by the marks. */
function textOf(view: MarkedView, id: string, { columns }: Io, { daybook, paint }: OpenedDaybook): string {
  const clock = (time: string): string => daybook.zone.clock(Date.parse(time)).slice(0, 16);
  const when = view.started_at === null ? "no time" : clock(view.started_at);
  const place = plain(view.turn_ref === null ? id : `${id}/${view.turn_ref}`);
  const project = oneLine(view.project, 24);
  const room = Math.max(12, columns - displayWidth(`${when}  ${project}  ${place}  `));
  const title = oneLine(askedLine(view.title ?? ""), room);
  const lines = [`${paint.dim(when)}  ${paint.cyan(project)}  ${paint.dim(place)}  ${title}`.trimEnd()];
  const signs = [
    ...(view.starred ? ["★"] : []),
    ...view.labels.map((label) => plain(labelText(label))),
    ...(view.closed ? ["done"] : []),
  ];
  if (signs.length > 0) lines.push(...wrapLines(`  ${signs.join("  ")}`, columns).map(paint.yellow));
  for (const { id: name, time, text } of view.notes) {
    const head = `  ${name.padEnd(4)} ${clock(time)}  `;
    const [first = "", ...rest] = wrapLines(text, Math.max(20, columns - head.length));
    lines.push(`${paint.dim(head)}${first}`, ...rest.map((line) => `${" ".repeat(head.length)}${line}`));
  }
  if (lines.length === 1) lines.push(paint.dim("  no marks"));
  return `${lines.join("\n")}\n`;
}
