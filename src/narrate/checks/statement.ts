import { nameProblems } from "./names.ts";
import { numberProblems } from "./numbers.ts";
import type { Problem } from "./problem.ts";
import { quoteProblems } from "./quotes.ts";
import type { Scope } from "./scope.ts";
import { successProblems } from "./success-words.ts";

/** All checks of a text that states something. */
export function statementProblems(text: string, scope: Scope, path: string, numbers?: ReadonlySet<string>): Problem[] {
  if (text.trim() === "")
    return [{ rule: "text.blank", path, message: "the text is empty", hint: "say in a sentence what the lines show" }];
  return [
    ...quoteProblems(text, scope, path),
    ...successProblems(text, scope, path),
    ...numberProblems(text, scope, path, numbers),
    ...nameProblems(text, scope, path),
  ];
}
