import { z } from "zod";
import type { Field, FieldTable, QueryOf } from "../../views/query/field.ts";

/** Longest text of a field that states none, and the most texts of one. */
const LONGEST = 1000;
const MOST = 10;

/** The inputs of a tool for the fields of a query, by name. */
export type Inputs<Fields> = { [Name in keyof Fields]: z.ZodOptional<z.ZodType<QueryOf<Fields>[Name]>> };

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

function schemaOf({ kind, values = [], longest = LONGEST }: Field): z.ZodType {
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
      return z.array(z.string().max(longest)).max(MOST);
    case "text":
      return z.string().max(longest);
  }
}

/** Where the next page begins. */
export const cursor: z.ZodOptional<z.ZodString> = z.string().max(40).optional().describe("from the page before");
