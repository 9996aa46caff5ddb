/** What a person wants to see of an input: the command, the path, else the JSON. */
export function summary(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null)
    return input === undefined || input === null ? "" : JSON.stringify(input);
  for (const key of ["command", "cmd", "file_path", "path", "pattern", "query", "prompt", "description"]) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join(" ");
  }
  return JSON.stringify(input);
}
