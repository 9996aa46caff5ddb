import { inside } from "../../../answers/daybook.ts";
import { labelText } from "../../../views/marks.ts";
import type { LabelsAnswer } from "../../../answers/json.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { wrapLines } from "../layout.ts";
import { resolveMarkTarget, printMarks } from "../marked-list.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import { collect } from "../query-flags.ts";
import type { Register } from "../register.ts";
import { table } from "../table.ts";
import { groupDigits, plain } from "../text.ts";
import { usageError } from "../usage-errors.ts";

export const label: Register = (program, io, exit) => {
  commonFlags(program.command("label"), ["session", "limit"])
    .description("put labels on a session or a turn, to find it again with --label; without arguments: list all labels")
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002, or a report's citation")
    .argument("[labels...]", "KEY=VALUE, or a plain word; a key has one value. Without any: show its marks")
    .option("--remove <key>", "remove this label (repeatable)", collect)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook label 019e2f1c ticket=ABC-1 flaky\n  daybook label 019e2f1c/T0002 --remove flaky\n  daybook label\n  daybook usage --label ticket=ABC-1",
    )
    .action(async (target: string | undefined, labels: string[], flags: CommonFlags & { remove?: string[] }) => {
      if (target === undefined && flags.remove !== undefined)
        throw usageError("--remove: from which session?", "daybook label SESSION --remove KEY");
      const opened = openDaybook(io, flags);
      if (target === undefined) return exit(await printLabels(io, opened));
      const isRead = labels.length === 0 && flags.remove === undefined;
      const named = resolveMarkTarget(opened, target);
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
      `${wrapLines("There are no labels yet. `daybook label SESSION[/TURN] ticket=ABC-1` adds one.", io.columns).join("\n")}\n`,
    );
  else {
    const rows = labels.map((one) => [plain(labelText(one)), groupDigits(one.sessions), groupDigits(one.turns)]);
    const columns = [
      { head: "label", grow: true },
      { head: "sessions", align: "right" as const },
      { head: "turns", align: "right" as const },
    ];
    io.out(`${table(columns, rows, io.columns, opened.paint.bold)}\n`);
  }
  return code;
}
