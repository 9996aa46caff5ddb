import type { Command } from "commander";
import type { FieldTable } from "../../views/query/field.ts";
import { DAYS, LIMIT, MARKS, PLACE, WHERE, type Where } from "../../views/query/fields.ts";
import { collect, fieldFlags, longFlag } from "./flags.ts";

/** For commands that can also be answered from a team store. */
export interface StoreFlags {
  store?: string;
  owner?: string;
}

export function storeFlags(command: Command): Command {
  return command
    .option("--store <url>", "answer from a store (postgres://…) or a team's server (https://…); no local file is read")
    .option("--owner <login>", "with a store: whose sessions (default: [team] owner, else your account name)");
}

/** Flags every reading command takes. */
export interface CommonFlags extends StoreFlags {
  root?: string[];
  home?: string;
  sync?: boolean;
  source?: string[];
  sourceModule?: string[];
  project?: string;
  session?: string;
  since?: string;
  until?: string;
  timezone?: string;
  json?: boolean;
  limit?: string;
  quiet?: boolean;
  color?: boolean;
  redact?: boolean;
  sample?: boolean;
  label?: string[];
  starred?: boolean;
  noted?: boolean;
}

/** The places of sessions and of the book, and the time zone: for commands that are not queries themselves. */
export function placeFlags(command: Command): Command {
  return command
    .option(
      "--root <source=path>",
      "read this directory or file instead of the agent's default places (repeatable); stored only with --home",
      collect,
    )
    .option(
      "--home <dir>",
      "where the book and the index are kept (default: $DAYBOOK_HOME or the platform's data directory)",
    )
    .option("--source <id>", "only this agent (repeatable)", collect)
    .option("--source-module <file>", "a module with a reader for a further agent (repeatable)", collect)
    .option("-z, --timezone <zone>", "IANA time zone for days (default: the system's)")
    .option("-q, --quiet", "no progress, no notes on stderr");
}

/** What a command may refuse: a group of fields, a field, or a flag that changes how it answers. */
type FlagName = "sync" | "project" | "session" | "marks" | "since" | "until" | "json" | "limit" | "redact" | "sample";

/** Flags that change how a question is answered. */
const ANSWER_FLAGS = {
  sync: ["--no-sync", "answer from what was read before; do not look for new files"],
  json: ["-j, --json", "print JSON"],
  redact: ["--no-redact", "do not hide values that look like secrets"],
  sample: ["--sample", "use the bundled sample sessions; your own book is not touched"],
} as const;

/** The fields that nearly every command takes. A command that would ignore one does not accept it. */
export const COMMON: Where & typeof LIMIT = { ...WHERE, ...LIMIT };

export function commonFlags(command: Command, refused: readonly FlagName[] = []): Command {
  placeFlags(command);
  const isRefused = (name: string): boolean => (refused as readonly string[]).includes(name);
  const answerFlag = (name: keyof typeof ANSWER_FLAGS): void => {
    const [flags, about] = ANSWER_FLAGS[name];
    if (!isRefused(name)) command.option(flags, about);
  };
  const fields = (some: FieldTable): void => {
    fieldFlags(command, Object.fromEntries(Object.entries(some).filter(([name]) => !isRefused(name))));
  };
  answerFlag("sync");
  fields(PLACE);
  // A command that does not select by session does not select by marks either.
  if (!isRefused("session") && !isRefused("marks")) fields(MARKS);
  fields(DAYS);
  answerFlag("json");
  fields(LIMIT);
  answerFlag("redact");
  answerFlag("sample");
  return command.option("--no-color", "no colour");
}

/** A question as far as a command needs to know it. */
export interface Asked<Fields extends FieldTable> {
  readonly name: string;
  readonly about: string;
  readonly query: Fields;
}

/** How a command asks its question. */
interface Asking {
  /** It can also be answered from a team store. */
  isOfStore?: boolean;
  /** It is asked where no command is named. */
  isDefault?: boolean;
  /** What the command takes where a flag is not given. */
  defaults?: Readonly<Record<string, string>>;
  /** It does not answer in JSON. */
  isText?: boolean;
}

/** The command of a question: the flags of its query, and what every reading command takes. */
export function questionCommand(
  program: Command,
  { name, about, query }: Asked<FieldTable>,
  { isOfStore = false, isDefault = false, defaults = {}, isText = false }: Asking = {},
): Command {
  const common = Object.keys(COMMON) as (keyof typeof COMMON & FlagName)[];
  const unasked = common.filter((field) => !Object.hasOwn(query, field));
  const refused: readonly FlagName[] = isText ? [...unasked, "json"] : unasked;
  const command = commonFlags(program.command(name, { isDefault }), refused).description(about);
  if (isOfStore) storeFlags(command);
  const own = Object.entries(query).filter(([field]) => !Object.hasOwn(COMMON, field));
  return fieldFlags(command, Object.fromEntries(own), defaults);
}

/** All spellings of the common flags. */
export function commonWords(): readonly string[] {
  return [
    ...Object.values(ANSWER_FLAGS).flatMap(([flags]) => flags.split(/[ ,]+/).filter((word) => word.startsWith("-"))),
    ...Object.entries<FieldTable[string]>(COMMON).flatMap(([name, field]) => [
      longFlag(name, field),
      ...(field.letter === undefined ? [] : [`-${field.letter}`]),
    ]),
  ];
}
