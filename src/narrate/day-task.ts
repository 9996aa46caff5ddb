import { quoted } from "../base/text/quote.ts";
import { dayProblems, type DayPart, type KnownDay } from "./checks/day.ts";
import type { Problem } from "./checks/problem.ts";
import { compactText } from "./compact.ts";
import { sanitize, type TaskContext } from "./evidence-task.ts";
import { listIn, parseAnswer, schemaOf, parseShape } from "./given.ts";
import type { GivenDay, ProjectSynthesis } from "../views/narrative.ts";
import { answerRule, problemText } from "./prompts.ts";
import { dayShape } from "./shapes.ts";

/** The valid parts of the texts about the day. */
export interface DayTexts {
  title: GivenDay["title"] | null;
  summaries: Map<string, GivenDay["projects"][number]["summary"]>;
  overall_reading: GivenDay["engagement_assessment"]["overall_reading"] | null;
  observations: GivenDay["engagement_assessment"]["observations"];
  engagement_limits: string[];
  takeaways: GivenDay["team_learning"]["takeaways"];
  patterns: GivenDay["team_learning"]["patterns"];
  learning_limits: string[];
}

export function noTexts(): DayTexts {
  return {
    title: null,
    summaries: new Map(),
    overall_reading: null,
    observations: [],
    engagement_limits: [],
    takeaways: null,
    patterns: [],
    learning_limits: [],
  };
}

/** The texts of the day that only a model can write. Texts that are still invalid after all attempts are left out. */
export async function dayTexts(
  syntheses: readonly ProjectSynthesis[],
  known: KnownDay,
  work: TaskContext,
): Promise<DayTexts> {
  let problems: Problem[] = [];
  let last: GivenDay | null = null;
  for (let attempt = 1; attempt <= work.attempts; attempt++) {
    const prompt = promptFor(syntheses, known, problems, work);
    const text = await work.asker.ask(
      "day",
      attempt,
      prompt,
      work.tools && {
        ...work.tools.day(),
        isEnough: (answer) => judgeDay(answer, known).holds,
      },
    );
    const seen = judgeDay(text, known);
    work.rejected.add("day", attempt, seen.problems, seen.answer);
    last = seen.given ?? last;
    problems = seen.problems;
    if (seen.holds) break;
  }
  return last ? textsOf(sanitize(last, work.redactor), known) : noTexts();
}

export interface DayVerdict {
  /** The last one that has the right shape. */
  given: GivenDay | null;
  /** It has no problems. */
  holds: boolean;
  problems: Problem[];
  answer: unknown;
}

/**
 * Checks what was written about the day: one answer, or, with tools, several under `days`, of which the last counts.
 */
export function judgeDay(text: string, known: KnownDay): DayVerdict {
  const parsed = parseAnswer(text);
  if ("problem" in parsed) return { given: null, holds: false, problems: [parsed.problem], answer: null };
  const answer = parsed.value;
  const list = listIn(answer, "days");
  if (!Array.isArray(list)) return { ...judgeOne(answer, known, ""), answer };
  const out: DayVerdict = { given: null, holds: false, problems: [], answer };
  for (const [i, one] of list.entries()) {
    const { given, holds, problems } = judgeOne(one, known, `days[${i}]`);
    out.problems.push(...problems);
    if (given) Object.assign(out, { given, holds });
  }
  return out;
}

function judgeOne(value: unknown, known: KnownDay, path: string): Omit<DayVerdict, "answer"> {
  const shape = parseShape(dayShape, value, path);
  if ("problems" in shape) return { given: null, holds: false, problems: shape.problems };
  const given = shape.value;
  const summarised = new Set(given.projects.map(({ project_key }) => project_key));
  const missing = [...known.projects]
    .filter((key) => !summarised.has(key))
    .map((key): Problem => ({
      rule: "project.missing",
      path: "projects",
      message: `${key} has no summary`,
      hint: "one summary for each project that is asked for",
    }));
  const found = [...dayProblems(given, known).flatMap((part) => part.problems), ...missing];
  const problems = path === "" ? found : found.map((one) => ({ ...one, path: `${path}.${one.path}` }));
  return { given, holds: found.length === 0, problems };
}

/** Keeps the valid parts. */
function textsOf(day: GivenDay, known: KnownDay): DayTexts {
  const wrong = new Set(
    dayProblems(day, known)
      .filter(({ problems }) => problems.length > 0)
      .map(({ part }) => nameOf(part)),
  );
  const holds = (part: DayPart): boolean => !wrong.has(nameOf(part));
  const kept = <T>(slot: Extract<DayPart, { index: number }>["slot"], list: readonly T[]): T[] =>
    list.filter((_, index) => holds({ slot, index }));
  const { engagement_assessment: engagement, team_learning: learning } = day;
  return {
    title: holds({ slot: "title" }) ? day.title : null,
    summaries: new Map(kept("summary", day.projects).map(({ project_key, summary }) => [project_key, summary])),
    overall_reading: holds({ slot: "overall_reading" }) ? engagement.overall_reading : null,
    observations: kept("observation", engagement.observations),
    engagement_limits: kept("engagement_limit", engagement.limits),
    takeaways: holds({ slot: "takeaways" }) ? learning.takeaways : null,
    patterns: kept("pattern", learning.patterns),
    learning_limits: kept("learning_limit", learning.limits),
  };
}

function nameOf(part: DayPart): string {
  return "index" in part ? `${part.slot} ${part.index}` : part.slot;
}

function promptFor(
  syntheses: readonly ProjectSynthesis[],
  known: KnownDay,
  problems: readonly Problem[],
  work: TaskContext,
): string {
  return work.prompts.text("day", {
    projects: [...known.projects].join(", "),
    answer: work.tools?.answerRule("day") ?? answerRule(schemaOf(dayShape)),
    problems: problemText(problems),
    transcript: quoted(itemsText(syntheses)),
  });
}

/** The work items of a day, one JSON object per line. */
export function itemsText(syntheses: readonly ProjectSynthesis[]): string {
  return syntheses
    .flatMap(({ project_key, work_items }) =>
      work_items
        .filter(({ kind }) => kind === "material_work_item" || kind === "no_material_work_item")
        .map((item) => compactText({ project_key, ...item })),
    )
    .join("\n");
}
