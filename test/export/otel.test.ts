import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import type { Query } from "../../src/daybook.ts";
import { otlpHeaders, tracesUrl } from "../../src/export/otlp-endpoint.ts";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import { microOf, printed, SOME, totalsOf } from "./exported.ts";
import { attributesOf, spansIn, type OtlpSpan } from "./otlp-schema.ts";

const { roots } = copyCorpus(SOME);
const stored = open(roots, scratch("home"));

function sumsOf(spans: readonly OtlpSpan[]): Record<string, bigint> {
  const sum = (name: string): bigint =>
    spans.reduce((total, span) => total + BigInt(attributesOf(span)[name] ?? 0), 0n);
  const cached = sum("gen_ai.usage.cache_read.input_tokens");
  const written = sum("gen_ai.usage.cache_creation.input_tokens");
  return {
    ...{ input: sum("gen_ai.usage.input_tokens") - cached - written, cached, written },
    output: sum("gen_ai.usage.output_tokens"),
    reasoning: sum("gen_ai.usage.reasoning.output_tokens"),
    micro: microOf(sum("daybook.cost_picousd")),
  };
}

describe("spans", () => {
  it("follow the protocol and add up to what usage says, in all and of a day", async () => {
    const sessions = await stored.sessions();
    const [day] = sessions.flatMap(({ started_at }) => started_at?.slice(0, 10) ?? []);
    const questions: Query[] = [{}, { since: day, until: day }];
    for (const query of questions)
      expect([query, sumsOf(spansIn(await printed(stored, "otel", query)))]).toEqual([
        query,
        await totalsOf(stored, query),
      ]);
    expect(await printed(open(roots), "otel", {})).toBe(await printed(stored, "otel", {}));
  });

  it("are what was asked, answered and run, each under what caused it", async () => {
    const spans = spansIn(await printed(stored, "otel", {}));
    const known = new Map(spans.map((span) => [span.spanId, span]));
    expect(known.size).toBe(spans.length);
    const doing = (what: string): OtlpSpan[] =>
      spans.filter((span) => attributesOf(span)["gen_ai.operation.name"] === what);
    const turns = await stored.turns();
    const below = (await stored.sessions()).filter(({ parent }) => parent !== null);
    expect(doing("invoke_agent").length).toBe(turns.length + below.length);
    for (const span of spans) {
      const parent = span.parentSpanId === undefined ? undefined : known.get(span.parentSpanId);
      if (parent) expect(parent.traceId).toBe(span.traceId);
    }
    // All but those whose parent's file is gone.
    const orphans = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !known.has(parentSpanId));
    expect(orphans.length).toBeLessThan(spans.length / 20);
    for (const span of doing("execute_tool")) expect(span.name).toMatch(/^execute_tool \S/);
  });

  it("hold what was said only where it is asked for", async () => {
    const query = { limit: 12 };
    const said = new Set([
      "gen_ai.input.messages",
      "gen_ai.output.messages",
      "gen_ai.tool.call.arguments",
      "input.value",
      "output.value",
    ]);
    const named = (spans: readonly OtlpSpan[]): string[] =>
      spans.flatMap((span) => span.attributes.map(({ key }) => key));
    expect(named(spansIn(await printed(stored, "otel", query))).filter((key) => said.has(key))).toEqual([]);
    const full = spansIn(await printed(stored, "otel", query, { content: true }));
    expect(new Set(named(full).filter((key) => said.has(key)))).toEqual(said);
  });
});

describe("a collector", () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  async function collector(
    answer: (n: number) => { status: number; body?: string; headers?: Record<string, string> },
  ): Promise<{
    url: string;
    got: { body: string; request: IncomingMessage }[];
  }> {
    const got: { body: string; request: IncomingMessage }[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        got.push({ body, request });
        const { status, body: said = "{}", headers = {} } = answer(got.length);
        response.writeHead(status, headers).end(said);
      });
    });
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
  }

  it("is sent the same spans as are printed, and those it asks for again", async () => {
    // The first message is not taken at once.
    const { url, got } = await collector((n) =>
      n === 1 ? { status: 503, headers: { "retry-after": "0" } } : { status: 200 },
    );
    const query = { limit: 4 };
    await printed(stored, "otel", query, { endpoint: url, headers: "authorization=Bearer%20x,a=b" });
    const [first, ...rest] = got;
    expect(first?.body).toBe(rest[0]?.body);
    expect(rest.map(({ body }) => `${body}\n`).join("")).toBe(await printed(stored, "otel", query));
    const { url: path, method, headers } = first?.request ?? {};
    expect({ path, method }).toEqual({ path: "/v1/traces", method: "POST" });
    expect(headers).toMatchObject({ "content-type": "application/json", authorization: "Bearer x", a: "b" });
  });

  it("that takes a part is not asked again; one that refuses ends it", async () => {
    const partly = await collector(() => ({
      ...{ status: 200, body: JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } }) },
    }));
    await printed(stored, "otel", { limit: 1 }, { endpoint: partly.url });
    expect(partly.got).toHaveLength(1);
    const refusing = await collector(() => ({ status: 400 }));
    await expect(printed(stored, "otel", { limit: 3 }, { endpoint: refusing.url })).rejects.toThrow("it answered 400");
    expect(refusing.got).toHaveLength(1);
  });

  it("is on this machine, or asked over TLS", () => {
    expect(tracesUrl("http://localhost:4318").href).toBe("http://localhost:4318/v1/traces");
    expect(tracesUrl("https://otel.example/api/otlp/v1/traces").pathname).toBe("/api/otlp/v1/traces");
    for (const wrong of [
      "http://otel.example",
      "http://localhost.example",
      "https://u:p@otel.example",
      "ftp://localhost",
      "otel",
    ])
      expect(() => tracesUrl(wrong)).toThrow("--endpoint does not take");
    expect(otlpHeaders("a=b%2Cc , d=e=f,,=x")).toEqual({ a: "b,c", d: "e=f" });
  });
});
