import { once } from "node:events";
import { appendFileSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import type { Query } from "../../src/answers/daybook.ts";
import { exportTo } from "../../src/export/export.ts";
import { otlpHeaders, tracesUrl, type ReceiverOptions } from "../../src/export/otlp-endpoint.ts";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import {
  isOpenInferenceName,
  MIME_TYPES,
  openTelemetryNames,
  openTelemetryValues,
  PROVIDERS,
  SPAN_KINDS,
} from "./conventions.ts";
import { microOf, printed, totalsOf } from "./exported.ts";
import {
  attributesOf,
  isByProtocol,
  messagesIn,
  spansIn,
  spansOf,
  throughProtocol,
  type OtlpMessage,
  type OtlpSpan,
} from "./otlp-official.ts";

const { dir, roots } = copyCorpus();
/** Written by hand: no genuine file has times outside the protocol's range, or halves of surrogate pairs. */
const some = readdirSync(join(dir, "claude-2.1.325"), { recursive: true, encoding: "utf8" }).find((name) =>
  /projects\/.*\.jsonl$/.test(name),
);
const odd = { type: "user", sessionId: "odd", cwd: "/w\ud800", version: "2.1.\udc00" };
for (const [n, timestamp] of ["9999-01-01T00:00:00.000Z", "1969-07-20T20:17:40.000Z"].entries())
  appendFileSync(
    join(dir, "claude-2.1.325", some ?? ""),
    `${JSON.stringify({ ...odd, uuid: `odd-${n}`, timestamp, message: { role: "user", content: `half \ud83d of a pair ${n}` } })}\n`,
  );
const stored = open(roots, scratch("home"));
const FORMATS = ["otel", "openinference"];
const exports = new Map<string, Promise<string>>();

/** The whole export, created once per format. */
async function everything(format: string, content = false): Promise<string> {
  const name = `${format} ${content}`;
  const text = exports.get(name) ?? printed(stored, format, {}, { content });
  exports.set(name, text);
  return text;
}

function sumsOf(spans: readonly OtlpSpan[]): Record<string, bigint> {
  const sum = (name: string): bigint =>
    spans.reduce((total, span) => total + BigInt(attributesOf(span)[name] ?? 0), 0n);
  const cached = sum("gen_ai.usage.cache_read.input_tokens");
  const written = sum("gen_ai.usage.cache_creation.input_tokens");
  return {
    input: sum("gen_ai.usage.input_tokens") - cached - written,
    cached,
    written,
    output: sum("gen_ai.usage.output_tokens"),
    reasoning: sum("gen_ai.usage.reasoning.output_tokens"),
    micro: microOf(sum("daybook.cost_picousd")),
  };
}

/** The same sums from OpenInference's attributes. */
function inferenceSumsOf(spans: readonly OtlpSpan[]): Record<string, bigint> {
  const sum = (name: string): bigint =>
    spans.reduce((total, span) => total + BigInt(attributesOf(span)[name] ?? 0), 0n);
  const cached = sum("llm.token_count.prompt_details.cache_read");
  const written = sum("llm.token_count.prompt_details.cache_write");
  return {
    input: sum("llm.token_count.prompt") - cached - written,
    cached,
    written,
    output: sum("llm.token_count.completion"),
    reasoning: sum("llm.token_count.completion_details.reasoning"),
    micro: microOf(sum("daybook.cost_picousd")),
  };
}

describe("exported spans of all corpora", () => {
  it("are unchanged after encoding and decoding by the official code", async () => {
    for (const format of FORMATS) {
      const messages = messagesIn(await everything(format, true));
      expect(messages.length).toBeGreaterThan(50);
      // A detailed comparison only if they differ: they are megabytes.
      for (const message of messages) if (!isByProtocol(message)) expect(throughProtocol(message)).toEqual(message);
      for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano, attributes } of spansOf(messages)) {
        const isRight =
          traceId.length === 32 && spanId.length === 16 && BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano);
        expect(isRight && new Set(attributes.map(({ key }) => key)).size === attributes.length, spanId).toBe(true);
      }
    }
  });

  it("would not be accepted by that check if they broke the rules of OTLP/JSON", () => {
    const one = [{ key: "a", value: { intValue: "1" } }];
    const span = {
      traceId: "00112233445566778899aabbccddeeff",
      spanId: "0011223344556677",
      name: "a",
      kind: 1,
      startTimeUnixNano: "1",
      endTimeUnixNano: "2",
      attributes: one,
      status: {},
    };
    const message = (changed: object): OtlpMessage => ({
      resourceSpans: [
        {
          resource: { attributes: one },
          scopeSpans: [{ scope: { name: "x", version: "1" }, spans: [{ ...span, ...changed }] }],
        },
      ],
    });
    const isRight = (changed: object): boolean => {
      try {
        return isByProtocol(message(changed));
      } catch {
        return false;
      }
    };
    expect(isRight({})).toBe(true);
    for (const wrong of [
      { traceId: "ABEiM0RVZneImaq7zN3u/w==" },
      { kind: "SPAN_KIND_INTERNAL" },
      { startTimeUnixNano: 1 },
      { startTimeUnixNano: "18446744073709551616" },
      { start_time_unix_nano: "1" },
      { attributes: [{ key: "a", value: { intValue: 1 } }] },
      { attributes: [{ key: "a", value: { stringValue: 1 } }] },
      { attributes: [{ key: "a", value: { intValue: "1e+300" } }] },
      { attributes: [{ key: "a", value: "text" }] },
      { attributes: [{ key: "a", value: { stringValue: "half \ud83d" } }] },
    ])
      expect([wrong, isRight(wrong)]).toEqual([wrong, false]);
  });

  it("use only attributes of their conventions, each with values of one type", async () => {
    const own = /^daybook\.(?:project|turn|outcome|status|kind|exit_code|cost_picousd|time_unknown)$/;
    const general = openTelemetryNames();
    const isKnown: Record<string, (key: string) => boolean> = {
      otel: (key) => general.has(key),
      // Errors are named as everywhere in OpenTelemetry.
      openinference: (key) => isOpenInferenceName(key) || key === "error.type",
    };
    for (const format of FORMATS) {
      const messages = messagesIn(await everything(format, true));
      const resources = messages.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource }) => resource.attributes),
      );
      for (const { key } of resources) expect(general).toContain(key);
      const types = new Map<string, Set<string>>();
      for (const { attributes } of spansOf(messages))
        for (const { key, value } of attributes)
          types.set(key, (types.get(key) ?? new Set()).add(Object.keys(value).join()));
      expect([...types.keys()].filter((key) => !own.test(key) && isKnown[format]?.(key) !== true)).toEqual([]);
      expect([...types].filter(([, of]) => of.size > 1)).toEqual([]);
    }
    expect(general.has("gen_ai.conversation.id")).toBe(true);
    // Old names, invented names, and a field that no message has.
    expect(["gen_ai.system", "gen_ai.usage.prompt_tokens", "gen_ai.session"].filter((key) => general.has(key))).toEqual(
      [],
    );
    expect(
      ["llm.tokens", "llm.output_messages.0.message.text", "llm.output_messages.0.role"].filter(isOpenInferenceName),
    ).toEqual([]);
  });

  it("use only attribute values that their conventions list", async () => {
    const valuesIn = (spans: readonly OtlpSpan[], key: string): unknown[] => [
      ...new Set(spans.flatMap((span) => attributesOf(span)[key] ?? [])),
    ];
    const spans = spansIn(await everything("otel"));
    const operations = openTelemetryValues("GEN_AI_OPERATION_NAME_VALUE_");
    expect(valuesIn(spans, "gen_ai.operation.name").filter((one) => !operations.has(one))).toEqual([]);
    const sellers = openTelemetryValues("GEN_AI_PROVIDER_NAME_VALUE_");
    const found = valuesIn(spans, "gen_ai.provider.name");
    expect(found.filter((one) => !sellers.has(one))).toEqual(["_OTHER"]);
    expect(found.length).toBeGreaterThan(2);
    const inference = spansIn(await everything("openinference", true));
    expect(valuesIn(inference, "openinference.span.kind").filter((one) => !SPAN_KINDS.has(one))).toEqual([]);
    expect(valuesIn(inference, "llm.provider").filter((one) => !PROVIDERS.has(one))).toEqual([]);
    expect(valuesIn(inference, "llm.provider").length).toBeGreaterThan(1);
    for (const key of ["input.mime_type", "output.mime_type"])
      expect(valuesIn(inference, key).filter((one) => !MIME_TYPES.has(one))).toEqual([]);
  });

  it("add up to the totals of usage, in total and for a day, and are the same from a book and from files", async () => {
    const sessions = await stored.sessions();
    const [day] = sessions.flatMap(({ started_at }) => started_at?.slice(0, 10) ?? []);
    const ofDay: Query = { since: day, until: day };
    expect(sumsOf(spansIn(await printed(stored, "otel", ofDay)))).toEqual(await totalsOf(stored, ofDay));
    const totals = await totalsOf(stored, {});
    expect(sumsOf(spansIn(await everything("otel")))).toEqual(totals);
    expect(inferenceSumsOf(spansIn(await everything("openinference")))).toEqual(totals);
    expect(await printed(open(roots), "otel", {})).toBe(await everything("otel"));
  });

  it("form a tree of turns, sub-agents and tool calls", async () => {
    const spans = spansIn(await everything("otel"));
    const known = new Map(spans.map((span) => [span.spanId, span]));
    expect(known.size).toBe(spans.length);
    const spansFor = (what: string): OtlpSpan[] =>
      spans.filter((span) => attributesOf(span)["gen_ai.operation.name"] === what);
    const turns = await stored.turns();
    const below = (await stored.sessions()).filter(({ parent }) => parent !== null);
    expect(spansFor("invoke_agent").length).toBe(turns.length + below.length);
    for (const span of spans) {
      const parent = span.parentSpanId === undefined ? undefined : known.get(span.parentSpanId);
      if (parent) expect(parent.traceId).toBe(span.traceId);
    }
    // Spans without a parent are those whose parent's file is missing.
    const orphans = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !known.has(parentSpanId));
    expect(orphans.length).toBeLessThan(spans.length / 20);
    expect(spansFor("execute_tool").length).toBeGreaterThan(0);
    for (const span of spansFor("execute_tool")) expect(span.name).toMatch(/^execute_tool \S/);
    // The other convention describes the same spans with other attributes.
    const frames = (all: readonly OtlpSpan[]): object[] => all.map((span) => ({ ...span, attributes: [] }));
    expect(frames(spansIn(await everything("openinference")))).toEqual(frames(spans));
  });

  it("contain texts only if content is requested", async () => {
    const query = { limit: 60 };
    const said: Record<string, string[]> = {
      otel: [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
      ],
      openinference: ["input.value", "output.value", "tool.parameters", "llm.output_messages.0.message.content"],
    };
    const named = (spans: readonly OtlpSpan[]): string[] =>
      spans.flatMap((span) => span.attributes.map(({ key }) => key));
    for (const [format, keys] of Object.entries(said)) {
      const bare = named(spansIn(await printed(stored, format, query)));
      expect(bare.filter((key) => keys.includes(key))).toEqual([]);
      const full = new Set(named(spansIn(await printed(stored, format, query, { content: true }))));
      expect(keys.filter((key) => !full.has(key))).toEqual([]);
    }
  });
});

