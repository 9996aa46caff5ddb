import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { expect } from "vitest";
import { McpAnswers, type McpOptions } from "../../src/doors/mcp/server.ts";

export interface Reply {
  /** The whole reply, as a model gets it. */
  text: string;
  /** The text before and after the quote. */
  outside: string;
  /** The text between the fences. */
  inside: string;
  isError: boolean;
  /** The cursor of the next page. */
  cursor: string | null;
}

export type Ask = (tool: string, args?: Record<string, unknown>) => Promise<Reply>;

/** The maximum size of a reply, in bytes. */
const MOST = 32 * 1024;

/** Splits a reply at its fences, and checks what must hold for every reply. */
export function parseReply(text: string, isError = false): Reply {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST);
  const [, head = text, fence = "~", inside = "", end = ""] =
    /^([\s\S]*?)^(~{5,}) quoted history\n([\s\S]*)\n\2 end of quoted history$([\s\S]*)$/m.exec(text) ?? [];
  // The fence does not occur inside the quote: a reader who stops at the first end fence has read all of it.
  expect(inside).not.toContain(fence.repeat(Math.max(1, 5 / fence.length)));
  const outside = head + end;
  return { text, outside, inside, isError, cursor: /cursor "([^"]+)"/.exec(head)?.[1] ?? null };
}

/** A client of the official library, connected to the server in memory. */
export async function connected(
  options: McpOptions,
  more: { name?: string; meta?: Record<string, unknown> } = {},
): Promise<{ ask: Ask; client: Client }> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: more.name ?? "test", version: "1" });
  await new McpAnswers(options).server().connect(serverSide);
  await client.connect(clientSide);
  return { client, ask: asking(client, more.meta) };
}

export function asking(client: Client, meta?: Record<string, unknown>): Ask {
  return async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) });
    const [first] = result.content;
    return parseReply(first?.type === "text" ? first.text : "", result.isError === true);
  };
}

/** Every page of an answer, joined. */
export async function whole(ask: Ask, tool: string, args: Record<string, unknown>): Promise<string> {
  let text = "";
  for (let cursor: string | null | undefined; cursor !== null;) {
    const reply = await ask(tool, cursor === undefined ? args : { ...args, cursor });
    expect(reply.isError, reply.text).toBe(false);
    text += reply.inside;
    ({ cursor } = reply);
  }
  return text;
}
