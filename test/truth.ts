import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What was really typed and served, recorded by the lab that made the corpus. */
export interface Truth {
  corpora: Record<string, { sessions: TruthSession[] }>;
}

export interface TruthSession {
  session: string | null;
  runs: { scenario: string }[];
  human_prompts: { text: string; via: string }[];
  responses: {
    /** In the words of the wire protocol the agent spoke. */
    usage: { output?: number; output_tokens?: number } | null;
    script: string;
    resp_id?: string;
    side?: boolean;
    housekeeping?: boolean | string;
    calls: { call_id: string; expected: string }[];
    thread?: string;
  }[];
  actions?: { kind: string; text: string }[];
  interruptions?: { how: string; prompt: string }[] | null;
  subagents?: unknown[] | null;
  files: string[];
  prompts_not_found_in_files?: string[];
  call_ids_not_found_in_files?: string[];
}

export const CORPUS: string = fileURLToPath(new URL("./fixtures/corpus/", import.meta.url));

export function readTruth(): Truth {
  return JSON.parse(readFileSync(`${CORPUS}TRUTH.json`, "utf8")) as Truth;
}

export function sourceOfCorpus(label: string): string {
  return label.startsWith("claude") ? "claude-code" : (label.split("-")[0] as string);
}
