import { join } from "node:path";
import type { McpClient } from "../contract.ts";

export const mcp: McpClient = {
  variables: ["COPILOT_HOME"],
  servers: {
    files: (env, home) => [join(env["COPILOT_HOME"]?.trim() || join(home, ".copilot"), "mcp-config.json")],
    form: "json",
    key: "mcpServers",
    entry: ([command, ...args], env) => ({
      type: "local",
      command,
      args,
      tools: ["*"],
      ...(Object.keys(env).length === 0 ? {} : { env }),
    }),
  },
};
