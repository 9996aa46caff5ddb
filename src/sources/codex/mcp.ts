import { join } from "node:path";
import type { McpClient } from "../contract.ts";

/** Every call names its thread and the session that contains it (seen in 0.166). The environment holds neither. */
export const mcp: McpClient = {
  name: "codex-mcp-client",
  variables: ["CODEX_HOME"],
  servers: {
    files: (env, home) => [join(env["CODEX_HOME"]?.trim() || join(home, ".codex"), "config.toml")],
    form: "toml",
    key: "mcp_servers",
    // Codex starts servers without its own environment.
    entry: ([command, ...args], env) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }),
  },
  callers: (meta) => [meta["threadId"], meta["sessionId"]].filter((id) => typeof id === "string"),
};
