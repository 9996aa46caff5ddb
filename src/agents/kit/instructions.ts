import { createHash } from "node:crypto";
import type { ContextBody, ContextSource } from "../../record/record.ts";
import type { Entry, SharedText } from "../contract.ts";

/** Texts that told the model how to work: their descriptions for the log, and the texts themselves. */
export interface Instructions {
  sources: ContextSource[];
  texts: SharedText[];
}

export interface Instruction {
  /**
   * A later text of the same kind and path replaces an earlier one. `base` is the agent's own prompt, `instructions` is
   * what people wrote into AGENTS.md and similar files; several `message`s can be in force at the same time.
   */
  kind: string;
  path: string | null;
  /** Null when it is known that the model got instructions, but not their text. */
  text: string | null;
  /** The model got only part of the text. */
  truncated?: boolean;
}

/** Marker left in a text that was shortened. */
const CUT = /\[\d+ (?:bytes|characters) left out\]/;

/** Skips empty texts. The hash is the SHA-256 of the text as the model got it, in UTF-8. */
export function toInstructions(list: readonly Instruction[]): Instructions {
  const given: Instructions = { sources: [], texts: [] };
  for (const { kind, path, text, truncated = false } of list) {
    if (text === null) given.sources.push({ kind, path, hash: null, truncated });
    if (text === null || text.trim() === "") continue;
    const hash = createHash("sha256").update(text, "utf8").digest("hex");
    given.sources.push({ kind, path, hash, truncated: truncated || CUT.test(text) });
    given.texts.push({ hash, text });
  }
  return given;
}

export const NO_INSTRUCTIONS: Instructions = { sources: [], texts: [] };

/** Appends the instructions to an entry's records, and attaches the texts if `full` detail is requested. */
export function addInstructions(entry: Pick<Entry, "records" | "texts">, given: Instructions, full: boolean): void {
  if (given.sources.length === 0) return;
  entry.records = [...entry.records, ...instructionRecords(given)];
  if (full && given.texts.length > 0) entry.texts = given.texts;
}

export function instructionRecords({ sources }: Instructions): ContextBody[] {
  return sources.length === 0 ? [] : [{ type: "context", sources }];
}

/**
 * For agents that repeat their instructions with every message: only those that changed since they were last stated.
 * `known` maps kind and path to the last hash and is part of the reader's state.
 */
export function changedInstructions(given: Instructions, known: Record<string, string>): Instructions {
  const fresh = given.sources.filter(({ kind, path, hash }) => {
    const key = `${kind} ${path ?? ""}`;
    if (known[key] === hash) return false;
    known[key] = hash ?? "";
    return true;
  });
  return { sources: fresh, texts: given.texts.filter(({ hash }) => fresh.some((source) => source.hash === hash)) };
}
