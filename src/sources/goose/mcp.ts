import { join } from "node:path";
import type { McpClient } from "../contract.ts";

/**
 * Goose does not tell a server which session a call comes from. Servers are configured as extensions, beside the
 * built-in ones.
 */
export const mcp: McpClient = {
  variables: ["GOOSE_PATH_ROOT", "XDG_DATA_HOME"],
  servers: {
    files: (env, home) => {
      const root = env["GOOSE_PATH_ROOT"]?.trim() || null;
      const config = env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config");
      if (root !== null) return [join(root, "config", "config.yaml")];
      const windows = env["APPDATA"]?.trim();
      const own = join(config, "goose", "config.yaml");
      return windows ? [join(windows, "Block", "goose", "config", "config.yaml"), own] : [own];
    },
    form: "yaml",
    key: "extensions",
    entry: ([cmd, ...args], envs) => ({
      enabled: true,
      type: "stdio",
      name: "daybook",
      description: "Past sessions of coding agents",
      cmd,
      args,
      envs,
      timeout: 300,
    }),
  },
};
