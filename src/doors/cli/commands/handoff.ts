import type { HandoffAnswer } from "../../../answers/json.ts";
import { printDocument } from "../io.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import { positive } from "../query-flags.ts";
import type { Register } from "../register.ts";
import { plain } from "../text.ts";

interface Flags extends CommonFlags {
  to?: string;
  budget?: string;
}

export const handoff: Register = (program, io, exit) => {
  commonFlags(program.command("handoff"), ["project", "session", "since", "until", "limit"])
    .description("a brief from which another agent can continue: goal, decisions, state, what failed, with citations")
    .argument("<session[/turn]>", "with a turn: the state at its end")
    .option("--to <agent>", "the agent it is for")
    .option("--budget <tokens>", "its approximate maximum length (default: 6000)")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook handoff 019e2f1c > brief.md\n  daybook handoff 019e2f1c/T0004 --budget 3000",
    )
    .action(async (target: string, flags: Flags) => {
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
