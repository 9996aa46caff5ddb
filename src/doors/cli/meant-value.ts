/** Other names of values. */
export const OTHER_VALUES: Readonly<Record<string, string>> = {
  md: "markdown",
  text: "terminal",
  raw: "jsonl",
  error: "failed",
  errors: "failed",
};

/** What a value of a flag with these values was meant as. */
export function meantValue(given: string, values: readonly string[]): string {
  const other = OTHER_VALUES[given] ?? given;
  return !values.includes(given) && values.includes(other) ? other : given;
}
