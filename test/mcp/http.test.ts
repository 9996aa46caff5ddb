import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import { HOST, served, TOKEN, type Asking } from "../http/serving.ts";
import { asking } from "./client.ts";

const FIRST = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** The MCP endpoint of `serve`, called without a socket by the official client. */
describe("MCP over HTTP", () => {
  let ask: Asking = async () => new Response();
  beforeAll(async () => {
    ({ ask } = await served({ isStranger: true }));
  });

  const post = (headers: Record<string, string>): Promise<Response> =>
    ask("/mcp", {
      method: "POST",
      body: JSON.stringify(FIRST),
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    });

  it("answers a client with the token", async () => {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(`http://${HOST}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
      fetch: async (url, init) =>
        ask(new URL(url).pathname, { ...init, headers: Object.fromEntries(new Headers(init?.headers)) }),
    });
    await client.connect(transport);
    const { outside } = await asking(client)("list", { limit: 3 });
    expect(outside).toContain("Daybook list: 3 sessions.");
    await client.close();
  });

  it("refuses requests without the token, of other origins or hosts, in other formats, and too large ones", async () => {
    const authorization = `Bearer ${TOKEN}`;
    const right = await post({ authorization });
    expect(right.status).toBe(200);
    expect(right.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: "Bearer another" }, 401],
      [{ authorization, origin: "https://evil.example" }, 403],
      [{ authorization, "sec-fetch-site": "cross-site" }, 403],
      [{ authorization, host: "evil.example:4242" }, 421],
      [{ authorization, "content-type": "text/plain" }, 415],
      [{ authorization, "content-length": "1000000" }, 413],
    ] as const)
      expect([headers, (await post(headers)).status]).toEqual([headers, status]);
    expect((await ask("/mcp", { method: "DELETE", headers: { authorization } })).status).toBe(405);
    expect((await ask("/mcp", { headers: { authorization, accept: "text/event-stream" } })).status).toBe(405);
  });
});
