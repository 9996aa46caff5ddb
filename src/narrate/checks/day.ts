import type { GivenDay } from "../../views/narrative.ts";
import type { TurnEvidence } from "../turn-evidence.ts";
import type { Problem } from "./problem.ts";
import { scopeOfTurns } from "./scope.ts";
import { statementProblems } from "./statement.ts";

/** What statements about a day are checked against. */
export interface KnownDay {
  /** Turns with accepted chains, by `PROJECT_KEY/S0001/T0001`. */
  turns: ReadonlyMap<string, TurnEvidence>;
  /** Projects with reported work: each needs a summary. */
  projects: ReadonlySet<string>;
  /** Counts of the day that are in no line. */
  numbers: ReadonlySet<string>;
}

export type DayPart =
  | { slot: "title" | "overall_reading" | "takeaways" }
  | { slot: "summary" | "observation" | "pattern" | "engagement_limit" | "learning_limit"; index: number };

/** The problems of each part of what was written about a day. */
export function dayProblems(day: GivenDay, known: KnownDay): { part: DayPart; problems: Problem[] }[] {
  const { engagement_assessment: engagement, team_learning: learning } = day;
  const parts: { part: DayPart; problems: Problem[] }[] = [
    { part: { slot: "title" }, problems: citedProblems(day.title.text, day.title.citations, known, "title") },
    {
      part: { slot: "overall_reading" },
      problems: assessmentProblems(engagement.overall_reading, "engagement_assessment.overall_reading", known),
    },
    ...day.projects.map((_, index) => ({
      part: { slot: "summary" as const, index },
      problems: summaryProblems(day, index, known),
    })),
    ...engagement.observations.map(({ statement: text, citations }, index) => ({
      part: { slot: "observation" as const, index },
      problems: assessmentProblems(
        { text, citations },
        `engagement_assessment.observations[${index}]`,
        known,
        "statement",
      ),
    })),
    ...learning.patterns.map((_, index) => ({
      part: { slot: "pattern" as const, index },
      problems: patternProblems(day, index, known),
    })),
    ...engagement.limits.map((text, index) => ({
      part: { slot: "engagement_limit" as const, index },
      problems: limitProblems(text, `engagement_assessment.limits[${index}]`, known),
    })),
    ...learning.limits.map((text, index) => ({
      part: { slot: "learning_limit" as const, index },
      problems: limitProblems(text, `team_learning.limits[${index}]`, known),
    })),
  ];
  if (learning.takeaways)
    parts.push({
      part: { slot: "takeaways" },
      problems: assessmentProblems(learning.takeaways, "team_learning.takeaways", known),
    });
  return parts;
}

function summaryProblems({ projects }: GivenDay, i: number, known: KnownDay): Problem[] {
  const given = projects[i];
  if (!given) return [];
  const path = `projects[${i}]`;
  const { project_key: key, summary } = given;
  const hint = "one summary for each project that is asked for, with turns of that project";
  if (!known.projects.has(key))
    return [
      {
        rule: "project.unknown",
        path: `${path}.project_key`,
        message: `no summary of ${key.slice(0, 60)} is wanted`,
        hint,
      },
    ];
  if (projects.findIndex((one) => one.project_key === key) !== i)
    return [{ rule: "project.twice", path: `${path}.project_key`, message: `${key} has a summary already`, hint }];
  const foreign = summary.citations.find((name) => !name.startsWith(`${key}/`));
  if (foreign !== undefined)
    return [
      {
        rule: "citation.foreign_turn",
        path: `${path}.summary.citations`,
        message: `${foreign.slice(0, 80)} is of another project`,
        hint,
      },
    ];
  return citedProblems(summary.text, summary.citations, known, `${path}.summary`);
}

function patternProblems({ team_learning: { patterns } }: GivenDay, i: number, known: KnownDay): Problem[] {
  const pattern = patterns[i];
  if (!pattern) return [];
  const path = `team_learning.patterns[${i}]`;
  return (["statement", "rationale", "recurrence"] as const).flatMap((field) =>
    assessmentProblems({ text: pattern[field], citations: pattern.citations }, path, known, field),
  );
}

/** Assessments must not score or compare people. */
const SCORE =
  /\b\d+(?:\.\d+)?\s*(?:\/|out of)\s*(?:5|10|100)\b|\b(?:score[sd]?|rating|ranked?|better than (?:other|most|average)|above average|below average)\b/i;

function assessmentProblems(
  { text, citations }: { text: string; citations: readonly string[] },
  path: string,
  known: KnownDay,
  field = "text",
): Problem[] {
  const found = citedProblems(text, citations, known, path, field);
  if (!SCORE.test(text)) return found;
  const hint = "say what the human did and what shows it";
  return [
    ...found,
    { rule: "judgement.score", path: `${path}.${field}`, message: "people are not scored or compared", hint },
  ];
}

function citedProblems(
  text: string,
  citations: readonly string[],
  known: KnownDay,
  path: string,
  field = "text",
): Problem[] {
  const hint = "cite turns of work items, as PROJECT_KEY/S0001/T0001";
  const at = `${path}.citations`;
  if (citations.length === 0) return [{ rule: "citation.missing", path: at, message: "nothing is cited", hint }];
  const unknown = citations.find((name) => !known.turns.has(name));
  if (unknown !== undefined)
    return [{ rule: "citation.unknown_turn", path: at, message: `${unknown.slice(0, 80)} leads to no evidence`, hint }];
  const turns = citations.flatMap((name) => known.turns.get(name) ?? []);
  return statementProblems(text, scopeOfTurns(turns), `${path}.${field}`, known.numbers);
}

/** Limits cite nothing: they are checked against the whole day. */
function limitProblems(text: string, path: string, known: KnownDay): Problem[] {
  return statementProblems(text, scopeOfTurns([...known.turns.values()]), path, known.numbers);
}
