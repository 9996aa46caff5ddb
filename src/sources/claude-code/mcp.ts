import type { McpClient } from "../contract.ts";

/** The session's id is in the environment of a server; after `/clear` it is that of the session before (seen in 2.1.325). */
export const mcp: McpClient = {
  name: "claude-code",
  callers: (env) => [env["CLAUDE_CODE_SESSION_ID"]].filter((id) => id !== undefined),
};
