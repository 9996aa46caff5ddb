import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { DecisionCheckAnswer } from "../../../../answers/json.ts";
import { checkQuestion } from "../../../../teach/check.ts";
import type { Io } from "../../io.ts";
import { printJson } from "../../json.ts";
import { slugHere, stateFlags, stateOf, type StateFlags } from "../../teaching-flags.ts";
import { plain } from "../../text.ts";

interface Flags extends StateFlags {
  summary?: string;
  summaryStdin?: boolean;
  skill?: string;
  category?: string;
}

export function checkCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  stateFlags(decisions.command("check"))
    .description("whether a question should be asked: prints ASK_NORMALLY or AUTO_DECIDE")
    .argument("<id>", "the question's id, from its marker")
    .option("--summary <text>", "the text of the question: irreversible actions are recognised by it too")
    .option("--summary-stdin", "the same, from stdin")
    .option("--skill <name>", "the skill that asks")
    .option("--category <name>", "approval, clarification, routing, cherry-pick or feedback-loop")
    .option("-j, --json", "print JSON")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook decisions check ship-todos-create\n  echo "Drop the old table?" | daybook decisions check ship-cleanup --summary-stdin',
    )
    .action((id: string, flags: Flags) => {
      const state = stateOf(io, flags);
      const summary = flags.summary ?? (flags.summaryStdin === true ? piped(io) : null);
      const asking = { question_id: id, skill: flags.skill, category: flags.category, summary };
      const { problem, ...checked } = checkQuestion(asking, state, slugHere(io, state));
      if (flags.json === true) printJson(io, { schema_version: 1, ...checked } satisfies DecisionCheckAnswer);
      else io.out(`${checked.verdict}\n${checked.note === null ? "" : `NOTE: ${checked.note}\n`}`);
      if (problem !== null) io.err(`daybook: unreadable: ${plain(problem)}\n`);
      exit(problem === null ? 0 : 3);
    });
}

function piped(io: Io): string {
  if (io.stdin) return io.stdin();
  // On a terminal there is no piped text: treat it as empty instead of waiting for input.
  return io.inIsTerminal === true ? "" : readFileSync(0, "utf8");
}
