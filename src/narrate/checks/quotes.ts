import { plain } from "../../base/text/inert.ts";
import { inQuotes } from "./citations.ts";
import type { Problem } from "./problem.ts";
import { collapseSpace, someTextHolds, type Scope } from "./scope.ts";

/** The quotation marks of all languages, opening and closing; straight ones and backticks are both. */
const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["`", "`"],
  ["“", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["»", "«"],
  ["‹", "›"],
  ["‚", "‘’"],
  ["‘", "’"],
  ["「", "」"],
  ["『", "』"],
  ["《", "》"],
  ["〈", "〉"],
  ["＂", "＂"],
];
const QUOTED = new RegExp(
  [
    ...PAIRS.map(([open, close]) => `${open}([^${close}\\n]{1,1000})[${close}]`),
    // Straight single quotes are apostrophes as well: only those around words count.
    "(?<![\\p{L}\\p{N}])'([^'\\n]{2,1000})'(?![\\p{L}\\p{N}])",
  ].join("|"),
  "gu",
);

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

/** To the last mark: a mark that belongs to the sentence stands outside of the quotes. */
function holds(text: string, quote: string): boolean {
  return plain(text).includes(plain(collapseSpace(quote)));
}

function notVerbatim(quote: string, path: string): Problem {
  return {
    rule: "quote.not_verbatim",
    path,
    message: `${inQuotes(quote)} does not stand in the cited lines`,
    hint: "quote letter by letter from the cited lines, or say it without quotation marks",
  };
}
