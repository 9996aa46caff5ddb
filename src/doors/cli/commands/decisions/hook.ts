import { resolve } from "node:path";
import type { Command } from "commander";
import { questionHooks } from "../../../../answers/daybook.ts";
import { expandHome, homeDirectoryFor } from "../../../../base/home.ts";
import { installingHooks, uninstallingHooks } from "../../../../teach/install/hook-list.ts";
import { shellQuote } from "../../../../base/text/shell-words.ts";
import { confirmChange, programOf } from "../../config-change.ts";
import type { Io } from "../../io.ts";
import { stateFlags, type StateFlags } from "../../teaching-flags.ts";
import { unknownValueError, usageError } from "../../usage-errors.ts";

interface Flags extends StateFlags {
  install?: boolean;
  uninstall?: boolean;
  yes?: boolean;
}

const HOOKS = ["capture", "enforce"];

export function hookCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  stateFlags(decisions.command("hook"))
    .description("hooks for the questions of Claude Code: record each one, decide those you set to never-ask")
    .argument("[hook]", `${HOOKS.join(" | ")}: run by the agent, with the call on stdin; always ends with 0`)
    .option("--install", "add both to the agent's settings; shows the change to its file and asks first")
    .option("--uninstall", "remove them again")
    .option("--yes", "do not ask")
    .addHelpText("after", "\nExamples:\n  daybook decisions hook --install\n  daybook decisions hook --uninstall")
    .action(async (hook: string | undefined, flags: Flags) => {
      if (hook !== undefined) throw unknownValueError("hook", hook, HOOKS);
      if ((flags.install === true) === (flags.uninstall === true))
        throw usageError("use either --install or --uninstall", "daybook decisions hook --help");
      const hooks = questionHooks();
      if (!hooks)
        throw usageError("no agent has hooks for questions", "daybook decisions stats works from sessions alone");
      const place = { env: io.env, home: homeDirectoryFor("the agent's settings", io.env) };
      const home = flags.home === undefined ? [] : ["--home", resolve(expandHome(flags.home, io.env))];
      const command = (name: string): string =>
        [...programOf(io), "decisions", "hook", name, ...home].map((word) => shellQuote(word)).join(" ");
      const change = flags.install === true ? installingHooks(hooks, place, command) : uninstallingHooks(hooks, place);
      await confirmChange(io, change, flags.yes);
      exit(0);
    });
}
