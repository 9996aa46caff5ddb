/**
 * What a model of the user's choice read in a day, as far as the checks let it pass. Derived facts: they are stored
 * beside what was recorded, never mixed with it, and always shown with the name of the model.
 */

/** What is missing where something stays open. The first six are things that records can contradict. */
export const MISSING = [
  "push",
  "commit",
  "merge",
  "release",
  "check",
  "run",
  "todo",
  "answer",
  "work",
  "other",
] as const;
export type Missing = (typeof MISSING)[number];

/** What a statement about a turn claims. All but `said` need a record of that turn. */
export const CLAIMS = [
  "changed",
  "created",
  "deleted",
  "ran",
  "committed",
  "merged",
  "pushed",
  "released",
  "asked",
  "decided",
  "measured",
  "said",
] as const;
export type ClaimKind = (typeof CLAIMS)[number];

/** Something that a model read, and the words it read it in. */
export interface ReadPoint {
  /** Stays the same when the day is read again. */
  id: string;
  source: string;
  session_id: string;
  turn_ref: string;
  /** Time of the turn. */
  time: string;
  /** Verbatim, from what was sent of the turn. */
  quote: string;
  /** Whose words they are. `record`: a call, a commit, a question put by a tool. */
  quote_by: "human" | "agent" | "record";
  /** In the model's words. */
  why: string;
  /** What the program compared with the records. */
  checked: string;
}

export interface OpenPoint extends ReadPoint {
  missing: Missing;
}

export interface ClosedPoint extends ReadPoint {
  /** The point that it closes, or the turn with a loose end that the records show. */
  closes: { id: string | null; source: string; session_id: string; turn_ref: string; text: string };
}

export interface DecidedPoint extends ReadPoint {
  /** Where the agent asked or advised, if it did. */
  asked: { turn_ref: string; quote: string } | null;
}

export interface ResultPoint extends ReadPoint {
  claim: ClaimKind;
  /** What the records show of it, in the program's own words; null where it is only said. */
  proof: string | null;
}

/** What was not let in, and why. */
export interface RefusedPoint {
  kind: "opened" | "closed" | "decided" | "result";
  /** The turn that was named; empty where there is no such turn. */
  source: string;
  session_id: string;
  turn_ref: string;
  quote: string;
  rule: string;
  reason: string;
}

/** Who read the day, when, and what it cost. */
export interface ReadBy {
  day: string;
  timezone: string;
  /** Name of the agent, and of the model where one was named. */
  model: string;
  time: string;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  /** The numbers were not stated but estimated from the texts. */
  estimated: boolean;
  /** Null when neither the agent nor the price table knows. */
  cost_usd: number | null;
}

export interface DayReview extends ReadBy {
  schema_version: 1;
  /** SHA-256 of the digest that was sent: the same digest is not sent again. */
  digest: string;
  opened: OpenPoint[];
  closed: ClosedPoint[];
  decided: DecidedPoint[];
  results: ResultPoint[];
  refused: RefusedPoint[];
}

/** In a report: what was found in its days, and what earlier days left open. */
export interface ReadByModel {
  by: ReadBy[];
  /** Left open by turns of the span, and not closed by its end. */
  opened: PlacedPoint<OpenPoint>[];
  /** Left open before the span, up to four weeks earlier. */
  carried: PlacedPoint<OpenPoint>[];
  closed: PlacedPoint<ClosedPoint>[];
  results: PlacedPoint<ResultPoint>[];
  decisions: PlacedPoint<DecidedPoint>[];
}

/** A point with what depends on when it is asked about. */
export type PlacedPoint<Point extends ReadPoint> = Point & {
  /** `019e2f1c/T0002`: what `show` opens. */
  citation: string;
  project: string;
  day: string;
  /** Name of the agent and model that read it. */
  model: string;
};

/** What a review would send, and what it would cost. */
export interface ReviewPlan {
  day: string;
  turns: number;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  /** Null when no model is named, or it has no price. */
  cost_usd: number | null;
  /** The answer to this very digest is in the book: nothing would be asked. */
  is_known: boolean;
  digest: string[];
}
