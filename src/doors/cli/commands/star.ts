import { resolveMarkTarget, printMarkList, printMarks } from "../marked-list.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { usageError } from "../usage-errors.ts";

export const star: Register = (program, io, exit) => {
  commonFlags(program.command("star"), ["session"])
    .description("star a session or a turn, to find it again with --starred; without arguments: list what is starred")
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002, or a report's citation")
    .option("--remove", "remove the star")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook star 019e2f1c/T0002\n  daybook star 019e2f1c --remove\n  daybook star\n  daybook turns --starred",
    )
    .action(async (target: string | undefined, flags: CommonFlags & { remove?: boolean }) => {
      if (target === undefined && flags.remove === true)
        throw usageError("--remove: from which session?", "daybook star SESSION --remove");
      const opened = openDaybook(io, flags);
      const { daybook, query } = opened;
      if (target !== undefined) {
        const view = await daybook.mark(resolveMarkTarget(opened, target), { starred: flags.remove !== true });
        return exit(await printMarks(io, opened, [view]));
      }
      const all = await daybook.marked({ ...query, starred: true, limit: undefined });
      const starred = all.filter((one) => one.starred);
      exit(
        await printMarkList(io, opened, starred, "Nothing is starred yet. `daybook star SESSION[/TURN]` adds a star."),
      );
    });
};
