import { join } from "node:path";
import type { McpClient } from "../contract.ts";

export const mcp: McpClient = {
  variables: ["GEMINI_CLI_HOME"],
  servers: {
    files: (env, home) => [join(env["GEMINI_CLI_HOME"]?.trim() || home, ".gemini", "settings.json")],
    form: "json",
    key: "mcpServers",
    entry: ([command, ...args], env) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }),
  },
};
