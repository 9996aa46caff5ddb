import { z } from "zod";
import { CLAIMS, MISSING, type ClaimKind, type Missing } from "../../views/day-review.ts";

/** A longer text is no quote and no reason, but a report. */
const text = z.string().trim().min(1).max(600);
const turn = z.string().max(20);

/** What a model answers about a day: each point that does not have its shape is refused. */
export interface GivenOpened {
  turn: string;
  missing: Missing;
  quote: string;
  why: string;
}

export interface GivenClosed {
  /** The name of what was open: `O1`. */
  open: string;
  turn: string;
  quote: string;
  why: string;
}

export interface GivenDecided {
  turn: string;
  quote: string;
  why: string;
  asked?: { turn: string; quote: string } | null | undefined;
}

export interface GivenResult {
  turn: string;
  claim: ClaimKind;
  /** Whether the request counts as met. */
  done: boolean;
  quote: string;
  why: string;
}

export const openedShape: z.ZodType<GivenOpened> = z.object({ turn, missing: z.enum(MISSING), quote: text, why: text });
export const closedShape: z.ZodType<GivenClosed> = z.object({ open: z.string().max(20), turn, quote: text, why: text });
export const decidedShape: z.ZodType<GivenDecided> = z.object({
  turn,
  quote: text,
  why: text,
  asked: z.object({ turn, quote: text }).nullish(),
});
export const resultShape: z.ZodType<GivenResult> = z.object({
  turn,
  claim: z.enum(CLAIMS),
  done: z.boolean(),
  quote: text,
  why: text,
});

/** The form of the answer, as the prompt shows it: a JSON Schema would take as much room as a day. */
export const ANSWER_FORM: string = `{"opened":[{"turn":"t3","missing":"${MISSING.join("|")}","quote":"…","why":"…"}],
"closed":[{"open":"O1","turn":"t5","quote":"…","why":"…"}],
"decided":[{"turn":"t2","quote":"…","why":"…","asked":{"turn":"t1","quote":"…"}}],
"results":[{"turn":"t4","claim":"${CLAIMS.join("|")}","done":true,"quote":"…","why":"…"}]}`;
