import { z } from "@hono/zod-openapi";
import type { Field, FieldTable, QueryOf } from "../../views/query/field.ts";

/** Longest text of a field that states none. */
const LONGEST = 1000;

/** A boolean in a query: `true` or `1`. */
export const flag: z.ZodOptional<
  z.ZodPipe<z.ZodEnum<Record<"true" | "false" | "1" | "0", string>>, z.ZodTransform<boolean, string>>
> = z
  .enum({ true: "true", false: "false", 1: "1", 0: "0" })
  .transform((text) => text === "true" || text === "1")
  .optional();

/** The parameters of an address for the fields of a query, by name. */
export type Params<Fields> = { [Name in keyof Fields]: z.ZodType<QueryOf<Fields>[Name]> };

/** The fields of a query as parameters of an address, with their values checked. */
export function paramsOf<Fields extends FieldTable>(fields: Fields): Params<Fields> {
  const params = Object.entries<Field>(fields).map(([name, field]) => [name, paramOf(field)]);
  return Object.fromEntries(params) as Params<Fields>;
}

function paramOf(field: Field): z.ZodType {
  const { about, http = capital(about), example } = field;
  return schemaOf(field).openapi({ description: http, ...(example === undefined ? {} : { example }) });
}

function schemaOf({ kind, values = [], longest = LONGEST, separator }: Field): z.ZodType {
  const text = z.string().max(longest);
  switch (kind) {
    case "flag":
      return flag;
    case "number":
      return z.coerce.number().min(0).optional();
    case "whole":
      return z.coerce.number().int().min(1).optional();
    case "choice":
      return z.enum([...values] as [string, ...string[]]).optional();
    case "texts":
      return text.transform((given) => (separator === undefined ? [given] : given.split(separator))).optional();
    case "text":
      return text.optional();
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
