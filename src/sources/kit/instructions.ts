import { createHash } from "node:crypto";
import type { ContextBody, ContextSource } from "../../format/record.ts";
import type { Entry, SharedText } from "../contract.ts";

/** Texts that told the model how to work: what the log says of them, and the texts themselves. */
export interface Instructions {
  sources: ContextSource[];
  texts: SharedText[];
}

export interface Instruction {
  /**
   * Which place it takes: a later text of the same kind and path takes it over. `base` is the agent's own prompt,
   * `instructions` what people wrote into AGENTS.md and the like; of `message`s several stand side by side.
   */
  kind: string;
  path: string | null;
  /** Null when it is known to have been there, and not what it said. */
  text: string | null;
  /** The model got less than there was. */
  truncated?: boolean;
}

/** Whoever cut a text said so in it. */
const CUT = /\[\d+ (?:bytes|characters) left out\]/;

/** Empty texts rule nothing. The hash is the SHA-256 of the text as the model got it, in UTF-8. */
export function instructions(list: readonly Instruction[]): Instructions {
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

/** Lets an entry tell them, after all else it tells; the texts themselves only where texts are asked for. */
export function addInstructions(entry: Pick<Entry, "records" | "texts">, given: Instructions, full: boolean): void {
  if (given.sources.length === 0) return;
  entry.records = [...entry.records, ...instructionRecords(given)];
  if (full && given.texts.length > 0) entry.texts = given.texts;
}

export function instructionRecords({ sources }: Instructions): ContextBody[] {
  return sources.length === 0 ? [] : [{ type: "context", sources }];
}

/** For agents that state the same with every message: what differs from what was stated last. `known`: place → hash, kept by the reader. */
export function changedInstructions(given: Instructions, known: Record<string, string>): Instructions {
  const fresh = given.sources.filter(({ kind, path, hash }) => {
    const place = `${kind} ${path ?? ""}`;
    if (known[place] === hash) return false;
    known[place] = hash ?? "";
    return true;
  });
  return { sources: fresh, texts: given.texts.filter(({ hash }) => fresh.some((source) => source.hash === hash)) };
}
