import { join } from "node:path";
import type { McpClient } from "../contract.ts";

/**
 * A server's environment holds the id of the session that started it. `/clear` begins another session and keeps the
 * server. A call's metadata holds only the id of the call, which is in no file yet (both seen in 2.1.325).
 */
export const mcp: McpClient = {
  name: "claude-code",
  variables: ["CLAUDE_CONFIG_DIR"],
  servers: {
    files: (env, home) => [join(env["CLAUDE_CONFIG_DIR"]?.trim() || home, ".claude.json")],
    form: "json",
    key: "mcpServers",
    entry: ([command, ...args], env) => ({ type: "stdio", command, args, env }),
  },
  startedBy: (env) => env["CLAUDE_CODE_SESSION_ID"]?.trim() || null,
};
