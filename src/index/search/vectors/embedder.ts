import { DaybookError } from "../../../base/errors.ts";

/** `[recall]` of `config.toml`: which model turns texts into vectors. */
export interface EmbeddingSettings {
  /** The address of an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`, or the path of an ONNX model. */
  embeddings: string;
  /** The model to ask an endpoint for. */
  model?: string | undefined;
  /** The environment variable that holds the key of an endpoint; no key is sent when absent. */
  key_env?: string | undefined;
}

/** Turns texts into vectors of equal length, so that similar meanings have a small angle between them. */
export interface Embedder {
  /** Shown to people. */
  readonly name: string;
  /** Vectors of different models cannot be compared: those of another id are made again. */
  readonly id: string;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Thrown when a model did not answer: what it would have added to an answer is missing. */
export class EmbedderFailed extends DaybookError {
  constructor(name: string, why: string, hint?: string) {
    super(`${name} made no vectors: ${why}`, {
      code: "unreadable",
      op: "embed",
      ...(hint === undefined ? {} : { hint }),
    });
    this.name = "EmbedderFailed";
  }
}
