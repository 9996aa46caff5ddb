import { z } from "zod";
import { CLAIMS } from "../views/day-review.ts";
import {
  CHECKS,
  CONFIDENCES,
  DIMENSIONS,
  KINDS,
  MATERIALITIES,
  OUTCOMES,
  PATTERNS,
  TERMINALS,
  TRIGGERS,
  type GivenChain,
  type GivenDay,
  type GivenWeek,
  type GivenWorkItem,
} from "../views/narrative.ts";

/** Maximum length of one statement: a report is read by people. */
const LONGEST = 2000;
const text = z.string().max(LONGEST);
const spans = z
  .array(z.string())
  .describe(
    'lines inside the turn, each "first-last", such as "12-18"; those of a sub-agent it started "A1:first-last"',
  );
const refs = z.array(z.string()).describe('turns, each "S0001/T0001"');
const confidence = z.enum(CONFIDENCES);

/** What an agent writes about one turn. */
export const chainShape: z.ZodType<GivenChain> = z.object({
  turn_ref: z.string(),
  trigger: z.object({
    type: z.enum(TRIGGERS),
    summary: text,
    quoted_messages: z
      .array(z.object({ text: z.string(), citations: spans }))
      .default([])
      .describe("the human's own words, letter by letter"),
    citations: spans,
  }),
  agent_reactions: z.array(z.object({ summary: text, citations: spans })).default([]),
  outcomes: z
    .array(
      z.object({
        category: z.enum(OUTCOMES),
        claim: z.enum(CLAIMS).default("said").describe("what the cited lines record of it; said: nothing does"),
        summary: text,
        citations: spans,
      }),
    )
    .default([]),
  observed_checks: z.array(z.object({ type: z.enum(CHECKS), summary: text, citations: spans })).default([]),
  terminal_state: z.object({ type: z.enum(TERMINALS), summary: text, citations: spans }),
  materiality: z.enum(MATERIALITIES),
});

/** What an agent writes about work that belongs together. */
export const workItemShape: z.ZodType<GivenWorkItem> = z.object({
  kind: z.enum(KINDS),
  title: text,
  covered_turns: refs,
  trigger: z.object({ summary: text, evidence_refs: refs }).nullish(),
  agent_reaction: z.object({ summary: text, main_actions: z.array(text).default([]) }).nullish(),
  outcomes: z
    .array(z.object({ category: z.enum(OUTCOMES), summary: text, evidence_refs: refs, confidence }))
    .default([]),
  terminal_states: z.array(z.object({ type: z.enum(TERMINALS), summary: text, evidence_refs: refs })).default([]),
  limits: z.array(text).default([]),
  reason: text.nullish(),
  confidence,
});

const cited = { citations: z.array(z.string()).describe('turns, each "PROJECT_KEY/S0001/T0001"') };

/** What an agent writes about the day: everything else in its report is made by code. */
export const dayShape: z.ZodType<GivenDay> = z.object({
  title: z.object({ text, ...cited }),
  projects: z.array(z.object({ project_key: z.string(), summary: z.object({ text, ...cited }) })).default([]),
  engagement_assessment: z.object({
    overall_reading: z.object({ text, ...cited, confidence }),
    observations: z
      .array(z.object({ dimension: z.enum(DIMENSIONS), statement: text, ...cited, confidence }))
      .default([]),
    limits: z.array(text).default([]),
  }),
  team_learning: z.object({
    takeaways: z.object({ text, ...cited, confidence }).nullish(),
    patterns: z
      .array(
        z.object({
          kind: z.enum(PATTERNS),
          statement: text,
          rationale: text,
          recurrence: text,
          ...cited,
          confidence,
        }),
      )
      .default([]),
    limits: z.array(text).default([]),
  }),
});

const dated = { citations: z.array(z.string()).describe('turns, each "DATE/PROJECT_KEY/S0001/T0001"') };

/** What an agent writes about several days. Threads are few: the days have the details. */
export const weekShape: z.ZodType<GivenWeek> = z.object({
  title: z.object({ text, ...dated }),
  threads: z
    .array(z.object({ text, ...dated, confidence }))
    .max(8)
    .default([]),
});
