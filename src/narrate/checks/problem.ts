/** Why a statement is rejected, where it is in the answer, and what would be accepted. `rule` is a stable name. */
export interface Problem {
  rule: string;
  path: string;
  message: string;
  hint: string;
}

/** The elements of a list that have no problems. */
export function withoutProblems<T>(list: readonly T[], problems: (i: number) => Problem[]): T[] {
  return list.filter((_, i) => problems(i).length === 0);
}
