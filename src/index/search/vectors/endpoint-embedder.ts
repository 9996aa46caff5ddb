import { messageOf } from "../../../base/errors.ts";
import { EmbedderFailed, type Embedder } from "./embedder.ts";

interface Endpoint {
  url: string;
  model: string;
  variable: string | undefined;
}

/** A model behind an OpenAI-compatible address that the user named: Ollama, LM Studio, llama.cpp and others. */
export function endpointEmbedder(
  { url, model, variable }: Endpoint,
  env: Readonly<Record<string, string | undefined>>,
): Embedder {
  const name = `${model} at ${new URL(url).host}`;
  const address = /\/embeddings\/?$/.test(url) ? url : `${url.replace(/\/+$/, "")}/embeddings`;
  return {
    name,
    id: `${model} ${address}`,
    async embed(texts, signal) {
      const key = variable === undefined ? null : (env[variable]?.trim() ?? "");
      if (key === "")
        throw new EmbedderFailed(name, `$${variable} is not set`, "it is to hold the key of the endpoint");
      const init = {
        method: "POST",
        headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, input: texts }),
        // Texts go to the named address and nowhere else.
        redirect: "error" as const,
        ...(signal ? { signal } : {}),
      };
      try {
        const response = await fetchAgain(address, init);
        const text = await response.text();
        if (!response.ok) throw new EmbedderFailed(name, `${response.status} ${text.slice(0, 300)}`);
        return vectorsIn(name, JSON.parse(text) as EmbeddingAnswer, texts.length);
      } catch (error) {
        if (error instanceof EmbedderFailed) throw error;
        throw new EmbedderFailed(name, messageOf(error));
      }
    },
  };
}

/**
 * A server may close an idle connection just when it is used again: the same request then works on a new one. Vectors can be
 * asked for twice without harm.
 */
async function fetchAgain(address: string, init: RequestInit): Promise<Response> {
  try {
    return await globalThis.fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    return globalThis.fetch(address, init);
  }
}

interface EmbeddingAnswer {
  data?: { index?: unknown; embedding?: unknown }[];
}

function vectorsIn(name: string, { data }: EmbeddingAnswer, wanted: number): Float32Array[] {
  const found = Array.isArray(data) ? data : [];
  const vectors: Float32Array[] = [];
  for (const [at, { index = at, embedding }] of found.entries())
    if (typeof index === "number" && Array.isArray(embedding))
      vectors[index] = Float32Array.from(embedding as number[]);
  const [first] = vectors;
  const isWhole =
    vectors.length === wanted &&
    first !== undefined &&
    Array.from({ length: wanted }, (_, i) => vectors[i]).every(
      (one) => one !== undefined && one.length === first.length && one.every(Number.isFinite),
    );
  if (!isWhole) throw new EmbedderFailed(name, "its reply does not hold one vector for each text");
  return vectors;
}
