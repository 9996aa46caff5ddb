import { marksInBrief } from "../../../views/marks.ts";
import { type Daybook, inside, type RecallAnswer, type RecallResult } from "../../../answers/daybook.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { plural } from "../../../base/text/units.ts";
import { displayWidth, oneLine, plain, wrap } from "../../../base/text/inert.ts";
import { fittingIds, flow, highlightSnippet } from "../layout.ts";
import { recall as asked } from "../../../answers/questions/texts.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import { collect, type Register } from "../flags.ts";

interface Flags extends CommonFlags {
  cwd?: string;
  exclude?: string[];
  also?: string[];
  words?: string;
}

export const recall: Register = (program, io, exit) => {
  questionCommand(program, asked)
    .description("ask a question, in any words: the turns that answer it best, and whether any does")
    .argument("<question...>", "as you would ask a colleague")
    .option("--cwd <dir>", "turns of the project in this directory come first (default: the current one)")
    .option("--exclude <session>", "leave this session out (repeatable)", collect)
    .option("--also <question>", "the same question in other words (repeatable)", collect)
    .option("--words <words>", "words that the answer probably contains")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook recall "why did we put the keys in postgres?"\n  daybook recall "who held the terraform lock" --since 14d --json',
    )
    .action(async (words: string[], flags: Flags) => {
      const opened = openDaybook(io, flags, { question: asked });
      const { daybook, query, json } = opened;
      const limit = flags.limit?.trim() === "0" ? ALL : query.limit;
      const options = {
        ...query,
        limit,
        cwd: flags.cwd ?? io.cwd,
        excludeSessions: flags.exclude,
        also: flags.also,
        words: flags.words?.split(/[\s,]+/),
        redact: flags.redact,
      };
      const answer = await daybook.recall(words.join(" "), options);
      const empty = answer.results.length === 0 ? await opened.emptyText("turns") : null;
      const ids = json ? [] : await idsOf(answer.results, io.columns, opened);
      const code = await opened.done();
      if (json) printJson(io, answer);
      else if (empty !== null) io.out(`${empty}\n`);
      else print(io, answer, ids, opened);
      exit(code);
    });
};

/** Effectively no limit: more than recall ever compares. */
const ALL = 10_000;

const VERDICTS: Readonly<Record<string, string>> = {
  true: "",
  unsure: "Not sure whether any of these answers it.",
  false: "Nothing here answers that.",
};

function whenOf({ time }: RecallResult, { zone }: Daybook): string {
  return time === null ? "" : zone.clock(Date.parse(time)).slice(0, 16);
}

function placeOf({ turn_ref, line }: RecallResult, id: string): string {
  return `${id}/${turn_ref}:${line}`;
}

async function idsOf(results: readonly RecallResult[], columns: number, { daybook }: OpenedDaybook): Promise<string[]> {
  const given = results.map((one) => {
    const { session_id: id, project, source } = one;
    const head = `${whenOf(one, daybook)} ${project} ${source} ${placeOf(one, id)}`;
    return { id, isFitting: displayWidth(head) <= columns };
  });
  return fittingIds(given, () => inside(daybook).sessionIds());
}

function print(io: Io, answer: RecallAnswer, ids: readonly string[], { daybook, paint }: OpenedDaybook): void {
  const said = VERDICTS[String(answer.answered)] ?? "";
  const missing =
    answer.missing.length === 0 ? "" : `Not found in any of them: ${answer.missing.map(plain).join(", ")}.`;
  const head = [said, missing].filter((part) => part !== "" && answer.answered !== true).join(" ");
  if (head !== "") io.out(`${wrap(head, io.columns, 4).map(paint.yellow).join("\n")}\n\n`);
  for (const [i, one] of answer.results.entries()) {
    const when = whenOf(one, daybook);
    const where = placeOf(one, ids[i] ?? "");
    const project = oneLine(one.project, Math.max(8, io.columns - displayWidth(`${when} ${one.source} ${where}`) - 1));
    io.out(`${paint.dim(when)} ${paint.cyan(project)} ${paint.magenta(one.source)} ${paint.dim(where)}\n`);
    io.out(`  ${paint.bold(oneLine(plain(one.request), io.columns - 2))}\n`);
    if (one.result !== null) io.out(`  ${oneLine(`→ ${plain(one.result)}`, io.columns - 2)}\n`);
    if (!isShown(one)) for (const line of highlightSnippet(one, paint, io.columns - 4)) io.out(`    ${line}\n`);
    for (const line of flow(marksInBrief(one.marks), io.columns - 2)) io.out(`  ${paint.yellow(line)}\n`);
    const found = flow(reasons(one), io.columns - 4);
    for (const line of found) io.out(`    ${paint.dim(line)}\n`);
  }
  io.out(`\n${paint.dim(`${plural(answer.results.length, "turn")}; daybook show SESSION/TURN opens one`)}\n`);
}

/** Whether the best matching place is the request or its result, both of which are printed above it. */
function isShown({ snippet, request, result }: RecallResult): boolean {
  const flat = snippet.replace(/\s+/g, " ").trim();
  return request.startsWith(flat) || (result ?? "").startsWith(flat);
}

/** For example `charged (prompt)` or `billed → charged (prompt)`. */
function reasons({ why }: RecallResult): string[] {
  return why.map(({ word, found, field }) =>
    word.toLowerCase() === found.toLowerCase()
      ? `${plain(found)} (${field})`
      : `${plain(word)} → ${plain(found)} (${field})`,
  );
}
