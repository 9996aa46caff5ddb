import { SEARCH_KINDS, sourceIds } from "../../../answers/daybook.ts";
import { TOOL_ORDERS } from "../../../views/tool-list.ts";
import { WEEKDAYS } from "../../../base/time/zone.ts";
import { USAGE_WORDS } from "../usage/question.ts";
import { completionScript, SHELLS, treeOf, type KnownWords } from "../completion.ts";
import type { Register } from "../register.ts";
import { unknownValueError } from "../usage-errors.ts";

const words = (): KnownWords => ({
  "--source": sourceIds(),
  "--kind": SEARCH_KINDS,
  "--status": ["ok", "failed", "interrupted", "denied", "pending"],
  "--since": ["today", "yesterday", "7d", "28d"],
  "--until": ["today", "yesterday"],
  "--date": ["today", "yesterday"],
  "report --format": ["terminal", "markdown", "html", "json"],
  "show --format": ["terminal", "markdown", "html", "json", "jsonl"],
  "tools --order": TOOL_ORDERS,
  "usage --order": ["asc", "desc"],
  "usage --by": ["spent", "trigger"],
  "decisions --format": ["question-log"],
  usage: USAGE_WORDS,
  "usage --format": ["table", "json", "ccusage"],
  "usage --mode": ["auto", "calculate", "display"],
  "usage --start-of-week": WEEKDAYS,
  completions: SHELLS,
});

export const completions: Register = (program, io) => {
  program
    .command("completions")
    .description("print a script that lets your shell complete commands and flags")
    .argument("<shell>", SHELLS.join(" | "))
    .addHelpText(
      "after",
      '\nExamples:\n  eval "$(daybook completions bash)"        in ~/.bashrc\n  eval "$(daybook completions zsh)"         in ~/.zshrc, after compinit\n  daybook completions fish | source         in ~/.config/fish/config.fish',
    )
    .action((given: string) => {
      const shell = SHELLS.find((known) => known === given);
      if (!shell) throw unknownValueError("shell", given, SHELLS);
      io.out(completionScript(shell, treeOf(program, words())));
    });
};
