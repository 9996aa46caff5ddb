import { readsLikeInstruction } from "../../decisions/instruction-like.ts";
import { parseJson } from "../../io/json.ts";
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

/** A proposal that does not hold. */
export interface Rejected {
  /** Its place in what was answered, from 0; null where the answer holds no proposals at all. */
  index: number | null;
  /** Where in the answer: `proposals[2].source_quotes[0]`. */
  path: string;
  reason: string;
  /** What would be taken. */
  hint: string;
}

/** What is wrong, without its place in the answer. `isFinal`: nobody is asked to say it otherwise. */
interface Wrong {
  field: string;
  reason: string;
  hint: string;
  isFinal?: true;
}

export interface Judged {
  proposals: Proposal[];
  /** Those that may come again, corrected. */
  open: Rejected[];
  /** Those whose writer is not sure: asked again it would only say that it is. */
  final: Rejected[];
}

export const LEAST_CONFIDENCE = 0.7;
const MOST = 50;
const SIZES = ["small", "medium", "large"] as const;

/** What holds of an answer: proposals that are certain, grounded in quotes, and allowed. Null when it is no answer at all. */
export function proposalsIn(text: string, answers: readonly FreeAnswer[], registry: Registry): Judged | null {
  const list = listIn(text);
  if (list === null) return null;
  const judged: Judged = { proposals: [], open: [], final: [] };
  for (const [index, value] of list.entries()) {
    const found = index < MOST ? proposalOf(value, answers, registry) : TOO_MANY;
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
  ...{ index: null, path: "", reason: "the answer is not the JSON that was asked for" },
  hint: "answer with one JSON object that holds a list under proposals",
};
const TOO_MANY: Wrong = {
  ...{ field: "", reason: "there are too many", hint: `at most ${MOST}: those that matter most`, isFinal: true },
};

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
function proposalOf(value: unknown, answers: readonly FreeAnswer[], registry: Registry): Proposal | Wrong {
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
    ...{ confidence, source_quotes: quotes },
    ...(typeof rationale === "string" && !readsLikeInstruction(rationale) ? { rationale: line(rationale) } : {}),
  };
  if (kind === "preference") return preferenceOf(given, proposed, answers, registry);
  if (kind === "declared-nudge") return nudgeOf(given, proposed);
  if (kind === "memory-nugget") return nuggetOf(given, proposed);
  return wrong("kind", "its kind is none of those there are", "preference, declared-nudge or memory-nugget");
}

function wrong(field: string, reason: string, hint: string): Wrong {
  return { field, reason, hint };
}

function preferenceOf(
  { question_id: id, preference }: JsonObject,
  proposed: Proposed,
  answers: readonly FreeAnswer[],
  registry: Registry,
): Proposal | Wrong {
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

function nudgeOf({ dimension, direction, magnitude }: JsonObject, proposed: Proposed): Proposal | Wrong {
  const known = DIMENSIONS.find((one) => one === dimension);
  const size = SIZES.find((one) => one === magnitude);
  if (!known || !size || (direction !== "up" && direction !== "down"))
    return wrong("", "no dimension, direction or magnitude", `${DIMENSIONS.join(", ")}; up, down; ${SIZES.join(", ")}`);
  return { kind: "declared-nudge", dimension: known, direction, magnitude: size, ...proposed };
}

function nuggetOf({ nugget, applies_to_signal_keys: keys }: JsonObject, proposed: Proposed): Proposal | Wrong {
  if (typeof nugget !== "string" || nugget.trim() === "")
    return wrong("nugget", "no nugget", "one plain sentence about what the developer wants");
  // It is shown to agents later.
  if (readsLikeInstruction(nugget))
    return wrong("nugget", "it reads like an instruction", "say what the developer wants, not what an agent is to do");
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
