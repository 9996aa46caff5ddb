/**
 * One field of a query, described once for every door. Plain data: the small commands start without loading zod, and
 * the type of a query follows from its fields.
 */
export interface Field {
  /** `texts`: several, all of which must match. `whole`: a whole number above 0. */
  readonly kind: "text" | "texts" | "flag" | "number" | "whole" | "choice";
  /** What it does, as the help of a command says it. */
  readonly about: string;
  /** What a choice may be. */
  readonly values?: readonly string[];
  /** Longest text, in characters, that is taken from another program. */
  readonly longest?: number;
  /** What its flag takes, as the help shows it: `--since <day>`. */
  readonly takes?: string;
  /** Its flag, where that is not its name. */
  readonly flag?: string;
  /** The letter of its short flag. */
  readonly letter?: string;
  /** A flag that is on unless it is switched off: `--no-children` on the command line. */
  readonly isOn?: true;
  /** Not a flag of its own on the command line, where a flag of every command has the same effect. */
  readonly isEverywhere?: true;
  /** Where the HTTP API says it in other words. */
  readonly http?: string;
  readonly example?: string;
  /** Between several texts in one parameter of an address; without it there is only one. */
  readonly separator?: ",";
  /** For agents, whose models read every word before they ask anything; "" where the name is enough. */
  readonly mcp?: string;
}

export type FieldTable = Readonly<Record<string, Field>>;

/** The type of a field's value. */
export type ValueOf<F> = F extends { readonly kind: "flag" }
  ? boolean
  : F extends { readonly kind: "number" | "whole" }
    ? number
    : F extends { readonly kind: "texts" }
      ? readonly string[]
      : F extends { readonly kind: "choice"; readonly values: readonly (infer Value)[] }
        ? Value
        : string;

/** The type of a query with these fields. */
export type QueryOf<Fields> = { -readonly [Name in keyof Fields]?: ValueOf<Fields[Name]> | undefined };
