import { inside } from "../../../answers/daybook.ts";
import type { Register } from "../flags.ts";
import { openDaybook } from "../open-daybook.ts";
import { type CommonFlags, commonFlags } from "../options.ts";
import { done, label, note, printMarkList, printMarks, star } from "./marks.ts";

/** The commands that attach something to sessions and turns; alone, what is attached. */
export const mark: Register = (program, io, exit) => {
  const command = commonFlags(program.command("mark"), ["session"])
    .description("stars, labels and notes on sessions and turns, and what is done; alone: all that is marked")
    .argument("[session[/turn]]", "show the marks of this one")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText("after", "\nExamples:\n  daybook mark\n  daybook mark star 019e2f1c/T0002\n  daybook turns --starred")
    .action(async (target: string | undefined, flags: CommonFlags) => {
      const opened = openDaybook(io, flags);
      if (target !== undefined) {
        const views = await inside(opened.daybook).markedAt(target);
        return exit(await printMarks(io, opened, views));
      }
      const all = await opened.daybook.marked({ ...opened.query, limit: undefined });
      exit(
        await printMarkList(
          io,
          opened,
          all,
          "Nothing is marked yet. `daybook mark star SESSION[/TURN]` adds a star; also label, note, done.",
        ),
      );
    });
  for (const add of [star, label, note, done]) add(command, io, exit);
};
