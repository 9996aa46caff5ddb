import { plain } from "../../text/inert.ts";
import { shown } from "./citations.ts";
import type { Problem } from "./problem.ts";
import { flat, isSaid, type Scope } from "./scope.ts";

/** What stands between quotation marks of any language, or as code. Apostrophes are none. */
const QUOTED =
  /"([^"\n]{1,1000})"|“([^”\n]{1,1000})”|„([^“”\n]{1,1000})[“”]|«\s?([^»\n]{1,1000}?)\s?»|「([^」\n]{1,1000})」|『([^』\n]{1,1000})』|`([^`\n]{1,1000})`/gu;

/** Quotes are verbatim in the cited lines. */
export function quoteProblems(text: string, scope: Scope, path: string): Problem[] {
  return [...text.matchAll(QUOTED)].flatMap((match): Problem[] => {
    const quote = match.slice(1).find((one) => one !== undefined) ?? "";
    if (!/[\p{L}\p{N}]/u.test(quote) || isSaid(scope, (said) => holds(said, quote))) return [];
    return [notVerbatim(quote, path)];
  });
}

/** The human's own words, letter by letter, on lines of the human's. */
export function messageProblems(quote: string, scope: Scope, path: string): Problem[] {
  const said = [...scope.parts()]
    .flatMap(({ lines }) => lines)
    .flatMap(({ by, text }) => (by === "human" ? [text] : []));
  if (flat(quote) !== "" && holds(flat(said.join("\n")), quote)) return [];
  return [notVerbatim(quote, path)];
}

/** Ends of a quote that belong to the sentence around it do not count. */
function holds(text: string, quote: string): boolean {
  const whole = plain(text);
  const words = plain(flat(quote));
  return whole.includes(words) || whole.includes(words.replace(/[.,;:!?…]+$/u, ""));
}

function notVerbatim(quote: string, path: string): Problem {
  return {
    rule: "quote.not_verbatim",
    path,
    message: `${shown(quote)} does not stand in the cited lines`,
    hint: "quote letter by letter from the cited lines, or say it without quotation marks",
  };
}
