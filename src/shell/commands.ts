import { scriptedCommands } from "../text/input-summary.ts";
import { programOf, scriptOf } from "./ran.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where a tool that works on one file names it. */
export const PATHS: readonly string[] = [
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "notebook_path",
  "target_file",
  "filename",
];

/** The shell commands of a call, each as a text or as words: its own, or those a script tool would run. */
export function commandsOf(name: string, input: unknown): (string | readonly string[])[] {
  if (typeof input === "string") return /(?:^|[._])exec$/.test(name) ? scriptedCommands(input) : [];
  const fields = fieldsOf(input);
  // An editor's `command` says what to do with a file; a shell's names none beside it.
  if (textIn(fields, PATHS) !== null) return [];
  for (const key of ["command", "cmd", "script"]) {
    const value = fields[key];
    if (typeof value === "string") return [value];
    if (Array.isArray(value) && value.every((word) => typeof word === "string")) return [value];
  }
  return [];
}

/** The shell commands of a call as one text; empty when it runs none. */
export function commandText(name: string, input: unknown): string {
  return commandsOf(name, input)
    .map((command) => (typeof command === "string" ? command : textOfWords(command)))
    .join("\n");
}

function textOfWords(words: readonly string[]): string {
  const { program, args } = programOf(words);
  return scriptOf(program, args, []) ?? words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

export function fieldsOf(input: unknown): Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};
}

/** The first of these fields that holds a text. */
export function textIn(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}
