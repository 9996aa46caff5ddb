import type { McpClient } from "../contract.ts";

/** Every call says which thread it comes from, and which session that is part of (seen in 0.166). The environment says nothing. */
export const mcp: McpClient = {
  name: "codex-mcp-client",
  callers: (_, meta) => [meta["threadId"], meta["sessionId"]].filter((id) => typeof id === "string"),
};
