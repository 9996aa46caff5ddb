import { join } from "node:path";
import type { McpClient } from "../contract.ts";

/** Every call says which thread it comes from, and which session that is part of (seen in 0.166). The environment says nothing. */
export const mcp: McpClient = {
  name: "codex-mcp-client",
  variables: ["CODEX_HOME"],
  servers: {
    files: (env, home) => [join(env["CODEX_HOME"]?.trim() || join(home, ".codex"), "config.toml")],
    ...{ form: "toml", key: "mcp_servers" },
    // It starts servers without its own environment.
    entry: ([command, ...args], env) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }),
  },
  callers: (meta) => [meta["threadId"], meta["sessionId"]].filter((id) => typeof id === "string"),
};
