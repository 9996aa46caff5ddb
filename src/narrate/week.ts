import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type {
  Citation,
  DailyReport,
  DatedCitation,
  GivenWeek,
  NarrationSpent,
  RejectedStatement,
  WeeklyReport,
} from "../views/narrative.ts";
import { acquireLock } from "../record/write-lock.ts";
import { quoted } from "../base/text/quote.ts";
import { loadWorkspace, readJsonFile } from "../answers/workspace/load.ts";
import { clearUnfinished, jsonText, writeAtomic } from "../answers/workspace/write.ts";
import { writeAgentsFile } from "./agents-file.ts";
import { Asker } from "./asker.ts";
import { Budget } from "./budget.ts";
import type { Problem } from "./checks/problem.ts";
import { scopeOfTurns } from "./checks/scope.ts";
import { statementProblems } from "./checks/statement.ts";
import { compactText } from "./compact.ts";
import { EvidenceStore } from "./evidence-store.ts";
import { sanitize } from "./evidence-task.ts";
import { parseAnswer, schemaOf, parseShape } from "./given.ts";
import { foldersOfJournal, Journal } from "./journal.ts";
import type { NarrateOptions } from "./narrate.ts";
import { answerRule, problemText } from "./prompts.ts";
import { RejectedList } from "./rejected.ts";
import { endOf, SAID } from "./render/words.ts";
import { renderWeek } from "./render/week.ts";
import { weekShape } from "./shapes.ts";
import { knownTurns } from "./stored.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

export interface WeekOptions extends Omit<NarrateOptions, "workspace" | "tools"> {
  /** The folder of the week, beside the workspaces of its days. */
  folder: string;
  since: string;
  until: string;
  /** The narrated workspaces of the days, in order. */
  days: readonly string[];
}

export interface WeekResult {
  report: WeeklyReport;
  rejected: RejectedStatement[];
  spent: NarrationSpent;
  files: string[];
}

interface KnownWeek {
  turns: ReadonlyMap<string, TurnEvidence>;
  numbers: ReadonlySet<string>;
}

/**
 * Writes one synthesis over the narratives of several days. Its statements are checked against the records of all of
 * them.
 */
export async function narrateWeek(options: WeekOptions): Promise<WeekResult> {
  const { folder, agent, concurrency, signal, onRequest, prompts, redactor } = options;
  mkdirSync(join(folder, "narration"), { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(folder, "narration", "lock"));
  clearUnfinished([folder, ...foldersOfJournal(folder)]);
  const store = new EvidenceStore(join(folder, "narration"));
  try {
    const journal = new Journal(folder, options.step);
    const budget = new Budget(options.limits, agent.model, options.now);
    const asker = new Asker({ agent, journal, budget, cwd: folder, concurrency, signal, onRequest });
    const rejected = new RejectedList(redactor);
    writeAgentsFile(folder, prompts.language);
    const days = options.days.map((path) => readJsonFile(join(path, "daily-report.json")) as DailyReport);
    const known = await loadKnownWeek(options, store);
    const items = itemsText(days);
    let [given, problems]: [GivenWeek | null, Problem[]] = [null, []];
    const attempts = items === "" ? 0 : options.attempts;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const prompt = prompts.text("week", {
        answer: answerRule(schemaOf(weekShape)),
        problems: problemText(problems),
        transcript: quoted(items),
      });
      const seen = judgeWeek(await asker.ask("week", attempt, prompt), known);
      rejected.add("week", attempt, seen.problems, seen.answer);
      given = seen.given ?? given;
      problems = seen.problems;
      if (seen.given && problems.length === 0) break;
    }
    const report = weekOf(options, days, given ? sanitize(given, redactor) : null, known);
    const { renderWeekHtml } = await import("./render/html.ts");
    const texts: [name: string, text: string][] = [
      ["weekly-report.json", jsonText(report)],
      ["report.md", renderWeek(report)],
      ["report.html", renderWeekHtml(report)],
    ];
    for (const [name, text] of texts) writeAtomic(join(folder, name), text);
    rejected.write(journal.folder);
    return { report, rejected: rejected.all(), spent: budget.spent, files: texts.map(([name]) => join(folder, name)) };
  } finally {
    store.close();
    lock.release();
  }
}

