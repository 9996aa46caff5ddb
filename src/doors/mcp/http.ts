import { createMcpHandler } from "@modelcontextprotocol/server";
import { McpAnswers, type McpOptions } from "./server.ts";

/** Answers clients over HTTP, each request by itself. Access is checked before. */
export function mcpOverHttp(
  daybook: McpOptions["daybook"],
  freshen: McpOptions["freshen"],
): (request: Request) => Promise<Response> {
  // Over HTTP the client's directory is unknown.
  const answers = new McpAnswers({ daybook, cwd: null, env: {}, freshen });
  const handler = createMcpHandler(() => answers.server());
  return (request) => handler.fetch(request);
}