describe("an OTLP collector", () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  interface Answer {
    status: number;
    body?: string;
    headers?: Record<string, string>;
  }

  async function collector(answer: (n: number, request: IncomingMessage) => Answer | null): Promise<{
    url: string;
    got: { body: string; headers: IncomingMessage["headers"]; path: string | undefined }[];
  }> {
    const got: { body: string; headers: IncomingMessage["headers"]; path: string | undefined }[] = [];
    const server = createServer((request, response) => {
      void buffer(request).then((bytes) => {
        const { headers, url: path, method } = request;
        const body = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
        got.push({ body: body.toString("utf8"), headers, path: `${method} ${path}` });
        const said = answer(got.length, request);
        if (said === null) return void request.socket.destroy();
        response.writeHead(said.status, said.headers).end(said.body ?? "{}");
      });
    });
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
  }

  /** Records the waiting times instead of waiting. */
  function patient(): ReceiverOptions & { waited: number[] } {
    const waited: number[] = [];
    return {
      waited,
      wait: async (ms) => {
        waited.push(ms);
      },
    };
  }

  const query = { limit: 4 };

  it("gets the same spans as are printed, compressed, with the user's headers", async () => {
    const { url, got } = await collector(() => ({ status: 200 }));
    const headers = otlpHeaders("authorization=Bearer%20x,a=b");
    const { text, spans } = await sent(url, { headers });
    expect(text).toBe("");
    expect(got.map(({ body }) => `${body}\n`).join("")).toBe(await printed(stored, "otel", query));
    expect(spans).toBe(spansIn(await printed(stored, "otel", query)).length);
    for (const one of got) {
      expect(one.path).toBe("POST /v1/traces");
      expect(one.headers).toMatchObject({
        "content-type": "application/json",
        "content-encoding": "gzip",
        authorization: "Bearer x",
        a: "b",
      });
    }
    const plainly = await collector(() => ({ status: 200 }));
    await sent(plainly.url, { compress: false });
    expect(plainly.got.map(({ body }) => body)).toEqual(got.map(({ body }) => body));
    expect(plainly.got.some((one) => one.headers["content-encoding"] !== undefined)).toBe(false);
  });

  it("that refuses compressed messages gets them uncompressed", async () => {
    const { url, got } = await collector((_, { headers }) => ({
      status: headers["content-encoding"] === "gzip" ? 415 : 200,
    }));
    await sent(url);
    const [first, ...rest] = got;
    expect(rest.map(({ body }) => `${body}\n`).join("")).toBe(await printed(stored, "otel", query));
    expect([first, ...rest].map((one) => one?.headers["content-encoding"])).toEqual([
      "gzip",
      ...rest.map(() => undefined),
    ]);
  });

  it("that is busy is retried after its Retry-After, or with growing delays", async () => {
    const busy = [
      { status: 429, headers: { "retry-after": "7" } },
      { status: 503, headers: { "retry-after": new Date(Date.now() - 60_000).toUTCString() } },
      { status: 502 },
      { status: 504 },
    ];
    const { url, got } = await collector((n) => busy[n - 1] ?? { status: 200 });
    const options = patient();
    await sent(url, options);
    expect(options.waited).toEqual([7000, 0, 2000, 4000]);
    expect(new Set(got.slice(0, 5).map(({ body }) => body)).size).toBe(1);
    expect(
      got
        .slice(4)
        .map(({ body }) => `${body}\n`)
        .join(""),
    ).toBe(await printed(stored, "otel", query));
  });

  it("that stays busy or asks for too long a wait makes the export fail", async () => {
    const always = await collector(() => ({ status: 503 }));
    await expect(sent(always.url, patient())).rejects.toThrow("it answered 503");
    expect(always.got).toHaveLength(5);
    const later = await collector(() => ({ status: 429, headers: { "retry-after": "3600" } }));
    const options = patient();
    await expect(sent(later.url, options)).rejects.toThrow("it answered 429 and asks to wait 3600 s");
    expect([later.got.length, options.waited]).toEqual([1, []]);
  });

  it("gets a message again if the connection breaks, but not if its first message fails", async () => {
    const { url, got } = await collector((n) => (n === 2 ? null : { status: 200 }));
    await sent(url, patient());
    const [first, lost, ...rest] = got;
    expect(rest[0]?.body).toBe(lost?.body);
    expect([first, ...rest].map((one) => `${one?.body}\n`).join("")).toBe(await printed(stored, "otel", query));
    const gone = await collector(() => null);
    await expect(sent(gone.url, patient())).rejects.toThrow("did not accept the spans");
    expect(gone.got).toHaveLength(1);
  });

  it("that rejects some spans is not retried, and its message is returned", async () => {
    const body = JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } });
    const partly = await collector((n) => ({ status: 200, ...(n === 1 ? { body } : {}) }));
    const all = spansIn(await printed(stored, "otel", query)).length;
    expect(await sent(partly.url)).toMatchObject({ spans: all - 2, rejected: 2, why: "too old" });
    expect(partly.got.length).toBe(messagesIn(await printed(stored, "otel", query)).length);
    const warning = JSON.stringify({ partialSuccess: { errorMessage: "old names" } });
    const warned = await collector(() => ({ status: 200, body: warning }));
    expect(await sent(warned.url)).toMatchObject({ spans: all, rejected: 0, why: "old names" });
    // Some answer with invalid JSON, or with nothing.
    const pages = await collector((n) => ({ status: 200, body: n === 1 ? "{not json" : "" }));
    expect(await sent(pages.url)).toMatchObject({ spans: all, rejected: 0 });
  });

  it("that refuses makes the export fail with its message", async () => {
    const { url, got } = await collector(() => ({
      status: 400,
      body: JSON.stringify({ code: 3, message: "bad\u001b[31m span" }),
    }));
    await expect(sent(url)).rejects.toThrow("it answered 400 (bad␛[31m span)");
    expect(got).toHaveLength(1);
    const page = await collector(() => ({ status: 404, body: "<html>no</html>" }));
    await expect(sent(page.url)).rejects.toThrow(/it answered 404$/);
  });

  it("must be local or use https unless http is explicitly allowed", () => {
    expect(tracesUrl("http://localhost:4318").href).toBe("http://localhost:4318/v1/traces");
    expect(tracesUrl("http://127.0.0.2:4318").hostname).toBe("127.0.0.2");
    expect(tracesUrl("https://otel.example/api/otlp/v1/traces").pathname).toBe("/api/otlp/v1/traces");
    expect(tracesUrl("http://otel.example:4318", true).href).toBe("http://otel.example:4318/v1/traces");
    for (const wrong of ["http://otel.example", "http://localhost.example", "http://127.0.0.1.example"])
      expect(() => tracesUrl(wrong)).toThrow("--endpoint cannot be");
    for (const wrong of ["https://u:p@otel.example", "http://u:p@localhost", "ftp://localhost", "otel"])
      expect(() => tracesUrl(wrong, true)).toThrow("--endpoint cannot be");
    expect(otlpHeaders("a=b%2Cc , d=e=f,,=x,g=50%")).toEqual({ a: "b,c", d: "e=f", g: "50%" });
  });

  async function sent(
    endpoint: string,
    receiver: ReceiverOptions = {},
  ): Promise<{ text: string; spans: number; rejected: number; why: string }> {
    let text = "";
    const add = (piece: string): void => void (text += piece);
    const written = await exportTo(stored, query, {
      format: "otel",
      force: false,
      endpoint,
      receiver,
      hide: (value) => stored.redactor.all(value),
      print: { json: add, document: add },
    });
    return { ...written, text };
  }
});
