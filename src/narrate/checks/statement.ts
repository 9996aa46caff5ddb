import { nameProblems } from "./names.ts";
import { numberProblems } from "./numbers.ts";
import type { Problem } from "./problem.ts";
import { quoteProblems } from "./quotes.ts";
import type { Scope } from "./scope.ts";

/**
 * All checks of prose: quotes, numbers and names are in the lines it cites. What it claims is not judged, because only a
 * list of words could: prose is shown as said, and proofs stand beside claims.
 */
export function statementProblems(text: string, scope: Scope, path: string, numbers?: ReadonlySet<string>): Problem[] {
  if (text.trim() === "")
    return [{ rule: "text.blank", path, message: "the text is empty", hint: "say in a sentence what the lines show" }];
  return [
    ...quoteProblems(text, scope, path),
    ...numberProblems(text, scope, path, numbers),
    ...nameProblems(text, scope, path),
  ];
}
