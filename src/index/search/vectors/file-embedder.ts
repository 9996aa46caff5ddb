import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { importModule } from "../../../base/io/import-module.ts";
import { EmbedderFailed, type Embedder } from "./embedder.ts";

/** What is used of the package `onnxruntime-node`. */
interface Runtime {
  Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => unknown;
  InferenceSession: { create(path: string, options: object): Promise<Session> };
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Record<string, unknown>): Promise<Record<string, { data: Float32Array; dims: readonly number[] }>>;
}

/** What is used of the package `@huggingface/tokenizers`. */
interface TokenizerPackage {
  Tokenizer: new (tokenizer: object, config: object) => Tokenizer;
}

interface Tokenizer {
  encode(text: string): { ids: number[] };
}

/** Optional packages: whoever wants this installs them beside Daybook. */
const RUNTIME = "onnxruntime-node";
const TOKENIZERS = "@huggingface/tokenizers";

/** Most small models read no more. The beginning of a text says what it is about. */
const MOST_TOKENS = 256;

/** How the vectors of a text's tokens become one. */
type Pooling = "first" | "mean";

interface Loaded {
  runtime: Runtime;
  session: Session;
  tokenizer: Tokenizer;
  pooling: Pooling;
}

/** A model in a file of this machine, loaded when it is first needed. */
export function fileEmbedder(path: string): Embedder {
  const name = basename(path.replace(/[\\/]+$/, ""));
  let loading: Promise<Loaded> | null = null;
  return {
    name,
    // A file that was replaced is another model.
    id: `${path} ${statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0}`,
    async embed(texts, signal) {
      const loaded = await (loading ??= load(name, path));
      const vectors: Float32Array[] = [];
      // One by one: texts of different lengths in one run would all take as long as the longest.
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(await vectorOf(loaded, text));
      }
      return vectors;
    },
  };
}

async function load(name: string, path: string): Promise<Loaded> {
  const { model, tokenizer, pooling } = filesOf(name, path);
  const runtime = await optional<Runtime>(name, RUNTIME);
  const { Tokenizer } = await optional<TokenizerPackage>(name, TOKENIZERS);
  try {
    return {
      runtime,
      // One thread: vectors are made in the background of other work.
      session: await runtime.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 }),
      tokenizer: new Tokenizer(JSON.parse(readFileSync(tokenizer, "utf8")) as object, {}),
      pooling,
    };
  } catch (error) {
    throw new EmbedderFailed(name, messageOf(error));
  }
}

async function optional<T>(name: string, wanted: string): Promise<T> {
  try {
    return (await importModule(wanted)) as T;
  } catch (error) {
    const why = `the package ${wanted} cannot be loaded: ${messageOf(error).split("\n")[0] ?? ""}`;
    throw new EmbedderFailed(name, why, `npm install ${RUNTIME} ${TOKENIZERS}, where Daybook is installed`);
  }
}

/** Where a folder of a model keeps it, as published on model hubs. */
const MODELS = ["model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx"];

function filesOf(name: string, path: string): { model: string; tokenizer: string; pooling: Pooling } {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new EmbedderFailed(name, `there is no file ${path}`);
  const model = stat.isDirectory() ? MODELS.map((one) => join(path, one)).find((one) => existsSync(one)) : path;
  if (model === undefined) throw new EmbedderFailed(name, `${path} holds no ONNX model`);
  const stem = basename(model, ".onnx");
  const folders = [dirname(model), dirname(dirname(model))];
  const tokenizer = folders
    .flatMap((folder) => [join(folder, "tokenizer.json"), join(folder, `${stem}-tokenizer.json`)])
    .find((one) => existsSync(one));
  if (tokenizer === undefined) throw new EmbedderFailed(name, `there is no tokenizer.json beside ${model}`);
  const pooling = folders.map((folder) => join(folder, "1_Pooling", "config.json")).find((one) => existsSync(one));
  return { model, tokenizer, pooling: pooling === undefined ? "mean" : poolingIn(readFileSync(pooling, "utf8")) };
}

function poolingIn(config: string): Pooling {
  return (JSON.parse(config) as Record<string, unknown>)["pooling_mode_cls_token"] === true ? "first" : "mean";
}

async function vectorOf({ runtime, session, tokenizer, pooling }: Loaded, text: string): Promise<Float32Array> {
  const all = tokenizer.encode(text).ids;
  // The last token closes the text, and stays.
  const ids = all.length <= MOST_TOKENS ? all : [...all.slice(0, MOST_TOKENS - 1), ...all.slice(-1)];
  const shape = [1, ids.length];
  const filled = (value: bigint): unknown =>
    new runtime.Tensor("int64", new BigInt64Array(ids.length).fill(value), shape);
  const given: Record<string, unknown> = {
    input_ids: new runtime.Tensor("int64", BigInt64Array.from(ids, BigInt), shape),
    attention_mask: filled(1n),
    token_type_ids: filled(0n),
  };
  const inputs = Object.fromEntries(session.inputNames.map((input) => [input, given[input]]));
  const found = await session.run(inputs);
  const whole = found["sentence_embedding"];
  if (whole) return whole.data;
  const tokens = found[session.outputNames[0] ?? ""];
  if (!tokens) return new Float32Array();
  return pooled(tokens.data, tokens.dims.at(-1) ?? 0, pooling);
}

function pooled(data: Float32Array, dims: number, pooling: Pooling): Float32Array {
  const vector = data.slice(0, dims);
  if (pooling === "first") return vector;
  for (let at = dims; at < data.length; at++) vector[at % dims] = (vector[at % dims] ?? 0) + (data[at] ?? 0);
  return vector;
}
