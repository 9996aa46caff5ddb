import { z } from "zod";
import type { Daybook } from "../../answers/daybook.ts";
import type { Zone } from "../../base/time/zone.ts";
import type { SessionNaming } from "../../answers/lists.ts";
import type { SessionRef } from "../../record/record.ts";
import type { Field, FieldTable, QueryOf } from "../../views/query/field.ts";
import type { Caller } from "./caller.ts";

/** What every tool works with. */
export interface ToolContext {
  daybook: Daybook;
  /** The calling session and its directory. */
  caller: Caller;
}

/** The answer of a tool: `text` may contain anything from sessions, `about` only our own words and numbers. */
export interface ToolAnswer {
  about: string;
  text: string;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  /** Tells a model when to call it. */
  description: string;
  input: Input;
  /** Equal as long as the answer is; null if unknown. Lets answers of many pages be reused. */
  state?: (given: z.output<Input>, asked: ToolContext) => Promise<number | null>;
  answer: (given: z.output<Input>, asked: ToolContext) => Promise<ToolAnswer>;
}

/** Keeps the input type of a tool together with its implementation. */
export function tool<Input extends z.ZodObject>(one: Tool<Input>): Tool {
  return one;
}

/** Longest text of a field that states none, and the most texts of one. */
const LONGEST_TEXT = 1000;
const MOST_TEXTS = 10;

/** The inputs of a tool for the fields of a query, by name. */
type Inputs<Fields> = { [Name in keyof Fields]: z.ZodOptional<z.ZodType<QueryOf<Fields>[Name]>> };

/** The fields of a query as inputs of a tool. Kept short: every model reads every word before it is asked anything. */
export function inputsOf<Fields extends FieldTable>(fields: Fields): Inputs<Fields> {
  const inputs = Object.entries<Field>(fields).map(([name, field]) => [name, inputOf(field)]);
  return Object.fromEntries(inputs) as Inputs<Fields>;
}

/** Some fields of a query: a tool takes what its model has a use for. */
export function only<Fields extends FieldTable, const Name extends keyof Fields>(
  fields: Fields,
  names: readonly Name[],
): Pick<Fields, Name> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<Fields, Name>;
}

function inputOf(field: Field): z.ZodType {
  const { about, mcp = about } = field;
  const schema = schemaOf(field).optional();
  return mcp === "" ? schema : schema.describe(mcp);
}

function schemaOf({ kind, values = [], longest = LONGEST_TEXT }: Field): z.ZodType {
  switch (kind) {
    case "flag":
      return z.boolean();
    case "number":
      return z.number().min(0);
    case "whole":
      return z.number().int().min(1);
    case "choice":
      return z.enum([...values] as [string, ...string[]]);
    case "texts":
      return z.array(z.string().max(longest)).max(MOST_TEXTS);
    case "text":
      return z.string().max(longest);
  }
}

/** Where the next page begins. */
export const cursor: z.ZodOptional<z.ZodString> = z.string().max(40).optional().describe("from the page before");

/** One line of a list: the non-empty parts, joined by dots. */
export function lineOf(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(" · ");
}

/** The citation of a turn, as `read` takes it and people see it; of a session, where the turn is not known. */
export function turnCitation(one: SessionRef & { turn_ref: string | null }, naming: SessionNaming): string {
  return one.turn_ref === null ? naming(one) : `${naming(one)}/${one.turn_ref}`;
}

/** Local time to the minute; null if unknown. */
export function whenOf(zone: Zone, time: string | null): string | null {
  return time === null ? null : zone.clock(Date.parse(time)).slice(0, 16);
}
