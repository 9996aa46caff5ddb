import { join } from "node:path";
import type { McpClient } from "../contract.ts";

export const mcp: McpClient = {
  variables: ["QWEN_HOME"],
  servers: {
    files: (env, home) => [join(env["QWEN_HOME"]?.trim() || join(home, ".qwen"), "settings.json")],
    form: "json",
    key: "mcpServers",
    entry: ([command, ...args], env) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }),
  },
};
