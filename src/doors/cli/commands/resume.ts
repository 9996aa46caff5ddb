import { DaybookError } from "../../../base/errors.ts";
import type { ResumeAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plain } from "../text.ts";

interface Flags extends CommonFlags {
  exec?: boolean;
}

export const resume: Register = (program, io, exit) => {
  commonFlags(program.command("resume"), ["project", "session", "since", "until", "limit"])
    .description("print the agent's own command that resumes a session, in its directory")
    .argument("<session>", "its id, its path, or the beginning of its id")
    .option("--exec", "run it")
    .addHelpText("after", "\nExamples:\n  daybook resume 019e2f1c\n  daybook resume 019e2f1c --exec")
    .action(async (target: string, flags: Flags) => {
      const opened = openDaybook(io, flags);
      const view = await opened.daybook.resume(target);
      const code = await opened.done();
      const { argv, dir } = view;
      const { command, note, session_id, why } = opened.hide(view);
      if (opened.json) printJson(io, { schema_version: 1, ...opened.hide(view) } satisfies ResumeAnswer);
      else if (argv === null || command === null)
        throw new DaybookError(`session ${session_id} cannot be resumed: ${why}`, {
          code: "unreadable",
          op: "resume session",
        });
      else if (flags.exec !== true) io.out(`${plain(command)}\n`);
      if (note !== null && !opened.json) io.err(`daybook: ${note}\n`);
      if (flags.exec !== true || argv === null) return exit(argv === null ? 1 : code);
      // The agent may run for hours: hold nothing open meanwhile.
      opened.daybook.close();
      if (io.runInTerminal) exit(await io.runInTerminal(argv, dir));
    });
};
