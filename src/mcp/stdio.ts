import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { McpAnswers, type McpOptions } from "./server.ts";

export interface StdioOptions extends McpOptions {
  /** What the client speaks through; the process's own input and output where absent. */
  streams?: { input: Readable; output: Writable } | undefined;
  /** Hears what goes wrong beside the answers. */
  failed: (error: unknown) => void;
}

/** Answers one client until it ends the input. */
export async function serveOverStdio({ failed, streams, ...options }: StdioOptions): Promise<void> {
  const stop = new AbortController();
  const answers = new McpAnswers({ ...options, signal: stop.signal });
  const { input, output } = streams ?? { input: process.stdin, output: process.stdout };
  const transport = new StdioServerTransport(input, output);
  const serving = serveStdio(() => answers.server(), { transport, onerror: failed });
  await new Promise<void>((resolve) => {
    input.once("close", resolve);
    input.once("end", resolve);
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
  });
  stop.abort();
  await serving.close();
}
