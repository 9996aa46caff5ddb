/** A tool call's input as shown to people: the command or the path if there is one, else the JSON. */
export function inputSummary(input: unknown): string {
  if (typeof input === "string") {
    const commands = scriptedCommands(input);
    return commands.length > 0 ? commands.join("; ") : input;
  }
  if (typeof input !== "object" || input === null)
    return input === undefined || input === null ? "" : JSON.stringify(input);
  for (const key of ["command", "cmd", "file_path", "path", "pattern", "query", "prompt", "description"]) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join(" ");
  }
  return JSON.stringify(input);
}

const SCRIPTED =
  /\btools\.\w{1,60}\(\s{0,20}\{[^{}"']{0,200}["']?(?:cmd|command)["']?\s{0,4}:\s{0,4}("(?:[^"\\\n]|\\.){1,16000}")/g;

/** The shell commands in a script: some agents let the model write a program that calls their tools. */
export function scriptedCommands(code: string): string[] {
  if (!code.includes("tools.")) return [];
  return [...code.matchAll(SCRIPTED)].flatMap(([, literal = ""]) => {
    try {
      return [String(JSON.parse(literal))];
    } catch {
      return [];
    }
  });
}
