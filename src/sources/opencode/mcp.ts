import type { McpClient } from "../contract.ts";

/** Neither the environment of a server nor a call says which session it is (seen in 1.18.33). */
export const mcp: McpClient = { name: "opencode" };
