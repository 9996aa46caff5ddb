import { join } from "node:path";
import type { McpClient } from "../contract.ts";

/** Neither a server's environment nor a call names the session (seen in 1.18.33). */
export const mcp: McpClient = {
  name: "opencode",
  variables: ["OPENCODE_DB", "XDG_DATA_HOME"],
  servers: {
    files: (env, home) => {
      const dir = join(env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config"), "opencode");
      return [join(dir, "opencode.json"), join(dir, "opencode.jsonc")];
    },
    form: "json",
    key: "mcp",
    entry: (command, env) => ({
      type: "local",
      command,
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
    }),
  },
};
