import type { Tokens, UsageBody } from "../../record/record.ts";
import { count, obj, str, type Native } from "../kit/native.ts";
import { hasTranscript, hasTranscriptOfKind, sessionIdFromPath, type ReaderState } from "./native.ts";

type WantedVerdict = "counted" | "inherited" | "duplicate";

/** The counts of one response, under the names of the API (`usageMetadata`) or of telemetry. */
interface Counts {
  prompt: number;
  candidates: number;
  cached: number;
  thoughts: number;
  total: number;
}

function keyOf(counts: Counts): string {
  return Object.values(counts).join(":");
}

/**
 * `prompt` includes cached tokens. Whether `candidates` includes the thoughts depends on the provider: OpenAI-like ones
 * include them, Gemini-like ones do not; the total tells which.
 */
function tokensOf({ prompt, candidates, cached, thoughts, total }: Counts): Tokens {
  const beside = thoughts > 0 && total === prompt + candidates + thoughts;
  const fromCache = Math.min(cached, prompt);
  const output = beside ? candidates + thoughts : candidates;
  return {
    input_tokens: prompt - fromCache,
    cached_input_tokens: fromCache,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: output,
    reasoning_tokens: Math.min(thoughts, output),
  };
}

function statement(id: string, model: string | null, counts: Counts, verdict: WantedVerdict): UsageBody {
  return { type: "usage", response_id: id, model, verdict, ...tokensOf(counts) };
}

/** The id of a subagent's response, equal in its own file and in the telemetry of the session that started it. */
function sideId(session: string, agent: string, counts: Counts): string {
  return `${session}/${agent}/${keyOf(counts)}`;
}

/** The usage of a reply. If telemetry is recorded, it states the usage first and the reply only repeats it. */
export function usageOfReply(record: Native, state: ReaderState, wanted: WantedVerdict): UsageBody[] {
  const usage = obj(record["usageMetadata"]);
  if (!usage) return [];
  const counts: Counts = {
    prompt: count(usage["promptTokenCount"]),
    candidates: count(usage["candidatesTokenCount"]),
    cached: count(usage["cachedContentTokenCount"]),
    thoughts: count(usage["thoughtsTokenCount"]),
    total: count(usage["totalTokenCount"]),
  };
  const model = str(record["model"]) ?? state.ruling.model;
  const agent = str(record["agentId"]);
  if (agent !== null) return [statement(sideId(str(record["sessionId"]) ?? "", agent, counts), model, counts, wanted)];
  const key = keyOf(counts);
  const stated = state.stated.get(key);
  if (stated === undefined) return [statement(str(record["uuid"]) ?? key, model, counts, wanted)];
  state.stated.delete(key);
  return [statement(stated, model, counts, wanted === "inherited" ? "inherited" : "duplicate")];
}

/**
 * The subagent a telemetry record is about; null for the session itself. Before there was an id, its prompt ids
 * contained its name.
 */
export function agentOf(event: Native): string | null {
  const kind = str(event["subagent_name"]);
  return str(event["subagent_id"]) ?? (kind === null ? null : (str(event["prompt_id"])?.split("#")[1] ?? kind));
}

function isStatedElsewhere(event: Native, path: string): boolean {
  const id = str(event["subagent_id"]);
  return id === null ? hasTranscriptOfKind(path, str(event["subagent_name"]) ?? "") : hasTranscript(path, id);
}

/**
 * The usage of a telemetry record. Subagents are included: those with a transcript of their own are counted there,
 * while helpers of the client (memory agents) leave no other trace.
 */
export function usageOfTelemetry(
  event: Native,
  record: Native,
  path: string,
  state: ReaderState,
  wanted: WantedVerdict,
): UsageBody[] {
  const counts: Counts = {
    prompt: count(event["input_token_count"]),
    candidates: count(event["output_token_count"]),
    cached: count(event["cached_content_token_count"]),
    thoughts: count(event["thoughts_token_count"]),
    total: count(event["total_token_count"]),
  };
  const model = str(event["model"]);
  const agent = agentOf(event);
  if (agent !== null) {
    const elsewhere = wanted === "counted" && isStatedElsewhere(event, path);
    const session = str(record["sessionId"]) ?? sessionIdFromPath(path);
    return [statement(sideId(session, agent, counts), model, counts, elsewhere ? "duplicate" : wanted)];
  }
  // Providers' own response ids are not unique (some count to a thousand); the record's id is.
  const id = str(record["uuid"]) ?? keyOf(counts);
  state.stated.set(keyOf(counts), id);
  return [statement(id, model, counts, wanted)];
}
