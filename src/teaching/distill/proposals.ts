import { readsLikeInstruction } from "../../decisions/instruction-like.ts";
import { parseJson } from "../../io/json.ts";
import { doorOf } from "../door.ts";
import { readJsonFile, type JsonObject } from "../json-file.ts";
import { isHashId, isPreference, isSplitId, type Preference } from "../preferences.ts";
import type { Registry } from "../registry.ts";
import { stateFile, type State } from "../state.ts";
import type { FreeAnswer } from "./answers.ts";

export const DIMENSIONS = [
  "scope_appetite",
  "risk_tolerance",
  "detail_preference",
  "autonomy",
  "architecture_care",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

interface Proposed {
  confidence: number;
  /** The person's own words it rests on. */
  source_quotes: string[];
  rationale?: string;
  /** When the person took it over. */
  applied_at?: string;
}

/** A lesson somebody sees in answers. Nothing follows from it before the person says so. */
export type Proposal =
  | (Proposed & { kind: "preference"; question_id: string; preference: Preference })
  | (Proposed & {
      kind: "declared-nudge";
      dimension: Dimension;
      direction: "up" | "down";
      magnitude: "small" | "medium" | "large";
    })
  | (Proposed & { kind: "memory-nugget"; nugget: string; applies_to_signal_keys: string[] });

export interface Rejected {
  /** Its place in what was answered, from 0. */
  index: number;
  reason: string;
}

export const LEAST_CONFIDENCE = 0.7;
const MOST = 50;

/** What holds of an answer: proposals that are certain, grounded in quotes, and allowed. Null when it is no answer at all. */
export function proposalsIn(
  text: string,
  answers: readonly FreeAnswer[],
  registry: Registry,
): { proposals: Proposal[]; rejected: Rejected[] } | null {
  const list = listIn(text);
  if (list === null) return null;
  const proposals: Proposal[] = [];
  const rejected: Rejected[] = [];
  for (const [index, value] of list.entries()) {
    const found = index < MOST ? proposalOf(value, answers, registry) : "there are too many";
    if (typeof found === "string") rejected.push({ index, reason: found });
    else proposals.push(found);
  }
  return { proposals, rejected };
}

/** Models wrap JSON in a fence; words around it are none. */
function listIn(text: string): unknown[] | null {
  const bare = text
    .trim()
    .replace(/^```(?:json)?\s*\n/i, "")
    .replace(/\n```\s*$/, "");
  try {
    const { proposals } = fields(parseJson(bare));
    return Array.isArray(proposals) ? proposals : null;
  } catch {
    return null;
  }
}

/** Why it does not hold, where it does not. */
function proposalOf(value: unknown, answers: readonly FreeAnswer[], registry: Registry): Proposal | string {
  const given = fields(value);
  const { kind, confidence, source_quotes: quotes, rationale } = given;
  if (typeof confidence !== "number" || !(confidence >= LEAST_CONFIDENCE && confidence <= 1))
    return `confidence is not ${LEAST_CONFIDENCE} or more`;
  if (!isTexts(quotes) || quotes.length === 0) return "no quotes";
  if (quotes.some((quote) => quote.trim() === "" || !answers.some(({ text }) => text.includes(quote))))
    return "a quote is not in the answers, word for word";
  const proposed = {
    ...{ confidence, source_quotes: quotes },
    ...(typeof rationale === "string" && !readsLikeInstruction(rationale) ? { rationale: line(rationale) } : {}),
  };
  if (kind === "preference") return preferenceOf(given, proposed, answers, registry);
  if (kind === "declared-nudge") return nudgeOf(given, proposed);
  return kind === "memory-nugget" ? nuggetOf(given, proposed) : "its kind is none of those there are";
}

function preferenceOf(
  { question_id: id, preference }: JsonObject,
  proposed: Proposed,
  answers: readonly FreeAnswer[],
  registry: Registry,
): Proposal | string {
  if (typeof id !== "string" || typeof preference !== "string" || !isPreference(preference)) return "no preference";
  if (isHashId(id)) return "a hash of words is no key of a preference";
  if (registry.get(id) === null && !answers.some((one) => one.question_id === id)) return "no such question was asked";
  if (preference !== "always-ask" && isSplitId(id)) return "options of a split list are always asked";
  const question = answers.find((one) => one.question_id === id)?.question;
  if (preference === "never-ask" && doorOf({ question_id: id, summary: question }, registry).door === "one-way")
    return "a one-way door is always asked";
  return { kind: "preference", question_id: id, preference, ...proposed };
}

function nudgeOf({ dimension, direction, magnitude }: JsonObject, proposed: Proposed): Proposal | string {
  const known = DIMENSIONS.find((one) => one === dimension);
  const size = (["small", "medium", "large"] as const).find((one) => one === magnitude);
  if (!known || !size || (direction !== "up" && direction !== "down")) return "no dimension, direction or magnitude";
  return { kind: "declared-nudge", dimension: known, direction, magnitude: size, ...proposed };
}

function nuggetOf({ nugget, applies_to_signal_keys: keys }: JsonObject, proposed: Proposed): Proposal | string {
  if (typeof nugget !== "string" || nugget.trim() === "") return "no nugget";
  // It is shown to agents later.
  if (readsLikeInstruction(nugget)) return "it reads like an instruction";
  const signals = isTexts(keys) ? keys.filter((key) => /^[a-z0-9-]{1,64}$/.test(key)) : [];
  return { kind: "memory-nugget", nugget: line(nugget), applies_to_signal_keys: signals, ...proposed };
}

/** The file of proposals; what is not understood of it stays in it. */
export function readProposals(state: State, slug: string): JsonObject[] {
  const held = readJsonFile(stateFile.proposals(state, slug))?.["proposals"];
  return Array.isArray(held) ? held.map(fields) : [];
}

function line(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function fields(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
