import { createMcpHandler } from "@modelcontextprotocol/server";
import { McpAnswers, type McpOptions } from "./server.ts";

/** Answers clients over HTTP, each request by itself. Who may ask is decided before. */
export function mcpOverHttp(daybook: McpOptions["daybook"]): (request: Request) => Promise<Response> {
  // Clients of a server that others started work anywhere.
  const answers = new McpAnswers({ daybook, cwd: null, env: {} });
  const handler = createMcpHandler(() => answers.server());
  return (request) => handler.fetch(request);
}
