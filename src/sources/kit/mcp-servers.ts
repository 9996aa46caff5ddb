import type { McpServerList } from "../contract.ts";

/** A server as most agents list it: its command, its arguments, and its environment if it needs one. */
export function commandEntry(
  [command, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** Servers under `mcpServers` in a JSON file of settings. */
export function jsonServers(files: McpServerList["files"]): McpServerList {
  return { files, form: "json", key: "mcpServers", entry: commandEntry };
}
