import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Daybook, Freshness } from "../../answers/daybook.ts";
import type { Field, FieldTable, QueryOf } from "../../views/query/field.ts";
import { DAYS, PLACE } from "../../views/query/fields.ts";
import type { ApiAnswers } from "./answers.ts";
import type { Terminal } from "./terminal.ts";
import type { ChangeListeners } from "./routes/events.ts";

/** Longest text of a field that states none. */
const LONGEST_TEXT = 1000;

/** A boolean in a query: `true` or `1`. */
export const flag: z.ZodOptional<
  z.ZodPipe<z.ZodEnum<Record<"true" | "false" | "1" | "0", string>>, z.ZodTransform<boolean, string>>
> = z
  .enum({ true: "true", false: "false", 1: "1", 0: "0" })
  .transform((text) => text === "true" || text === "1")
  .optional();

/** The parameters of an address for the fields of a query, by name. */
type Params<Fields> = { [Name in keyof Fields]: z.ZodType<QueryOf<Fields>[Name]> };

/** The fields of a query as parameters of an address, with their values checked. */
export function paramsOf<Fields extends FieldTable>(fields: Fields): Params<Fields> {
  const params = Object.entries<Field>(fields).map(([name, field]) => [name, paramOf(field)]);
  return Object.fromEntries(params) as Params<Fields>;
}

function paramOf(field: Field): z.ZodType {
  const { about, http = capital(about), example } = field;
  return schemaOf(field).openapi({ description: http, ...(example === undefined ? {} : { example }) });
}

function schemaOf({ kind, values = [], longest = LONGEST_TEXT, separator }: Field): z.ZodType {
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

/** What answers to questions need. */
export interface AnswerContext {
  daybook: Daybook;
  /** The clock, in ms. */
  now: () => number;
  version: string;
  sample: boolean;
  /** In which a session may be resumed, if the user allowed it in the settings. */
  terminal: Terminal | null;
  /** Allows requests to ask for unredacted values. */
  pageToken: string;
  /** Whether new files are being read into the book. */
  isSyncing: () => boolean;
  /** Looks for changed files and has them read. */
  freshen: () => Promise<Freshness>;
}

/** What all routes have in common. */
export interface ServerContext extends AnswerContext {
  changes: ChangeListeners;
}

/** One route of the API: its parameters, its answer, and how the answer is found. */
interface RouteDefinition<
  Query extends z.ZodObject,
  Params extends z.ZodObject,
  Name extends keyof ApiAnswers,
  Body extends z.ZodObject,
> {
  path: string;
  method?: "get" | "post";
  /** One line for the API document. */
  summary: string;
  query?: Query;
  params?: Params;
  /** The request body. */
  body?: Body;
  answer: Name;
  ask: (given: {
    query: z.output<Query>;
    params: z.output<Params>;
    body: z.output<Body>;
    /** False when the reader of the page asked to see secrets; an option of the façade. */
    redact: boolean;
  }) => Promise<ApiAnswers[Name]>;
}

export type Api = OpenAPIHono;

const PROBLEM = {
  description: "Why it could not be answered",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** Adds a route to the API and to its document. Parameters are validated first. */
export function addRoute<
  Query extends z.ZodObject,
  Params extends z.ZodObject,
  Name extends keyof ApiAnswers,
  Body extends z.ZodObject,
>(api: Api, served: AnswerContext, question: RouteDefinition<Query, Params, Name, Body>): void {
  const { path, method = "get", summary, query, params, body, answer: name, ask } = question;
  const route = createRoute({
    method,
    path,
    summary,
    operationId: operationOf(method, path),
    request: {
      ...(query ? { query } : {}),
      ...(params ? { params } : {}),
      ...(body ? { body: { required: true, content: { "application/json": { schema: body } } } } : {}),
    },
    responses: {
      200: { description: "", content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
      default: PROBLEM,
    },
  });
  api.openapi(route, (async (c: Context) => {
    const reveal = c.get("reveal") === true;
    const given = {
      query: c.req.valid("query" as never) as z.output<Query>,
      params: c.req.valid("param" as never) as z.output<Params>,
      body: c.req.valid("json" as never) as z.output<Body>,
      redact: !reveal,
    };
    const found = await ask(given);
    // Here, so that no route can forget it.
    return c.json(reveal ? found : served.daybook.redactor.all(found));
    // The type is checked by `ask`; the library would derive it from a schema that is created at run time.
  }) as never);
}

/** `GET /sessions/{id}/records` becomes `getSessionsIdRecords`. */
function operationOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

const MAX_PAGE_ITEMS = 500;

/** Which project and days: what parts of the page are about. */
const { project } = PLACE;
export const commonFilters: Params<Pick<typeof PLACE, "project"> & typeof DAYS> = paramsOf({ project, ...DAYS });

export const pageParams: { limit: z.ZodDefault<z.ZodCoercedNumber>; cursor: z.ZodOptional<z.ZodString> } = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_ITEMS).default(100),
  cursor: z.string().max(500).optional().openapi({ description: "`next_cursor` of the previous page" }),
};

/** One session, by its source and its id or a prefix of it. */
export const sessionParams: z.ZodObject<{ source: z.ZodString; session: z.ZodString }> = z.object({
  source: z.string().max(40),
  session: z.string().max(1000),
});
