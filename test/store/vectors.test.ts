import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook, type DaybookOptions, type RecallAnswer } from "../../src/answers/daybook.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month", import.meta.url));
const OPTIONS: DaybookOptions = {
  roots: { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] },
  timezone: "Europe/Berlin",
  env: { KEY: "sesame" },
  home: "/nowhere",
};

/** Texts with the same beginnings of words get similar vectors: a small model that knows word forms and nothing else. */
function vectorOf(text: string): number[] {
  const vector = Array.from({ length: 256 }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}{5,}/gu) ?? []) {
    let hash = 7;
    for (const char of word.slice(0, 5)) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 65_521;
    vector[hash % 256] = (vector[hash % 256] ?? 0) + 1;
  }
  return vector;
}

/** An endpoint on the loopback interface that keeps what it was sent. */
class Endpoint {
  readonly sent: { url: string; key: string | undefined; model: string; input: string[] }[] = [];
  broken = false;
  readonly #server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { model, input } = JSON.parse(body) as { model: string; input: string[] };
      this.sent.push({ url: request.url ?? "", key: request.headers.authorization, model, input });
      if (this.broken) response.writeHead(500).end("out of memory");
      else response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }));
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, "127.0.0.1", resolve));
  }

  close(): void {
    this.#server.close();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }
}

/** No turn has these words, or a beginning of them as a word; turns have words that begin alike. */
const QUESTION = "terrarium terrazzo terracotta";

function names({ results }: RecallAnswer): string[] {
  return results.map(({ session_id, turn_ref }) => `${session_id.slice(0, 8)}/${turn_ref}`);
}

describe("vectors of turns", () => {
  const endpoint = new Endpoint();
  const home = scratch("vectors");
  let daybook: Daybook;
  const withModel = (model: string): Daybook =>
    new Daybook({ ...OPTIONS, book: home, embeddings: { embeddings: endpoint.url, model, key_env: "KEY" } });

  beforeAll(async () => {
    await endpoint.open();
    daybook = withModel("small");
    await daybook.sync();
  });
  afterAll(() => {
    daybook.close();
    endpoint.close();
  });

  it("take no part before they are made, and a question does not make them", async () => {
    const answer = await daybook.recall("terraform state lock");
    expect(answer.embeddings).toEqual({
      model: expect.stringContaining("small at 127.0.0.1"),
      turns: 0,
      of: 156 + 10,
      failed: null,
    });
    expect(answer.results[0]?.likeness).toBeNull();
    expect(endpoint.sent).toEqual([]);
  });

  it("are made in batches, continue where they were stopped, and are made once", async () => {
    const stop = new AbortController();
    const first = await daybook.makeVectors({
      signal: stop.signal,
      onProgress: ({ made }) => made >= 32 && stop.abort(),
    });
    expect(first).toEqual({ made: 32, of: 166 });
    const half = await daybook.recall("terraform state lock");
    expect(half.embeddings).toMatchObject({ turns: 32, of: 166 });
    expect(await daybook.makeVectors()).toEqual({ made: 166, of: 166 });
    const texts = endpoint.sent.flatMap(({ input }) => input);
    const before = endpoint.sent.length;
    expect(await daybook.makeVectors()).toEqual({ made: 166, of: 166 });
    expect(endpoint.sent).toHaveLength(before);
    expect(
      endpoint.sent.every(
        ({ url, key, model }) => url === "/v1/embeddings" && key === "Bearer sesame" && model === "small",
      ),
    ).toBe(true);
    // Secrets stay here, and nobody else can read the file.
    expect(readFileSync(join(MONTH, "TRUTH.json"), "utf8")).toContain("AKIAFAKEFAKEFAKE0000");
    expect(texts.join("\n")).toContain("[redacted:");
    expect(texts.join("\n")).not.toContain("AKIAFAKEFAKEFAKE0000");
    expect(statSync(join(home, "vectors.db")).mode & 0o077).toBe(0);
  });

  it("find turns whose words differ, within the sessions that were asked about", async () => {
    const alone = new Daybook({ ...OPTIONS, book: home });
    expect(names(await alone.recall(QUESTION))).not.toContain("01a07fcc/T0001");
    alone.close();
    const answer = await daybook.recall(QUESTION);
    expect(names(answer).slice(0, 3)).toContain("01a07fcc/T0001");
    const found = answer.results.find(({ session_id }) => session_id.startsWith("01a07fcc"));
    expect(found?.likeness).toBeGreaterThan(0.2);
    expect(found?.request).not.toBe("");
    expect(names(await daybook.recall(QUESTION, { project: "quarry" })).join()).not.toContain("01a07fcc");
    expect(names(await daybook.recall(QUESTION, { until: "2026-09-07" })).join()).not.toContain("01a07fcc");
    expect(await daybook.recall(QUESTION)).toEqual(answer);
  });

  it("leave the answer to words, and say why, where the model does not answer", async () => {
    endpoint.broken = true;
    const answer = await daybook.recall("terraform state lock");
    endpoint.broken = false;
    const alone = new Daybook({ ...OPTIONS, book: home });
    expect(answer.results).toEqual((await alone.recall("terraform state lock")).results);
    alone.close();
    expect(answer.embeddings?.failed).toContain("out of memory");
  });

  it("are made again by another model, and forgotten with their session", async () => {
    daybook.close();
    daybook = withModel("other");
    expect((await daybook.recall("terraform state lock")).embeddings?.turns).toBe(0);
    expect(await daybook.makeVectors()).toEqual({ made: 166, of: 166 });
    const forgotten = (await daybook.recall(QUESTION)).results.find(({ session_id }) =>
      session_id.startsWith("01a07fcc"),
    );
    await daybook.forget(await daybook.forgetPlan({ sessions: [forgotten?.session_id ?? ""] }));
    daybook.close();
    daybook = withModel("other");
    const answer = await daybook.recall(QUESTION, { limit: 50 });
    expect(names(answer).join()).not.toContain("01a07fcc");
    expect(answer.embeddings?.turns).toBeLessThan(166);
    expect(readFileSync(join(home, "vectors.db")).includes(forgotten?.session_id ?? "?")).toBe(false);
  });
});

describe("a model that cannot be used", () => {
  it.each([
    [{ embeddings: "http://127.0.0.1:1/v1" }, "an endpoint needs a model"],
    [{ embeddings: "models/small.onnx" }, "neither an address nor an absolute path"],
  ])("is refused when it is named wrongly: %o", async (embeddings, message) => {
    const daybook = new Daybook({ ...OPTIONS, book: scratch("vectors-wrong"), embeddings });
    await expect(daybook.recall("terraform")).rejects.toThrow(message);
    daybook.close();
  });

  it("says which packages and files a model in a file needs", async () => {
    const home = scratch("vectors-file");
    const daybook = new Daybook({ ...OPTIONS, book: home, embeddings: { embeddings: join(home, "small.onnx") } });
    await daybook.sync();
    await expect(daybook.makeVectors()).rejects.toThrow("there is no file");
    expect((await daybook.recall("terraform state lock")).results).not.toEqual([]);
    daybook.close();
  });
});
