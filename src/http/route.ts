import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Daybook } from "../daybook.ts";
import type { MarkChoice } from "../answers/marks.ts";
import type { ApiAnswers } from "./answers.ts";
import type { ChangeListeners } from "./change-listeners.ts";

/** What every route works with. */
export interface Served {
  daybook: Daybook;
  /** The clock, in ms. */
  now: () => number;
  version: string;
  sample: boolean;
  changes: ChangeListeners;
  /** For whom a question may be asked of what looks like a secret. */
  pageToken: string;
}

/** One question of the API: what it takes, what it answers with, and how the answer is found. */
export interface Question<
  Query extends z.ZodObject,
  Params extends z.ZodObject,
  Name extends keyof ApiAnswers,
  Body extends z.ZodObject,
> {
  path: string;
  method?: "get" | "post";
  /** One line for the document. */
  summary: string;
  query?: Query;
  params?: Params;
  /** What is sent with it. */
  body?: Body;
  answer: Name;
  ask: (given: {
    query: z.output<Query>;
    params: z.output<Params>;
    body: z.output<Body>;
    /** What may be sent of a value: secrets are hidden unless the page's reader asked for them. */
    hide: <T>(value: T) => T;
    /** The same, as the façade takes it. */
    redact: boolean;
  }) => Promise<ApiAnswers[Name]>;
}

export type Api = OpenAPIHono;

const PROBLEM = {
  description: "Why it could not be answered",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** Adds a question to the API and to its document. What it takes is checked before it is asked. */
export function answer<
  Query extends z.ZodObject,
  Params extends z.ZodObject,
  Name extends keyof ApiAnswers,
  Body extends z.ZodObject,
>(api: Api, served: Served, question: Question<Query, Params, Name, Body>): void {
  const { path, method = "get", summary, query, params, body, answer: name, ask } = question;
  const route = createRoute({
    ...{ method, path, summary, operationId: operationOf(method, path) },
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
    const hide = <T>(value: T): T => (reveal ? value : served.daybook.redactor.all(value));
    const given = {
      query: c.req.valid("query" as never) as z.output<Query>,
      params: c.req.valid("param" as never) as z.output<Params>,
      body: c.req.valid("json" as never) as z.output<Body>,
      ...{ hide, redact: !reveal },
    };
    return c.json(await ask(given));
    // The answer's type is held by `ask`; the library would take it from a schema that is made at run time.
  }) as never);
}

/** `GET /sessions/{id}/records` is `getSessionsIdRecords`. */
function operationOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

const MOST = 500;
type Text = z.ZodOptional<z.ZodString>;
const day: z.ZodString = z
  .string()
  .max(40)
  .openapi({ example: "2026-05-12", description: "A day: YYYY-MM-DD, today, yesterday, 28d" });

/** What nearly every list takes. */
export const narrowed: { project: Text; since: Text; until: Text } = {
  project: z.string().max(500).optional().openapi({ description: "Name, key or directory of a project" }),
  since: day.optional(),
  until: day.optional(),
};

/** A flag in a query: `true` or `1`. */
export const flag: z.ZodOptional<
  z.ZodPipe<z.ZodEnum<Record<"true" | "false" | "1" | "0", string>>, z.ZodTransform<boolean, string>>
> = z
  .enum({ true: "true", false: "false", 1: "1", 0: "0" })
  .transform((text) => text === "true" || text === "1")
  .optional();

/** What lists of sessions and turns are chosen by that people put on them. */
export const marked: { label: Text; starred: typeof flag; noted: typeof flag } = {
  label: z.string().max(600).optional().openapi({ description: "A label they carry: `KEY` or `KEY=VALUE`" }),
  starred: flag,
  noted: flag.openapi({ description: "Only what has a note" }),
};

/** The same as the façade takes it. */
export function marksIn(query: {
  label?: string | undefined;
  starred?: boolean | undefined;
  noted?: boolean | undefined;
}): MarkChoice {
  const { label, starred, noted } = query;
  return { ...(label === undefined ? {} : { label: [label] }), starred, noted };
}

export const paged: { limit: z.ZodDefault<z.ZodCoercedNumber>; cursor: Text } = {
  limit: z.coerce.number().int().min(1).max(MOST).default(100),
  cursor: z.string().max(500).optional().openapi({ description: "`next_cursor` of the page before" }),
};

/** One session, by its source and its id or the beginning of it. */
export const oneSession: z.ZodObject<{ source: z.ZodString; session: z.ZodString }> = z.object({
  source: z.string().max(40),
  session: z.string().max(1000),
});
