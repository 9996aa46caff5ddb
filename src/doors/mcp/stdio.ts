import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { McpAnswers, type McpOptions } from "./server.ts";

export interface StdioOptions extends McpOptions {
  /** The client's streams; those of the process if absent. */
  streams?: { input: Readable; output: Writable } | undefined;
  /** Called with errors outside of answers. */
  failed: (error: unknown) => void;
}

/** Answers one client until its input ends. */
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
