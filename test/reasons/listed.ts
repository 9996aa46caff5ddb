/** A record that is nested deeper than any genuine record. */
export const DEEP: string = `{"deep":${"[".repeat(3000)}${"]".repeat(3000)}}`;

/** A small session file for rules that no fixture triggers. Strings are written unchanged, objects as JSON. */
export interface SmallFile {
  name: string;
  lines: readonly (object | string)[];
  /** False leaves the last line without a line feed, as after a kill. */
  ended?: false;
}

/** The rules of one source, and the files that trigger them. */
export interface Listed {
  /** All rules, of its reader. */
  reasons: readonly string[];
  /** The directory of the FORMAT.md that lists the rules. */
  folder: string;
  /** First word of the rule names, such as `codex`. */
  prefix: string;
  /** Matches the names of its fixture directories. */
  fixtures: RegExp;
  files: readonly SmallFile[];
  /** Writes databases, which are not files of lines. */
  make?(root: string): void;
  /** Rules that neither the files nor the fixtures trigger, with the reason. */
  unreached: Readonly<Record<string, string>>;
}
