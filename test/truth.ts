import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { UsageView } from "../src/view/usage-sum.ts";

/** What was really typed and served, recorded by the lab that made the corpus. */
export interface Truth {
  corpora: Record<string, { sessions: TruthSession[] }>;
}

export interface TruthSession {
  session: string | null;
  runs: { scenario: string }[];
  human_prompts: { text: string; via: string }[];
  responses: TruthResponse[];
  /** What was done in a terminal, key by key. */
  actions?: { kind: string; text: string }[];
  /** Paths, or `<database>#session=<id>`. */
  files: string[];
  call_ids_not_found_in_files?: string[];
}

export interface TruthResponse {
  /** In the words of the wire protocol the agent spoke; null or missing when none was stated. */
  usage?: WireUsage | null;
  script: string;
  resp_id?: string;
  housekeeping?: boolean | string;
  calls: { call_id: string; expected: string }[];
}

/** Responses API of the lab, Messages, Chat Completions, Gemini. */
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

export function readTruth(): Truth {
  return JSON.parse(readFileSync(`${CORPUS}TRUTH.json`, "utf8")) as Truth;
}

export function sourceOfCorpus(label: string): string {
  return label.startsWith("claude") ? "claude-code" : (label.split("-")[0] as string);
}

/** What a user would name as root. */
export function rootOfCorpus(label: string): string {
  return label === "opencode-1.18.33" ? `${CORPUS}${label}/opencode.db` : `${CORPUS}${label}`;
}

export function scenarioOf(session: TruthSession): string {
  return session.runs.map((run) => run.scenario).join("+");
}

/** Whether a turn, a call or a session of Daybook's belongs to a session of the lab's. */
export function isOf(session: TruthSession, view: { session_id: string; session_path: string }): boolean {
  return session.files.some((file) => {
    const [path = "", id] = file.split("#session=");
    return view.session_path.endsWith(path) && (id === undefined || id === view.session_id);
  });
}

/** What was served, in the fields of the contract. */
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
  const fresh = wire.input_tokens ?? (wire.input ?? wire.prompt_tokens ?? wire.promptTokenCount ?? 0) - read;
  const output = wire.output ?? wire.output_tokens ?? wire.completion_tokens;
  const served: TokenCounts = {
    input_tokens: fresh,
    cached_input_tokens: read,
    cache_write_tokens: write,
    // Only Gemini states reasoning beside the output.
    output_tokens: output ?? (wire.candidatesTokenCount ?? 0) + reasoning,
    reasoning_tokens: reasoning,
  };
  // Below schema 14 Goose has columns for input and output only.
  if (corpus === "goose-1.34.0")
    return { ...served, input_tokens: fresh + read, cached_input_tokens: 0, reasoning_tokens: 0 };
  if (corpus === "goose-1.52.0") return { ...served, reasoning_tokens: 0 };
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

// What follows are the exceptions: where a file does not hold what was typed, served or planned. Each was seen in the raw
// file. The tests demand the exact state named here, so an exception that is no longer true fails as well.

/** Calls that ended otherwise than the script planned. */
export const REALLY: Readonly<Record<string, { status: string; why: string }>> = {
  call_LsleepS0xX49WAl5f0: {
    status: "ok",
    why: "toolsig-sleep: the signal hit a child, the shell went on and exited 0",
  },
  call_LsleepS0xC9pkqifh0: {
    status: "ok",
    why: "toolsig-sleep: the signal hit a child, the shell went on and exited 0",
  },
  call_LsleepS0xB56B0CLM0: {
    status: "failed",
    why: "hostsig-sleep: the signal killed the script host, the call failed",
  },
  call_LplanS0xOBXxxabg0: { status: "failed", why: "the script died: tools.update_plan is not a function" },
  toolu_01LlsS0xxYp3xsDA0: { status: "denied", why: "scenario denied: a permission rule forbade it" },
  toolu_01LsleepS0x4brGPaZ90: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LsleepS0xUxRbgf5s0: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LfailS0xPZeooZ1v0: { status: "denied", why: "the human refused it at the permission prompt" },
  call_LwriteS0xjHWdJ75h0: { status: "failed", why: "Qwen Code: File path must be absolute: note.txt" },
  call_LagentS0xzE5GZUTZ0: { status: "failed", why: "OpenCode: SchemaError(Missing key at subagent_type)" },
};

