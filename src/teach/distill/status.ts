import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import type { JsonObject } from "../json-file.ts";
import { stateFile, type State } from "../state.ts";
import { readProposals } from "./proposals.ts";

/** A proposal as a person reads it. */
export interface ProposalView {
  /** The number by which it is applied. */
  index: number;
  kind: string;
  text: string;
  confidence: number | null;
  quotes: string[];
  applied_at: string | null;
}

/** The runs that looked for lessons. */
export interface DistillRuns {
  runs: number;
  last_run: string | null;
  /** The stated cost of the runs; null when none stated one. */
  cost_usd: number | null;
}

/** The runs and proposals of one project. */
export interface DistillStatus extends DistillRuns {
  proposals: ProposalView[];
}

export function distillStatus(state: State, slug: string): DistillStatus {
  return {
    ...distillRuns(state, slug),
    proposals: readProposals(state, slug).map((one, index) => ({
      index,
      kind: words(one["kind"]),
      text: textOf(one),
      confidence: typeof one["confidence"] === "number" ? one["confidence"] : null,
      quotes: Array.isArray(one["source_quotes"])
        ? one["source_quotes"].filter((quote) => typeof quote === "string")
        : [],
      applied_at: typeof one["applied_at"] === "string" ? one["applied_at"] : null,
    })),
  };
}

/** The runs for one project, or for all. */
export function distillRuns(state: State, slug?: string): DistillRuns {
  const runs = costLines(state).filter((line) => slug === undefined || line["slug"] === slug);
  const costs = runs.flatMap(({ cost_usd_est: cost }) => (typeof cost === "number" ? [cost] : []));
  const last = runs.at(-1)?.["ts"];
  return {
    runs: runs.length,
    last_run: typeof last === "string" ? last : null,
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0),
  };
}

function textOf(one: JsonObject): string {
  if (one["kind"] === "preference") return `${words(one["question_id"])}: ${words(one["preference"])}`;
  if (one["kind"] === "memory-nugget") return words(one["nugget"]);
  return `${words(one["dimension"])} ${words(one["direction"])} (${words(one["magnitude"])})`;
}

function words(value: unknown): string {
  return typeof value === "string" ? value : "?";
}

function costLines(state: State): JsonObject[] {
  let text: string;
  try {
    text = readText(stateFile.distillCost(state));
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line): JsonObject[] => {
    try {
      const value = parseJson(line);
      return typeof value === "object" && value !== null ? [value as JsonObject] : [];
    } catch {
      return [];
    }
  });
}
