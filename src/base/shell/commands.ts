import { fieldsOf } from "../io/json.ts";
import { scriptedCommands } from "../text/input-summary.ts";
import { programOf, scriptOf } from "./program-runs.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Input fields in which tools that work on one file name its path. */
export const PATHS: readonly string[] = [
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "notebook_path",
  "target_file",
  "filename",
];

/** The shell commands of a tool call, each as one text or as a list of words: its own, or those in a script it runs. */
export function commandsOf(name: string, input: unknown): (string | readonly string[])[] {
  if (typeof input === "string") return /(?:^|[._])exec$/.test(name) ? scriptedCommands(input) : [];
  const fields = fieldsOf(input);
  // The `command` of an editor tool is an edit operation; shell tools have no path field beside it.
  if (textIn(fields, PATHS) !== null) return [];
  for (const key of ["command", "cmd", "script"]) {
    const value = fields[key];
    if (typeof value === "string") return [value];
    if (Array.isArray(value) && value.every((word) => typeof word === "string")) return [value];
  }
  return [];
}

/** The shell commands of a tool call as one text; empty when it runs none. */
export function commandText(name: string, input: unknown): string {
  return commandsOf(name, input)
    .map((command) => (typeof command === "string" ? command : textOfWords(command)))
    .join("\n");
}

function textOfWords(words: readonly string[]): string {
  const { program, args } = programOf(words);
  return scriptOf(program, args, []) ?? words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

/** The value of the first of these fields that holds a non-empty text. */
export function textIn(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}
