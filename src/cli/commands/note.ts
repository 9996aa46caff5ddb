import { namedIn, printAll, printOne } from "../marked-list.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { wrongUse } from "../unknown.ts";

export const note: Register = (program, io, exit) => {
  commonFlags(program.command("note"), ["session"])
    .description(
      "write a note on a session or a turn; search finds it. Without a text: show its notes; alone: all notes",
    )
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002, or a report's citation")
    .argument("[text...]", "what is to be remembered")
    .option("--remove <id>", "take the note of this id off")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook note 019e2f1c/T0002 "the retry hides the race; see ABC-1"\n  daybook note 019e2f1c\n  daybook note 019e2f1c --remove n3\n  daybook search --kind note race',
    )
    .action(async (target: string | undefined, words: string[], flags: CommonFlags & { remove?: string }) => {
      if (target === undefined && flags.remove !== undefined)
        throw wrongUse("--remove: take the note off what?", "daybook note SESSION --remove ID");
      const opened = openDaybook(io, flags);
      const { daybook, query } = opened;
      if (target === undefined) {
        const all = await daybook.marked({ ...query, noted: true, limit: undefined });
        const noted = all.filter(({ notes }) => notes.length > 0);
        return exit(
          await printAll(io, opened, noted, 'There are no notes. `daybook note SESSION[/TURN] "…"` writes one.'),
        );
      }
      const named = namedIn(opened, target);
      const isRead = words.length === 0 && flags.remove === undefined;
      const text = words.length === 0 ? undefined : words.join(" ");
      const views = isRead
        ? await daybook.markedAt(named)
        : [await daybook.mark(named, { note: text, unnote: flags.remove })];
      exit(await printOne(io, opened, views));
    });
};
