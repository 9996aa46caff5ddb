import type { Handler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { Daybook } from "../../daybook.ts";

/** The server for agents, over HTTP. Loaded by the first that asks: most who look at the page have none. */
export function mcpRoute(daybook: Daybook): Handler {
  let answering: Promise<(request: Request) => Promise<Response>> | null = null;
  return async (c) => {
    answering ??= import("../../mcp/http.ts").then(({ mcpOverHttp }) => mcpOverHttp(daybook));
    const answer = await (await answering)(c.req.raw);
    // With the headers that every answer has.
    return c.newResponse(answer.body, answer.status as StatusCode, Object.fromEntries(answer.headers));
  };
}
