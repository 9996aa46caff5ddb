import type { HandoffAnswer, ResumeAnswer } from "../../../answers/json.ts";
import { handoff as handoffQuestion, resume as resumeQuestion } from "../../../answers/questions/one-session.ts";
import { DaybookError } from "../../../base/errors.ts";
import { plain } from "../../../base/text/inert.ts";
import { printDocument } from "../io.ts";
import { printJson } from "../json.ts";
import { openDaybook } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import { positive, type Register } from "../flags.ts";

interface ResumeFlags extends CommonFlags {
  exec?: boolean;
}

export const resume: Register = (program, io, exit) => {
  questionCommand(program, resumeQuestion)
    .description("print the agent's own command that resumes a session, in its directory")
    .argument("<session>", "its id, its path, or the beginning of its id")
    .option("--exec", "run it")
    .addHelpText("after", "\nExamples:\n  daybook resume 019e2f1c\n  daybook resume 019e2f1c --exec")
    .action(async (target: string, flags: ResumeFlags) => {
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

interface HandoffFlags extends CommonFlags {
  to?: string;
  budget?: string;
}

export const handoff: Register = (program, io, exit) => {
  questionCommand(program, handoffQuestion)
    .description("a brief from which another agent can continue: goal, decisions, state, what failed, with citations")
    .argument("<session[/turn]>", "with a turn: the state at its end")
    .option("--to <agent>", "the agent it is for")
    .option("--budget <tokens>", "its approximate maximum length (default: 6000)")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook handoff 019e2f1c > brief.md\n  daybook handoff 019e2f1c/T0004 --budget 3000",
    )
    .action(async (target: string, flags: HandoffFlags) => {
      const opened = openDaybook(io, flags);
      const { to, redact } = flags;
      const budget = flags.budget === undefined ? undefined : positive(flags.budget, "--budget");
      const view = await opened.daybook.handoff(target, { to, budget, redact });
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, ...view } satisfies HandoffAnswer);
      else printDocument(io, view.markdown);
      if (!opened.json && view.start !== null && flags.quiet !== true)
        io.err(`daybook: saved as brief.md, start it with: ${plain(opened.hide(view.start))}\n`);
      exit(code);
    });
};
