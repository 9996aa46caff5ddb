import { namedIn, printAll, printOne } from "../marked-list.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { wrongUse } from "../unknown.ts";

export const star: Register = (program, io, exit) => {
  commonFlags(program.command("star"), ["session"])
    .description("star a session or a turn, to find it again with --starred; alone: list what is starred")
    .argument("[session[/turn]]", "for example 019e2f1c, 019e2f1c/T0002, or a report's citation")
    .option("--remove", "take the star off")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook star 019e2f1c/T0002\n  daybook star 019e2f1c --remove\n  daybook star\n  daybook turns --starred",
    )
    .action(async (target: string | undefined, flags: CommonFlags & { remove?: boolean }) => {
      if (target === undefined && flags.remove === true)
        throw wrongUse("--remove: take which star off?", "daybook star SESSION --remove");
      const opened = openDaybook(io, flags);
      const { daybook, query } = opened;
      if (target !== undefined) {
        const view = await daybook.mark(namedIn(opened, target), { starred: flags.remove !== true });
        return exit(await printOne(io, opened, [view]));
      }
      const all = await daybook.marked({ ...query, starred: true, limit: undefined });
      const starred = all.filter((one) => one.starred);
      exit(await printAll(io, opened, starred, "Nothing is starred. `daybook star SESSION[/TURN]` stars something."));
    });
};
