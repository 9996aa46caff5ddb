import { inside } from "../../../answers/daybook.ts";
import { resolveMarkTarget, printMarkList, printMarks } from "../marked-list.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { usageError } from "../usage-errors.ts";

export const note: Register = (program, io, exit) => {
  commonFlags(program.command("note"), ["session"])
    .description(
      "write a note on a session or a turn; search finds it. Without a text: show its notes; without arguments: list all notes",
    )
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002, or a report's citation")
    .argument("[text...]", "the text of the note")
    .option("--remove <id>", "remove the note with this id")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook note 019e2f1c/T0002 "the retry hides the race; see ABC-1"\n  daybook note 019e2f1c\n  daybook note 019e2f1c --remove n3\n  daybook search --kind note race',
    )
    .action(async (target: string | undefined, words: string[], flags: CommonFlags & { remove?: string }) => {
      if (target === undefined && flags.remove !== undefined)
        throw usageError("--remove: from which session?", "daybook note SESSION --remove ID");
      const opened = openDaybook(io, flags);
      const { daybook, query } = opened;
      if (target === undefined) {
        const all = await daybook.marked({ ...query, noted: true, limit: undefined });
        const noted = all.filter(({ notes }) => notes.length > 0);
        return exit(
          await printMarkList(io, opened, noted, 'There are no notes yet. `daybook note SESSION[/TURN] "…"` adds one.'),
        );
      }
      const named = resolveMarkTarget(opened, target);
      const isRead = words.length === 0 && flags.remove === undefined;
      const text = words.length === 0 ? undefined : words.join(" ");
      const views = isRead
        ? await inside(daybook).markedAt(named)
        : [await daybook.mark(named, { note: text, unnote: flags.remove })];
      exit(await printMarks(io, opened, views));
    });
};