async function loadKnownWeek({ days, redactor }: WeekOptions, store: EvidenceStore): Promise<KnownWeek> {
  const turns = new Map<string, TurnEvidence>();
  for (const path of days) {
    const { metadata, projects } = loadWorkspace(path);
    for (const project of projects)
      for (const [name, one] of await knownTurns(project, { timezone: metadata.timezone, redactor }, store))
        if (one.chain) turns.set(`${metadata.report_date}/${project.key}/${name}`, one.evidence);
  }
  return { turns, numbers: new Set([String(days.length), String(turns.size)]) };
}

function judgeWeek(text: string, known: KnownWeek): { given: GivenWeek | null; problems: Problem[]; answer: unknown } {
  const parsed = parseAnswer(text);
  if ("problem" in parsed) return { given: null, problems: [parsed.problem], answer: null };
  const shape = parseShape(weekShape, parsed.value, "");
  if ("problems" in shape) return { given: null, problems: shape.problems, answer: parsed.value };
  const given = shape.value;
  const problems = [
    ...statementProblemsAt(given.title, "title", known),
    ...given.threads.flatMap((thread, i) => statementProblemsAt(thread, `threads[${i}]`, known)),
  ];
  return { given, problems, answer: parsed.value };
}

function statementProblemsAt(
  given: { text: string; citations: string[] },
  path: string,
  { turns, numbers }: KnownWeek,
): Problem[] {
  const hint = "cite turns of work items, as DATE/PROJECT_KEY/S0001/T0001";
  const at = `${path}.citations`;
  if (given.citations.length === 0) return [{ rule: "citation.missing", path: at, message: "nothing is cited", hint }];
  const unknown = given.citations.find((name) => !turns.has(name));
  if (unknown !== undefined)
    return [{ rule: "citation.unknown_turn", path: at, message: `${unknown.slice(0, 80)} leads to no evidence`, hint }];
  const cited = given.citations.flatMap((name) => turns.get(name) ?? []);
  return statementProblems(given.text, scopeOfTurns(cited), `${path}.text`, numbers);
}

/** The weekly report: the valid statements, and the days. */
function weekOf(
  { since, until }: WeekOptions,
  days: readonly DailyReport[],
  given: GivenWeek | null,
  known: KnownWeek,
): WeeklyReport {
  const cite = (name: string): DatedCitation[] => {
    const turn = known.turns.get(name);
    if (!turn) return [];
    const { project_key, session_ref, turn_ref, start, end } = turn;
    return [{ report_date: name.slice(0, 10), project_key, session_ref, turn_ref, lines: `${start}-${end}` }];
  };
  const holds = (one: { text: string; citations: string[] }): boolean =>
    statementProblemsAt(one, "", known).length === 0;
  const { title = null, threads = [] } = given ?? {};
  return {
    schema_version: 1,
    since,
    until,
    title: title && holds(title) ? { text: title.text, citations: title.citations.flatMap(cite) } : null,
    threads: threads.filter(holds).map((one) => ({ ...one, citations: one.citations.flatMap(cite) })),
    days: days.map((day) => ({
      report_date: day.report_date,
      title: day.title?.text ?? null,
      left_out: day.left_out.length,
      work: day.projects.flatMap(({ project_label, work_items }) =>
        work_items
          .filter(({ kind }) => kind === "material_work_item")
          .map((item) => `${project_label}: ${item.title} (${SAID}) — ${endOf(item)}`),
      ),
      report: `../${day.report_date}/report.md`,
    })),
  };
}

function itemsText(days: readonly DailyReport[]): string {
  return days
    .flatMap(({ report_date, projects }) =>
      projects.flatMap(({ project_key, work_items }) =>
        work_items
          .filter(({ kind }) => kind === "material_work_item" || kind === "no_material_work_item")
          .map((item) =>
            compactText({ report_date, project_key, ...item, covered_turns: item.covered_turns.map(nameOf) }),
          ),
      ),
    )
    .join("\n");
}

function nameOf({ session_ref, turn_ref }: Citation): string {
  return `${session_ref}/${turn_ref}`;
}
