import type { Handler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { AnswerContext } from "../route.ts";

/** The MCP server over HTTP. Loaded by the first request: most users of the page have no MCP client. */
export function mcpRoute({ daybook, freshen }: AnswerContext): Handler {
  let answering: Promise<(request: Request) => Promise<Response>> | null = null;
  return async (c) => {
    answering ??= import("../../mcp/http.ts").then(({ mcpOverHttp }) => mcpOverHttp(daybook, freshen));
    const answer = await (await answering)(c.req.raw);
    // A new response, with the headers that all answers have.
    return c.newResponse(answer.body, answer.status as StatusCode, Object.fromEntries(answer.headers));
  };
}
