import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { expect } from "vitest";
import { McpAnswers, type McpOptions } from "../../src/mcp/server.ts";

export interface Reply {
  /** All of it, as a model is given it. */
  text: string;
  /** Before the quote and behind it. */
  outside: string;
  /** Between the fences. */
  inside: string;
  isError: boolean;
  /** Leads to the next page. */
  cursor: string | null;
}

export type Ask = (tool: string, given?: Record<string, unknown>) => Promise<Reply>;

/** The most bytes of a reply. */
const MOST = 32 * 1024;

/** Takes a reply apart as its label says, and holds what every reply must keep to. */
export function parted(text: string, isError = false): Reply {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST);
  const [, head = text, fence = "~", inside = "", end = ""] =
    /^([\s\S]*?)^(~{5,}) quoted history\n([\s\S]*)\n\2 end of quoted history$([\s\S]*)$/m.exec(text) ?? [];
  // The first fence ends the quote that it begins: a reader who stops at the first end has met all of it.
  expect(inside).not.toContain(fence.repeat(Math.max(1, 5 / fence.length)));
  const outside = head + end;
  return { text, outside, inside, isError, cursor: /cursor "([^"]+)"/.exec(head)?.[1] ?? null };
}

/** A client of the protocol's own library beside the server, without a process between them. */
export async function connected(
  options: McpOptions,
  more: { name?: string; meta?: Record<string, unknown> } = {},
): Promise<{ ask: Ask; client: Client }> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: more.name ?? "test", version: "1" });
  await new McpAnswers(options).server().connect(there);
  await client.connect(here);
  return { client, ask: asking(client, more.meta) };
}

export function asking(client: Client, meta?: Record<string, unknown>): Ask {
  return async (name, given = {}) => {
    const result = await client.callTool({ name, arguments: given, ...(meta ? { _meta: meta } : {}) });
    const [first] = result.content;
    return parted(first?.type === "text" ? first.text : "", result.isError === true);
  };
}

/** Every page of an answer, joined. */
export async function whole(ask: Ask, tool: string, given: Record<string, unknown>): Promise<string> {
  let text = "";
  for (let cursor: string | null | undefined; cursor !== null;) {
    const reply = await ask(tool, cursor === undefined ? given : { ...given, cursor });
    expect(reply.isError, reply.text).toBe(false);
    text += reply.inside;
    ({ cursor } = reply);
  }
  return text;
}
