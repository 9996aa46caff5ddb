import { readsLikeInstruction } from "../../turns/decisions/instruction-like.ts";
import { parseJson } from "../../base/io/json.ts";
import { doorOf } from "../door.ts";
import { readJsonFile, type JsonObject } from "../json-file.ts";
import { isHashId, isPreference, isSplitId, PREFERENCES, type Preference } from "../preferences.ts";
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

interface ProposalBase {
  confidence: number;
  /** The person's own words that it is based on. */
  source_quotes: string[];
  rationale?: string;
  /** When the person applied it. */
  applied_at?: string;
}

/** A lesson drawn from answers. It has no effect until the person applies it. */
export type Proposal =
  | (ProposalBase & { kind: "preference"; question_id: string; preference: Preference })
  | (ProposalBase & {
      kind: "declared-nudge";
      dimension: Dimension;
      direction: "up" | "down";
      magnitude: "small" | "medium" | "large";
    })
  | (ProposalBase & { kind: "memory-nugget"; nugget: string; applies_to_signal_keys: string[] });

/** A proposal that was rejected. */
export interface Rejected {
  /** Its index in the answer, from 0; null when the answer has no proposals at all. */
  index: number | null;
  /** Path in the answer: `proposals[2].source_quotes[0]`. */
  path: string;
  reason: string;
  /** What would be accepted. */
  hint: string;
}

/** A problem, without its index in the answer. `isFinal`: the agent is not asked to correct it. */
interface ProposalProblem {
  field: string;
  reason: string;
  hint: string;
  isFinal?: true;
}

export interface ProposalVerdict {
  proposals: Proposal[];
  /** Rejected, but the agent may correct them. */
  open: Rejected[];
  /** Rejected for good, such as those of low confidence: asked again, the agent would only claim more. */
  final: Rejected[];
}

export const LEAST_CONFIDENCE = 0.7;
const MAX_PROPOSALS = 50;
const SIZES = ["small", "medium", "large"] as const;

/** The proposals in an answer that are certain, supported by quotes, and allowed. Null when it is no answer at all. */
export function proposalsIn(text: string, answers: readonly FreeAnswer[], registry: Registry): ProposalVerdict | null {
  const list = listIn(text);
  if (list === null) return null;
  const judged: ProposalVerdict = { proposals: [], open: [], final: [] };
  for (const [index, value] of list.entries()) {
    const found = index < MAX_PROPOSALS ? proposalOf(value, answers, registry) : TOO_MANY;
    if (!("reason" in found)) judged.proposals.push(found);
    else {
      const { field, reason, hint, isFinal } = found;
      const path = `proposals[${index}]${field === "" ? "" : `.${field}`}`;
      (isFinal ? judged.final : judged.open).push({ index, path, reason, hint });
    }
  }
  return judged;
}

export const NO_ANSWER: Rejected = {
  index: null,
  path: "",
  reason: "the answer is not the JSON that was asked for",
  hint: "answer with one JSON object that holds a list under proposals",
};
const TOO_MANY: ProposalProblem = {
  field: "",
  reason: "there are too many",
  hint: `at most ${MAX_PROPOSALS}: those that matter most`,
  isFinal: true,
};

/** Models wrap JSON in a fence; other text around it is not accepted. */
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

/** A valid proposal, or what is wrong with it. */
function proposalOf(value: unknown, answers: readonly FreeAnswer[], registry: Registry): Proposal | ProposalProblem {
  const given = fields(value);
  const { kind, confidence, source_quotes: quotes, rationale } = given;
  if (typeof confidence !== "number" || !(confidence >= LEAST_CONFIDENCE && confidence <= 1))
    return {
      ...wrong("confidence", `confidence is not ${LEAST_CONFIDENCE} or more`, "propose only what is certain"),
      isFinal: true,
    };
  if (!isTexts(quotes) || quotes.length === 0)
    return wrong("source_quotes", "no quotes", "copy the passages it rests on, letter by letter");
  const strange = quotes.findIndex((quote) => quote.trim() === "" || !answers.some(({ text }) => text.includes(quote)));
  if (strange !== -1)
    return wrong(
      `source_quotes[${strange}]`,
      "a quote is not in the answers, word for word",
      "copy it letter by letter from an answer, or leave the proposal out",
    );
  const proposed = {
    confidence,
    source_quotes: quotes,
    ...(typeof rationale === "string" && !readsLikeInstruction(rationale) ? { rationale: line(rationale) } : {}),
  };
  if (kind === "preference") return preferenceOf(given, proposed, answers, registry);
  if (kind === "declared-nudge") return nudgeOf(given, proposed);
  if (kind === "memory-nugget") return nuggetOf(given, proposed);
  return wrong("kind", "its kind is none of those there are", "preference, declared-nudge or memory-nugget");
}

function wrong(field: string, reason: string, hint: string): ProposalProblem {
  return { field, reason, hint };
}

function preferenceOf(
  { question_id: id, preference }: JsonObject,
  proposed: ProposalBase,
  answers: readonly FreeAnswer[],
  registry: Registry,
): Proposal | ProposalProblem {
  if (typeof id !== "string" || typeof preference !== "string" || !isPreference(preference))
    return wrong("preference", "no preference", PREFERENCES.join(", "));
  const known = "take an id from the data that does not begin with hook-, or leave the proposal out";
  if (isHashId(id)) return wrong("question_id", "a hash of words is no key of a preference", known);
  if (registry.get(id) === null && !answers.some((one) => one.question_id === id))
    return wrong("question_id", "no such question was asked", known);
  const asked = "leave the proposal out";
  if (preference !== "always-ask" && isSplitId(id))
    return wrong("question_id", "options of a split list are always asked", asked);
  const question = answers.find((one) => one.question_id === id)?.question;
  if (preference === "never-ask" && doorOf({ question_id: id, summary: question }, registry).door === "one-way")
    return wrong("preference", "a one-way door is always asked", asked);
  return { kind: "preference", question_id: id, preference, ...proposed };
}

function nudgeOf({ dimension, direction, magnitude }: JsonObject, proposed: ProposalBase): Proposal | ProposalProblem {
  const known = DIMENSIONS.find((one) => one === dimension);
  const size = SIZES.find((one) => one === magnitude);
  if (!known || !size || (direction !== "up" && direction !== "down"))
    return wrong("", "no dimension, direction or magnitude", `${DIMENSIONS.join(", ")}; up, down; ${SIZES.join(", ")}`);
  return { kind: "declared-nudge", dimension: known, direction, magnitude: size, ...proposed };
}

function nuggetOf(
  { nugget, applies_to_signal_keys: keys }: JsonObject,
  proposed: ProposalBase,
): Proposal | ProposalProblem {
  if (typeof nugget !== "string" || nugget.trim() === "")
    return wrong("nugget", "no nugget", "one plain sentence about what the developer wants");
  // The nugget is shown to agents later.
  if (readsLikeInstruction(nugget))
    return wrong("nugget", "it reads like an instruction", "say what the developer wants, not what an agent is to do");
  const signals = isTexts(keys) ? keys.filter((key) => /^[a-z0-9-]{1,64}$/.test(key)) : [];
  return { kind: "memory-nugget", nugget: line(nugget), applies_to_signal_keys: signals, ...proposed };
}

/** The stored proposals, including those that are not understood. */
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
