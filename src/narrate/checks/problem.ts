/** Why a statement is not taken, where it stands in the answer, and what would be taken. `rule` is a stable name. */
export interface Problem {
  rule: string;
  path: string;
  message: string;
  hint: string;
}

/** Those of a list that nothing is wrong with. */
export function withoutProblems<T>(list: readonly T[], problems: (i: number) => Problem[]): T[] {
  return list.filter((_, i) => problems(i).length === 0);
}
