import { type Command, Option } from "commander";
import { DaybookError } from "../../base/errors.ts";
import { suggestion } from "../../base/text/near.ts";
import type { Field, FieldTable, QueryOf } from "../../views/query/field.ts";
import type { Io } from "./io.ts";
import { meantValue } from "./meant-value.ts";

/** Adds one command to the program. `exit` sets the code the process ends with. */
export type Register = (program: Command, io: Io, exit: (code: number) => void) => void;

/** Error for a value that a flag or argument does not accept, with a suggestion. */
export function unknownValueError(what: string, given: string, known: readonly string[]): DaybookError {
  return usageError(`unknown ${what}: ${given}`, suggestion(given, known));
}

/** Error for flags or arguments that make no sense, with what to do instead. */
export function usageError(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "parse flags", hint });
}

/** The flags of a query, as commander parsed them: by their names in camel case. */
type GivenFlags = Readonly<Record<string, unknown>>;

/** Adds the flags of a query's fields to a command. `defaults`: what this door takes where nothing is given. */
export function fieldFlags(
  command: Command,
  fields: FieldTable,
  defaults: Readonly<Record<string, string>> = {},
): Command {
  for (const [name, field] of Object.entries(fields)) {
    if (field.isEverywhere === true) continue;
    command.addOption(fieldOption(name, field, defaults[name]));
  }
  return command;
}

/** A flag that takes one of these values, which completions offer. */
export class ValuesOption extends Option {
  readonly values: readonly string[];

  constructor(flags: string, about: string, values: readonly string[]) {
    super(flags, about);
    this.values = values;
    if (values.length > 0) this.argParser((given: string) => meantValue(given, values));
  }
}

/** The flag of a field. `usual`: what this door takes where it is not given. */
export function fieldOption(name: string, field: Field, usual?: string): Option {
  const option = new ValuesOption(flagOf(name, field), field.about, field.values ?? []);
  if (field.kind === "texts") option.argParser(collect);
  return usual === undefined ? option : option.default(usual);
}

/** `-s, --since <day>`, `--no-children`. */
function flagOf(name: string, field: Field): string {
  const long = longFlag(name, field);
  const short = field.letter === undefined ? "" : `-${field.letter}, `;
  return field.kind === "flag" ? `${short}${long}` : `${short}${long} <${field.takes ?? name}>`;
}

/** How a field is written on a command line: `--min-cost`. */
export function longFlag(name: string, { flag = name, isOn }: Field): string {
  return `--${isOn === true ? "no-" : ""}${flag.replaceAll("_", "-")}`;
}

/** The query that the flags of a command line ask for. Wrong values are reported before anything is read. */
export function queryFrom<Fields extends FieldTable>(fields: Fields, flags: GivenFlags): QueryOf<Fields> {
  const given = Object.entries<Field>(fields).flatMap(([name, field]) => {
    const value =
      field.isEverywhere === true ? undefined : valueOf(longFlag(name, field), field, flags[keyOf(name, field)]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as QueryOf<Fields>;
}

/** The name under which commander stores a flag. */
function keyOf(name: string, { flag = name }: Field): string {
  const [first = "", ...rest] = flag.split("_");
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function valueOf(flag: string, { kind, values = [], isOn }: Field, given: unknown): unknown {
  // Commander switches a flag on by default if it can only be switched off.
  if (given === undefined || (isOn === true && given === true)) return undefined;
  if (kind === "flag" || (kind === "text" && values.length === 0)) return given;
  const texts = (Array.isArray(given) ? given : [given]).map(String);
  if (values.length > 0)
    for (const text of texts) if (!values.includes(text)) throw unknownValueError(flag.slice(2), text, values);
  if (kind === "texts") return texts;
  const [text = ""] = texts;
  return kind === "number" ? amount(text, flag) : kind === "whole" ? limitOf({ limit: text }, flag) : text;
}

/** For flags that may be given several times. */
export function collect(value: string, list: string[] | undefined): string[] {
  return [...(list ?? []), value];
}

/** 0 means no limit. */
export function limitOf({ limit }: { limit?: string | undefined }, flag = "--limit"): number | undefined {
  return limit === undefined || limit.trim() === "0" ? undefined : positive(limit, flag);
}

export function positive(text: string, flag: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n > 0) return n;
  throw new DaybookError(`${flag} takes a whole number above 0, not ${text}`, { code: "usage", op: "parse flags" });
}

function amount(text: string, flag: string): number {
  const n = Number(text);
  if (text.trim() !== "" && Number.isFinite(n) && n >= 0) return n;
  throw new DaybookError(`${flag} takes a number, not ${text}`, { code: "usage", op: "parse flags" });
}

/** How the filters of a query are written on a command line, for an answer that found nothing. */
export function filterWords(fields: FieldTable, query: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = query[name];
    // A limit and an order leave nothing out; an empty flag neither.
    if (value === undefined || field.kind === "whole" || name === "sort" || name === "order") return [];
    const flag = longFlag(name, field);
    if (field.kind === "flag") return value === (field.isOn !== true) ? [flag] : [];
    return (Array.isArray(value) ? value : [value]).map((one) => `${flag} ${String(one)}`);
  });
}
