import { inside } from "../../../answers/daybook.ts";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { renderMarkdown } from "../../../render/markdown.ts";
import { renderSessionMarkdown } from "../../../render/session-markdown.ts";
import { renderStandup } from "../../../render/standup.ts";
import { report as question } from "../../../answers/questions/days.ts";
import { type AnswerContext, type Api, paramsOf, sessionParams } from "../route.ts";
import { keyOfSession } from "../../../record/session-key.ts";
import { readShared } from "../shared-session.ts";
import { turnParam } from "./acting.ts";

const text = (kind: string): { description: string; content: Record<string, { schema: { type: "string" } }> } => ({
  description: "",
  content: { [kind]: { schema: { type: "string" } } },
});

const session = createRoute({
  method: "get",
  path: "/sessions/{source}/{session}/export",
  operationId: "getSessionExport",
  summary: "One session, or one turn of it, as a download: the canonical log, an HTML page or Markdown",
  request: {
    params: sessionParams,
    query: z.object({ format: z.enum(["jsonl", "html", "markdown"]).default("jsonl"), turn: turnParam }),
  },
  responses: { 200: text("text/html"), default: text("application/problem+json") },
});

const report = createRoute({
  method: "get",
  path: "/report/export",
  operationId: "getReportExport",
  summary: "The report of a day as a download",
  request: {
    query: z.object({
      ...paramsOf(question.query),
      format: z.enum(["html", "markdown", "standup"]).default("html"),
    }),
  },
  responses: { 200: text("text/html"), default: text("application/problem+json") },
});

/** Downloads. They are sent as attachments, so that the browser does not open them under this origin. */
export function exportRoute(api: Api, { daybook }: AnswerContext): void {
  api.openapi(session, (async (c: Context) => {
    const { source, session: id } = c.req.valid("param" as never) as z.output<typeof sessionParams>;
    const { format, turn } = c.req.valid("query" as never) as { format: "jsonl" | "html" | "markdown"; turn?: string };
    const { head, turns, shown, records } = await readShared(daybook, keyOfSession(source, id), turn);
    const name = turn === undefined ? id : `${id}-${turn}`;
    if (format === "jsonl")
      return download(c, records.map((record) => `${JSON.stringify(record)}\n`).join(""), "jsonl", name);
    if (format === "markdown") return download(c, renderSessionMarkdown(head, { turns, shown }, records), "md", name);
    const { renderSessionHtml } = await import("../../../render/html.ts");
    return download(c, renderSessionHtml(head, { turns, shown }, records, daybook.zone), "html", name);
  }) as never);

  api.openapi(report, (async (c: Context) => {
    const { format, ...query } = c.req.valid("query" as never) as { format: "html" | "markdown" | "standup" };
    const made = await daybook.report(query);
    const name = `daybook-${made.span.since}`;
    if (format === "html") {
      const { renderHtml } = await import("../../../render/html.ts");
      return download(c, renderHtml(made, await inside(daybook).edits(made, query)), "html", name);
    }
    if (format === "markdown") return download(c, renderMarkdown(made), "md", name);
    return download(c, renderStandup(made), "txt", name);
  }) as never);
}

const KINDS = { html: "text/html", md: "text/markdown", txt: "text/plain", jsonl: "application/jsonl" } as const;

function download(c: Context, body: string, ending: keyof typeof KINDS, name: string): Response {
  const safe = name.replaceAll(/[^\w.-]+/g, "-");
  return c.body(body, 200, {
    "content-type": `${KINDS[ending]}; charset=utf-8`,
    "content-disposition": `attachment; filename="${safe}.${ending}"`,
  });
}
