import { recall as asked } from "../../../answers/questions/texts.ts";
import { printJson } from "../json.ts";
import { openDaybook } from "../open-daybook.ts";
import { questionCommand, type CommonFlags } from "../options.ts";
import { recalledLines, verdictLines } from "../recalled.ts";
import { wordingFlags, wordingsFor, type WordingFlags } from "../wordings.ts";
import { collect, type Register } from "../flags.ts";
import { plural } from "../../../base/text/units.ts";

interface Flags extends CommonFlags, WordingFlags {
  cwd?: string;
  exclude?: string[];
}

export const recall: Register = (program, io, exit) => {
  wordingFlags(questionCommand(program, asked))
    .description("ask a question, in any words: the turns that answer it best, and whether any does")
    .argument("<question...>", "as you would ask a colleague")
    .option("--cwd <dir>", "turns of the project in this directory come first (default: the current one)")
    .option("--exclude <session>", "leave this session out (repeatable)", collect)
    .addHelpText(
      "after",
      '\nExamples:\n  daybook recall "why did we put the keys in postgres?"\n  daybook recall "who held the terraform lock" --since 14d --json',
    )
    .action(async (words: string[], flags: Flags) => {
      const opened = openDaybook(io, flags, { question: asked });
      const { daybook, query, json, paint } = opened;
      const question = words.join(" ");
      const options = {
        ...query,
        ...(await wordingsFor(io, question, flags, opened)),
        limit: flags.limit?.trim() === "0" ? ALL : query.limit,
        cwd: flags.cwd ?? io.cwd,
        excludeSessions: flags.exclude,
        redact: flags.redact,
      };
      const answer = await daybook.recall(question, options);
      const { results } = answer;
      const empty = results.length === 0 ? await opened.emptyText("requests") : null;
      const lines = json || empty !== null ? [] : await recalledLines(results, io, opened);
      const code = await opened.done();
      const verdict = verdictLines(answer, io.columns).map(paint.yellow);
      const end = paint.dim(`${plural(results.length, "request")}; daybook show SESSION/TURN opens one`);
      if (json) printJson(io, answer);
      else if (empty !== null) io.out(`${empty}\n`);
      else io.out([...verdict, ...(verdict.length > 0 ? [""] : []), ...lines, "", end, ""].join("\n"));
      exit(code);
    });
};

/** Effectively no limit: more than recall ever compares. */
const ALL = 10_000;
