/** A record that is nested deeper than any genuine one. */
export const DEEP: string = `{"deep":${"[".repeat(3000)}${"]".repeat(3000)}}`;

/** A session of a few lines, written to reach rules that no fixture does. A string is written as it is. */
export interface SmallFile {
  name: string;
  lines: readonly (object | string)[];
  /** False leaves the last line without its end, as a kill does. */
  ended?: false;
}

/** The rules of one source, and how they are reached. */
export interface Listed {
  /** As in its `reasons.ts`. */
  reasons: readonly string[];
  /** The folder of its FORMAT.md, which lists them. */
  folder: string;
  /** How its rules are called: `codex.…`. */
  prefix: string;
  /** Its folders among the fixtures begin like this. */
  fixtures: RegExp;
  files: readonly SmallFile[];
  /** Writes what is no file of lines: databases. */
  make?(root: string): void;
  /** Rules that nothing here can reach, each with why. */
  unreached: Readonly<Record<string, string>>;
}
