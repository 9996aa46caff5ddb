import { type Daybook, inside, type RecallAnswer, type RecallResult } from "../../answers/daybook.ts";
import { marksInBrief } from "../../views/marks.ts";
import type { Io } from "./io.ts";
import { flow, highlightSnippet } from "./layout.ts";
import type { OpenedDaybook } from "./open-daybook.ts";
import { displayWidth, plain, oneLine, wrap } from "../../base/text/inert.ts";

const VERDICTS: Readonly<Record<string, string>> = {
  true: "",
  unsure: "Not sure whether any of these answers it.",
  false: "Nothing here answers that.",
};

/** What is to be known before one reads the turns; empty if they answer the question. */
export function verdictLines({ answered, missing, embeddings }: RecallAnswer, columns: number): string[] {
  const said = VERDICTS[String(answered)] ?? "";
  const lacking = missing.length === 0 ? "" : `Not found in any of them: ${missing.map(plain).join(", ")}.`;
  const verdict = answered === true ? "" : [said, lacking].filter((part) => part !== "").join(" ");
  return [verdict, embeddings ? embeddingText(embeddings) : ""]
    .filter((text) => text !== "")
    .flatMap((text) => wrap(text, columns, 4));
}

function embeddingText({ model, turns, of, failed }: NonNullable<RecallAnswer["embeddings"]>): string {
  if (failed !== null) return `Only words were compared: ${plain(failed)}.`;
  if (turns >= of) return "";
  return `${turns} of ${of} requests have vectors by ${plain(model)}; daybook sync makes the others.`;
}

/** The turns that recall found, each with why. */
export async function recalledLines(
  results: readonly RecallResult[],
  io: Pick<Io, "columns">,
  { daybook, paint }: Pick<OpenedDaybook, "daybook" | "paint">,
): Promise<string[]> {
  const naming = await inside(daybook).naming(results);
  return results.flatMap((one) => {
    const when = whenOf(one, daybook);
    const where = `${naming(one)}/${one.turn_ref}:${one.line}`;
    const project = oneLine(one.project, Math.max(8, io.columns - displayWidth(`${when} ${one.source} ${where}`) - 1));
    return [
      `${paint.dim(when)} ${paint.cyan(project)} ${paint.magenta(one.source)} ${paint.dim(where)}`,
      `  ${paint.bold(oneLine(plain(one.request), io.columns - 2))}`,
      ...(one.result === null ? [] : [`  ${oneLine(`→ ${plain(one.result)}`, io.columns - 2)}`]),
      ...(isShown(one) ? [] : highlightSnippet(one, paint, io.columns - 4).map((line) => `    ${line}`)),
      ...flow(marksInBrief(one.marks), io.columns - 2).map((line) => `  ${paint.yellow(line)}`),
      ...flow(reasons(one), io.columns - 4).map((line) => `    ${paint.dim(line)}`),
    ];
  });
}

function whenOf({ time }: RecallResult, { zone }: Daybook): string {
  return time === null ? "" : zone.clock(Date.parse(time)).slice(0, 16);
}

/** Whether the best matching place is the request or its result, both of which are printed above it. */
function isShown({ snippet, request, result }: RecallResult): boolean {
  const flat = snippet.replace(/\s+/g, " ").trim();
  return request.startsWith(flat) || (result ?? "").startsWith(flat);
}

/** For example `charged (prompt)` or `billed → charged (prompt)`. */
function reasons({ why, likeness }: RecallResult): string[] {
  const words = why.map(({ word, found, field }) =>
    word.toLowerCase() === found.toLowerCase()
      ? `${plain(found)} (${field})`
      : `${plain(word)} → ${plain(found)} (${field})`,
  );
  return words.length === 0 && likeness !== null ? [`similar in meaning (${likeness.toFixed(2)})`] : words;
}