/** Sessions that left no file, by corpus and scenario. */
export const NO_FILE: Readonly<Record<string, string>> = {
  "codex-0.130.0 fork": "this version has no exec fork: the command was refused",
  "codex-0.63.0 fork": "this version has no exec fork: the command was refused",
  "codex-0.63.0 review": "this version has no exec review: the command was refused",
  "gemini-0.61.0 chat+chat2+chat3": "the file was gone at the end of the runs; the agent or its cleanup took it",
  "gemini-0.61.0 err400": "a refused request removed the file",
  "pi-0.87.1 int-INT-hang": "nothing is on disk before the first answer",
  "pi-0.87.1 int-KILL-hang": "nothing is on disk before the first answer",
};

/** Human actions without human text, by scenario: what the turn is called. */
export const UNTYPED: Readonly<Record<string, string>> = {
  review: "/review current changes",
};

/** Prompts stored in other words than they were typed in, by session. */
export const STORED_AS: Readonly<Record<string, { typed: string; stored: string; why: string }>> = {
  "01a1de0a-c431-710c-9579-34eb84926d36": {
    typed: "/greet the whole team",
    stored: "Greet the whole team politely. [lab:skill]",
    why: "pi stores prompt templates expanded",
  },
  "3cfff7ef-09f8-48d7-bb18-951773d5e904": {
    typed: "/greet the whole team",
    stored: "Greet the whole team politely. [lab:skill]",
    why: "Qwen Code stores commands given with -p expanded",
  },
  ses_e21fa2c5affekc4jFAvONrUS4K: {
    typed: "the whole team",
    stored: 'Greet "the whole team" politely. [lab:skill]',
    why: "OpenCode stores commands expanded",
  },
};

/** Commands that the agent's client handles alone: they start no turn. */
export const CLIENT_ONLY: ReadonlySet<string> = new Set([
  "/clear",
  "/cost",
  "/exit",
  "/new",
  "/plan",
  "/quit",
  "/rename",
]);

/** Responses that were served with usage which the agent never wrote, by response id. */
export const UNWRITTEN: Readonly<Record<string, string>> = {
  msg_013xoxq2fcsboUlwm7DZqf4r: "Claude Code writes no usage for its compaction request",
  msg_01jguqcyHQJSD9JyBPZ2qz8G: "Claude Code writes no usage for its compaction request",
  msg_01xr1jeRlC7lHiDyTFkJeFSD: "Claude Code was killed while the answer came: no line of it",
  msg_01C4giMQO2sNcxgxal5bTrJu: "Claude Code was killed while the answer came: no line of it",
  resp_IyHoKO7Bp8NIBoqxQTBmdReU: "Codex dropped the stream when the human steered",
  "chatcmpl-Z4PDzxkuLtes3O0dozk5Dkp4": "OpenCode was killed before the step was finished: all its tokens are 0",
  "chatcmpl-AIJ3mhIzvTskIE0pkCTgECgr": "Goose drops a call with malformed arguments; the token columns are NULL",
  "chatcmpl-AejTZgCclmFx1nwQOQMn3Xxt": "Goose was killed while the tool ran; the token columns are NULL",
};

/** Requests for a title, made aside: no store of Codex, OpenCode or Goose holds them or their usage. */
export function isTitle({ script, housekeeping }: TruthResponse): boolean {
  return housekeeping === "thread_title" || (housekeeping === true && script === "#title");
}
