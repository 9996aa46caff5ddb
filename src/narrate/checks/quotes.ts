import { plain } from "../../base/text/inert.ts";
import { inQuotes } from "./citations.ts";
import type { Problem } from "./problem.ts";
import { collapseSpace, someTextHolds, type Scope } from "./scope.ts";

/** Text between quotation marks of any language, or in backticks. Apostrophes do not count. */
const QUOTED =
  /"([^"\n]{1,1000})"|“([^”\n]{1,1000})”|„([^“”\n]{1,1000})[“”]|«\s?([^»\n]{1,1000}?)\s?»|「([^」\n]{1,1000})」|『([^』\n]{1,1000})』|`([^`\n]{1,1000})`/gu;

/** Quotes must be verbatim in the cited lines. */
export function quoteProblems(text: string, scope: Scope, path: string): Problem[] {
  return [...text.matchAll(QUOTED)].flatMap((match): Problem[] => {
    const quote = match.slice(1).find((one) => one !== undefined) ?? "";
    if (!/[\p{L}\p{N}]/u.test(quote) || someTextHolds(scope, (said) => holds(said, quote))) return [];
    return [notVerbatim(quote, path)];
  });
}

/** A quoted message must be verbatim in lines that the human wrote. */
export function messageProblems(quote: string, scope: Scope, path: string): Problem[] {
  const said = [...scope.parts()]
    .flatMap(({ lines }) => lines)
    .flatMap(({ by, text }) => (by === "human" ? [text] : []));
  if (collapseSpace(quote) !== "" && holds(collapseSpace(said.join("\n")), quote)) return [];
  return [notVerbatim(quote, path)];
}

/** Punctuation at the end of a quote may belong to the sentence around it. */
function holds(text: string, quote: string): boolean {
  const whole = plain(text);
  const words = plain(collapseSpace(quote));
  return whole.includes(words) || whole.includes(words.replace(/[.,;:!?…]+$/u, ""));
}

function notVerbatim(quote: string, path: string): Problem {
  return {
    rule: "quote.not_verbatim",
    path,
    message: `${inQuotes(quote)} does not stand in the cited lines`,
    hint: "quote letter by letter from the cited lines, or say it without quotation marks",
  };
}
