import type { NarrationPlan } from "../views/narrative.ts";
import type { Redactor } from "../base/redact/redact.ts";
import { loadWorkspace } from "../answers/workspace/load.ts";
import { batchTurns, turnText } from "./batches.ts";
import { ANSWER_TOKENS, estimatedTokens, priceOf } from "./budget.ts";
import { sessionEvidence } from "./session-evidence.ts";

/** Estimated tokens of a prompt's own text, with the schema of the answer. */
const WORDS = 1500;
/** Estimated tokens of what is written about one turn or work item. */
const CHAIN = 400;

/** The requests that a narration would make, before any is made. */
export async function planNarration(
  path: string,
  { model, attempts, redactor, now }: { model: string | null; attempts: number; redactor: Redactor; now: number },
): Promise<NarrationPlan> {
  const { metadata, projects } = loadWorkspace(path);
  const tasks: { task: string; tokens: number }[] = [];
  let [sessions, turns, reported] = [0, 0, 0];
  for (const project of projects) {
    let inProject = 0;
    for (const row of project.rows) {
      const found = await sessionEvidence(project, row, { timezone: metadata.timezone, redactor });
      const readable = found.filter(({ lines }) => lines.length > 0);
      sessions++;
      turns += found.length;
      inProject += readable.length;
      for (const [i, batch] of batchTurns(readable).entries()) {
        const tokens = estimatedTokens(batch.map((turn) => turnText(turn)).join("\n"));
        tasks.push({ task: `evidence ${project.key}/${row.session_ref} ${i + 1}`, tokens: WORDS + tokens });
      }
    }
    reported += inProject;
    if (inProject > 0) tasks.push({ task: `project ${project.key}`, tokens: WORDS + inProject * CHAIN });
  }
  if (reported > 0) tasks.push({ task: "day", tokens: WORDS + reported * CHAIN });
  const input = tasks.reduce((sum, { tokens }) => sum + tokens, 0);
  const output = tasks.length * ANSWER_TOKENS;
  const price = priceOf(model, input, output, now);
  return {
    report_date: metadata.report_date,
    projects: projects.length,
    sessions,
    turns,
    requests: { least: tasks.length, most: tasks.length * attempts },
    tokens: { least: input + output, most: (input + output) * attempts },
    cost_usd: price === null ? null : { least: price, most: price * attempts },
    cost_note: price === null ? whyNoPrice(model) : null,
    tasks,
    files: [
      "AGENTS.md",
      "narration/",
      ...projects.flatMap(({ key, rows }) => [
        ...rows.map(({ session_ref }) => `projects/${key}/evidence/${session_ref}.json`),
        `projects/${key}/project-synthesis.json`,
      ]),
      "daily-report.json",
      "report.md",
      "report.html",
    ],
  };
}

function whyNoPrice(model: string | null): string {
  return model === null ? "no model is named: --model, or model in [narrate]" : `no price is known for ${model}`;
}
