import { isAbsolute } from "node:path";
import { DaybookError } from "../../../base/errors.ts";
import type { Embedder, EmbeddingSettings } from "./embedder.ts";
import { endpointEmbedder } from "./endpoint-embedder.ts";
import { fileEmbedder } from "./file-embedder.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The model that settings name. */
export function embedderOf({ embeddings: place, model, key_env: variable }: EmbeddingSettings, env: Env): Embedder {
  if (/^https?:\/\//.test(place)) {
    if (!URL.canParse(place)) throw wrong(`${place} is not an address`);
    if (model === undefined) throw wrong("an endpoint needs a model");
    return endpointEmbedder({ url: place, model, variable }, env);
  }
  if (!isAbsolute(place)) throw wrong(`${place} is neither an address nor an absolute path`);
  return fileEmbedder(place);
}

function wrong(message: string): DaybookError {
  return new DaybookError(message, {
    code: "usage",
    op: "choose an embedding model",
    hint: '[recall] in config.toml: embeddings = "http://127.0.0.1:11434/v1" and model = "…", or the path of an ONNX model',
  });
}
