import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { UsageView } from "../src/views/usage-sum.ts";

/** TRUTH.json: what was really typed and served, recorded by the lab that made the corpora. */
export interface Truth {
  corpora: Record<string, { sessions: TruthSession[] }>;
}

export interface TruthSession {
  session: string | null;
  runs: TruthRun[];
  human_prompts: { text: string; via: string; scenario?: string }[];
  responses: TruthResponse[];
  /** What was done in a terminal, key by key. */
  actions?: TruthAction[];
  interruptions?: { how: string; prompt: string }[];
  subagents?: { spawn_call: string; tool: string; prompt: string }[];
  /** Paths, or `<database>#session=<id>`. */
  files: string[];
  call_ids_not_found_in_files?: string[];
}

/** One start of the agent; the note says what the lab did to it. */
export interface TruthRun {
  scenario: string;
  t0: number;
  note?: string;
}

export interface TruthAction {
  t: number;
  kind: string;
  text: string;
  note?: string;
}

export interface TruthResponse {
  t: number;
  /** In the fields of the wire protocol the agent used; null or missing if none was stated. */
  usage?: WireUsage | null;
  script: string;
  model?: string;
  text?: string;
  resp_id?: string;
  error?: object;
  housekeeping?: boolean | string;
  /** Requested by a sub-agent, or by a script whose name has the prefix of sub-agents. */
  side?: boolean;
  calls: TruthCall[];
}

export interface TruthCall {
  name: string;
  call_id: string;
  args: unknown;
  expected: string;
  /** False if the store holds no trace of it. */
  recorded?: false;
}

/** Fields of the lab's Responses API, Messages, Chat Completions and Gemini. */
export interface WireUsage {
  input?: number;
  cached?: number;
  output?: number;
  reasoning?: number;
  input_tokens?: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
  output_tokens?: number;
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens: number };
  completion_tokens_details?: { reasoning_tokens: number };
  promptTokenCount?: number;
  cachedContentTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
}

export type TokenCounts = Pick<
  UsageView,
  "input_tokens" | "cached_input_tokens" | "cache_write_tokens" | "output_tokens" | "reasoning_tokens"
>;

export const CORPUS: string = fileURLToPath(new URL("./fixtures/corpus/", import.meta.url));
export const CORPUS_2: string = fileURLToPath(new URL("./fixtures/corpus-2/", import.meta.url));

/** Further agents. Its truth also describes stores that are not kept here. */
export const CORPUS_3: string = fileURLToPath(new URL("./fixtures/corpus-3/", import.meta.url));

const PARTS: ReadonlySet<string> = new Set(["droid-0.215.0"]);

/** The truth of all series of corpora. */
export function readTruth(): Truth {
  // Of some agents only a part is kept here.
  const isKept = ({ files: [file] }: TruthSession): boolean => file === undefined || existsSync(`${CORPUS_3}${file}`);
  const third = Object.entries(truthOf(CORPUS_3).corpora)
    .filter(([label]) => existsSync(`${CORPUS_3}${label}`))
    .map(
      ([label, { sessions }]) => [label, { sessions: PARTS.has(label) ? sessions.filter(isKept) : sessions }] as const,
    );
  return { corpora: { ...truthOf(CORPUS).corpora, ...truthOf(CORPUS_2).corpora, ...Object.fromEntries(third) } };
}

function truthOf(series: string): Truth {
  return JSON.parse(readFileSync(`${series}TRUTH.json`, "utf8")) as Truth;
}

export function sourceOfCorpus(label: string): string {
  return label.startsWith("claude") ? "claude-code" : (label.split("-")[0] as string);
}

/** Stores that are named as a file. */
const DATABASES: Readonly<Record<string, string>> = {
  "crush-0.86.0": "crush.db",
  "kilo-7.7.9": "kilo.db",
  "opencode-1.18.33": "opencode.db",
};

/** The path a user would pass as a root. */
export function rootOfCorpus(label: string): string {
  const path = [CORPUS, CORPUS_2, CORPUS_3].map((series) => `${series}${label}`).find((one) => existsSync(one));
  if (path === undefined) throw new Error(`no fixtures of ${label}`);
  const database = DATABASES[label];
  return database === undefined ? path : `${path}/${database}`;
}

export function scenarioOf(session: TruthSession): string {
  return session.runs.map((run) => run.scenario).join("+");
}

/** Whether a turn, call or session as Daybook shows it belongs to a session of the lab. */
export function isOf(
  session: TruthSession,
  view: { session_id: string; session_path: string | null; parent?: { session_id: string } | null },
): boolean {
  return session.files.some((file) => {
    const [path = "", named] = file.split("#session=");
    // The third series names the database alone.
    const id = named ?? (path.endsWith(".db") ? session.session : undefined);
    const isNamed = id === undefined || id === view.session_id || id === view.parent?.session_id;
    return view.session_path?.endsWith(path) === true && isNamed;
  });
}

/** Corpora whose agent states no tokens, neither of responses nor as a sum. */
export const NO_TOKENS: ReadonlySet<string> = new Set(["crush-0.86.0"]);

/** The served tokens, in Daybook's fields. */
export function servedIn({ usage }: TruthResponse, corpus: string): TokenCounts {
  const wire = usage ?? {};
  const write = wire.cache_creation_input_tokens ?? 0;
  const reasoning = wire.reasoning ?? wire.completion_tokens_details?.reasoning_tokens ?? wire.thoughtsTokenCount ?? 0;
  const read =
    wire.cached ??
    wire.cache_read_input_tokens ??
    wire.prompt_tokens_details?.cached_tokens ??
    wire.cachedContentTokenCount ??
    0;
  // Only Anthropic states fresh input; elsewhere the cache is part of it.
  const prompt = wire.input ?? wire.prompt_tokens ?? wire.promptTokenCount ?? 0;
  // The third series serves more cached tokens than the prompt has, on purpose; no count is negative.
  const fresh = wire.input_tokens ?? Math.max(0, prompt - read);
  const output = wire.output ?? wire.output_tokens ?? wire.completion_tokens;
  const served: TokenCounts = {
    input_tokens: fresh,
    cached_input_tokens: read,
    cache_write_tokens: write,
    // Only Gemini states reasoning beside the output.
    output_tokens: output ?? (wire.candidatesTokenCount ?? 0) + reasoning,
    reasoning_tokens: reasoning,
  };
  if (NO_TOKENS.has(corpus))
    return {
      input_tokens: 0,
      cached_input_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 0,
      reasoning_tokens: 0,
    };
  // Below schema 14 Goose has columns for input and output only.
  if (corpus === "goose-1.34.0")
    return { ...served, input_tokens: fresh + read, cached_input_tokens: 0, reasoning_tokens: 0 };
  if (/^(?:goose-1\.52\.0$|cline-|droid-|kimi-|vibe-)/.test(corpus)) return { ...served, reasoning_tokens: 0 };
  return served;
}

export function sumOf(counts: readonly TokenCounts[]): TokenCounts {
  const sum = (key: keyof TokenCounts): number => counts.reduce((total, count) => total + count[key], 0);
  return {
    input_tokens: sum("input_tokens"),
    cached_input_tokens: sum("cached_input_tokens"),
    cache_write_tokens: sum("cache_write_tokens"),
    output_tokens: sum("output_tokens"),
    reasoning_tokens: sum("reasoning_tokens"),
  };
}
