import type { SessionNaming } from "../../../answers/lists.ts";
import {
  inside,
  type InstructionPlace,
  type InstructionPlaces,
  type RecallAnswer,
  type SearchFound,
} from "../../../answers/daybook.ts";
import { marksInBrief } from "../../../views/marks.ts";
import type { SearchAnswer } from "../../../answers/json.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { plural } from "../../../base/text/units.ts";
import { displayWidth, oneLine, wrap } from "../../../base/text/inert.ts";
import { flow, highlightSnippet, tally } from "../layout.ts";
import { search as question } from "../../../answers/questions/texts.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { questionCommand, type CommonFlags } from "../options.ts";
import { recalledLines, verdictLines } from "../recalled.ts";
import { wordingFlags, wordingsFor, type WordingFlags } from "../wordings.ts";
import type { Register } from "../flags.ts";

export const search: Register = (program, io, exit) => {
  wordingFlags(questionCommand(program, question, { isOfStore: true }))
    .description(
      "find words in prompts, replies, reasoning, commands, tool input and output, instructions and notes, in any language; then turns that answer the question in other words",
    )
    .argument("<question...>", 'words, "exact phrases", beginnings*, or a question')
    .addHelpText(
      "after",
      "\nExamples:\n  daybook search flaky test\n  daybook search 'who was charged twice?'\n  daybook search '\"connection reset\"' --kind output --since 7d",
    )
    .action(async (words: string[], flags: CommonFlags & WordingFlags) => {
      const wanted = words.join(" ");
      const opened = openDaybook(io, flags, { question });
      const { daybook, json } = opened;
      const limit = flags.limit?.trim() === "0" ? ALL : opened.query.limit;
      const query = { ...opened.query, limit, redact: flags.redact };
      const { also, words: likely } = await wordingsFor(io, wanted, flags, opened);
      const byMeaning = { cwd: io.cwd, also, likely };
      const found = await daybook.ask("search", { ...query, words: wanted, isCounted: !json, byMeaning });
      const { results, meaning, not_pushed } = found;
      const isEmpty = results.length === 0 && meaning === null;
      const empty = isEmpty ? await opened.emptyText("results") : null;
      const byWords = results.length > 0 && !json ? await resultList(found, io.columns, opened) : "";
      const inOtherWords = meaning !== null && !json ? await meaningList(meaning, results.length > 0, io, opened) : "";
      const text = `${empty === null ? "" : `${empty}\n`}${byWords}${inOtherWords}`;
      const left = notPushedLines(found, io.columns, opened);
      const code = await opened.done();
      if (json)
        printJson(io, {
          schema_version: 1,
          results: [
            ...results.map((one) => ({ ...one, matched: "words" as const })),
            ...(meaning?.results ?? []).map((one) => ({ ...one, matched: "meaning" as const })),
          ],
          ...(meaning ? { answered: meaning.answered } : {}),
          ...(not_pushed ? { not_pushed } : {}),
        } satisfies SearchAnswer);
      else io.out(text + left);
      exit(code);
    });
};

/** What recall found, told apart from what the words did. */
async function meaningList(meaning: RecallAnswer, hasWords: boolean, io: Io, opened: OpenedDaybook): Promise<string> {
  const { paint } = opened;
  const head = hasWords ? "In other words:" : "No text has all these words. In other words:";
  return [
    ...(hasWords ? [""] : []),
    paint.bold(head),
    ...verdictLines(meaning, io.columns).map(paint.yellow),
    ...(await recalledLines(meaning.results, io, opened)),
    "",
  ].join("\n");
}

/** For a team store: the fields that were not searched because they were not pushed. */
function notPushedLines({ not_pushed }: SearchFound, columns: number, { paint }: OpenedDaybook): string {
  if (!not_pushed) return "";
  const { level, fields } = not_pushed;
  // Texts removed by retention are reported elsewhere, for every question to a store.
  if (fields.length === 0) return "";
  const text =
    level === "totals" && fields.length > 2
      ? "Sessions pushed as totals contain no text and cannot be searched."
      : `Not fully pushed, and so not fully searched: ${fields.join(", ")}.`;
  return wrap(text, columns, 3)
    .map((line) => `${paint.dim(line)}\n`)
    .join("");
}

/** Effectively no limit. */
const ALL = 10_000_000;

async function resultList({ results, total }: SearchFound, columns: number, opened: OpenedDaybook): Promise<string> {
  const { daybook, paint } = opened;
  const clock = (time: number): string => daybook.zone.clock(time).slice(0, 16);
  const rows = results.map((result) => ({
    result,
    when: result.time === null ? "" : clock(Date.parse(result.time)),
    // The line of a lost prompt is one of the input history, which is named below it.
    behind: result.lost
      ? ""
      : `${result.turn_ref ? `/${result.turn_ref}` : ""}${result.line === null ? "" : `:${result.line}`}`,
  }));
  const named = results.flatMap((one) => [
    one,
    ...(one.instructions ? [one.instructions.first, one.instructions.last] : []),
  ]);
  const naming = await inside(daybook).naming(named);
  const lines: string[] = [];
  for (const { result, when, behind } of rows) {
    const { kind, marks, instructions, lost } = result;
    const where = `${naming(result)}${behind}`;
    const project = oneLine(result.project, Math.max(8, columns - displayWidth(`${when} ${kind} ${where}`) - 1));
    const head = when === "" ? "" : `${paint.dim(when)} `;
    lines.push(`${head}${paint.cyan(project)} ${paint.magenta(kind)} ${paint.dim(where)}`);
    for (const line of highlightSnippet(result, paint, columns - 2)) lines.push(`  ${line}`);
    // The note itself is already shown as the result.
    const signs = marksInBrief(kind === "note" && marks ? { ...marks, notes: [] } : marks);
    for (const line of flow(signs, columns - 2)) lines.push(`  ${paint.yellow(line)}`);
    const given = instructions ? wrap(instructionLine(instructions, clock, naming), columns - 2, 4) : [];
    const only = `only in ${result.session_path}:${result.line}: its session has no transcript`;
    for (const line of lost ? wrap(only, columns - 2, 4) : []) lines.push(`  ${paint.dim(line)}`);
    for (const line of given) lines.push(`  ${paint.dim(line)}`);
  }
  return [...lines, "", paint.dim(tally(results.length, total, "result")), ""].join("\n");
}

/** Where one instruction text was in force: one line, however many sessions had it. */
function instructionLine(
  { kind, path, hash, sessions, first, last }: InstructionPlaces,
  clock: (time: number) => string,
  naming: SessionNaming,
): string {
  const at = (place: InstructionPlace): string =>
    `${place.time === null ? "" : `${clock(Date.parse(place.time))} `}${naming(place)}:${place.line}`;
  const places = sessions === 1 && first.line === last.line ? at(last) : `first ${at(first)}, last ${at(last)}`;
  return `${path ?? kind} (${hash.slice(0, 12)}), ${plural(sessions, "session")}: ${places}`;
}
