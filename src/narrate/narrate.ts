import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "../record/write-lock.ts";
import type { Redactor } from "../base/redact/redact.ts";
import { loadWorkspace, type LoadedProject, type LoadedWorkspace } from "../answers/workspace/load.ts";
import { clearUnfinished, jsonText, writeAtomic } from "../answers/workspace/write.ts";
import { writeAgentsFile } from "./agents-file.ts";
import type { Agent } from "./agents/model.ts";
import { Asker } from "./asker.ts";
import { Budget, type BudgetLimits } from "./budget.ts";
import type { KnownEvidence } from "./checks/work-item.ts";
import { dailyReport } from "./daily-report.ts";
import { dayTexts, noTexts } from "./day-task.ts";
import { evidenceCard, type EvidenceResult, type TaskContext } from "./evidence-task.ts";
import { EvidenceStore } from "./evidence-store.ts";
import { assertFinal } from "./finalise.ts";
import { foldersOfJournal, Journal, type Step } from "./journal.ts";
import type { Citation, DailyReport, LeftOutTurn, NarrationSpent, RejectedStatement } from "../views/narrative.ts";
import { projectSynthesis } from "./project-task.ts";
import type { Prompts } from "./prompts.ts";
import { RejectedList } from "./rejected.ts";
import { renderNarrative, type AppendixEntry } from "./render/markdown.ts";
import { sessionEvidence } from "./session-evidence.ts";
import { toKnownDay } from "./stored.ts";
import type { ToolProvider } from "./tool-provider.ts";
import { turnName, type TurnEvidence } from "./turn-evidence.ts";

export interface NarrateOptions {
  workspace: string;
  agent: Agent;
  prompts: Prompts;
  redactor: Redactor;
  attempts: number;
  concurrency: number;
  limits: BudgetLimits;
  now: number;
  signal?: AbortSignal | undefined;
  onRequest?: ((task: string, state: "sent" | "answered" | "kept") => void) | undefined;
  /** Called before every write: tests end the run there. */
  step?: Step | undefined;
  /** Creates the tools of agents that can call them. */
  tools?: ((workspace: LoadedWorkspace, journal: Journal) => ToolProvider) | undefined;
}

export interface NarrateResult {
  report: DailyReport;
  rejected: RejectedStatement[];
  spent: NarrationSpent;
  files: string[];
}

/** What is known about one session of a project. */
interface ChainResult {
  project: LoadedProject;
  turns: TurnEvidence[];
  result: EvidenceResult;
}

/**
 * Writes the narrative of a day: evidence per session, work per project, the day, its rendering. All of it follows from
 * the workspace and the stored answers alone, so a run that was killed and continued produces the same bytes as one
 * that was not.
 */
export async function narrateDay(options: NarrateOptions): Promise<NarrateResult> {
  const { workspace, step = () => undefined } = options;
  const loaded = loadWorkspace(workspace);
  mkdirSync(join(workspace, "narration"), { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(workspace, "narration", "lock"));
  try {
    const places = loaded.projects.flatMap(({ path }) => [path, join(path, "evidence")]);
    clearUnfinished([workspace, ...foldersOfJournal(workspace), ...places]);
    const journal = new Journal(workspace, step);
    const budget = new Budget(options.limits, options.agent.model, options.now);
    const { agent, concurrency, signal, onRequest } = options;
    const asker = new Asker({ agent, journal, budget, cwd: workspace, concurrency, signal, onRequest });
    const rejected = new RejectedList(options.redactor);
    const { prompts, redactor, attempts } = options;
    const tools = agent.callsTools ? (options.tools?.(loaded, journal) ?? null) : null;
    const work: TaskContext = { asker, prompts, rejected, redactor, attempts, step, tools };
    writeAgentsFile(workspace, prompts.language);
    const store = new EvidenceStore(journal.folder);
    const report = await reportOf(loaded, work, store).finally(() => store.close());
    rejected.write(journal.folder);
    return { report, rejected: rejected.all(), spent: budget.spent, files: outputFiles(loaded) };
  } finally {
    lock.release();
  }
}

function outputFiles({ path, projects }: LoadedWorkspace): string[] {
  return [
    ...projects.flatMap((one) => [
      ...one.rows.map(({ session_ref }) => join(one.path, "evidence", `${session_ref}.json`)),
      join(one.path, "project-synthesis.json"),
    ]),
    ...["daily-report.json", "report.md", "report.html"].map((name) => join(path, name)),
  ];
}

async function reportOf(workspace: LoadedWorkspace, work: TaskContext, store: EvidenceStore): Promise<DailyReport> {
  const context = { timezone: workspace.metadata.timezone, redactor: work.redactor };
  const begun: Promise<ChainResult>[] = [];
  for (const project of workspace.projects) {
    for (const row of project.rows) {
      // Sessions are read one after the other; the requests about them run in parallel.
      const turns = (await sessionEvidence(project, row, context)).map((turn) => store.keep(turn));
      const card = evidenceCard(project, row.session_ref, turns, work).then((result) => ({ project, turns, result }));
      card.catch(() => undefined);
      begun.push(card);
    }
  }
  const sessions = await allOrFirst(begun);
  const known = new Map<string, Map<string, KnownEvidence>>();
  const gaps = new Map<string, Map<string, string>>();
  for (const { project, turns, result } of sessions) {
    const chains = new Map(result.card.evidence_chains.map((chain) => [chain.turn_ref, chain]));
    const names = known.get(project.key) ?? new Map<string, KnownEvidence>();
    known.set(project.key, names);
    const missing = gaps.get(project.key) ?? new Map<string, string>();
    gaps.set(project.key, missing);
    for (const evidence of turns) {
      names.set(turnName(evidence), { evidence, chain: chains.get(evidence.turn_ref) ?? null });
      const why = result.gaps.get(evidence.turn_ref);
      if (why !== undefined) missing.set(turnName(evidence), why);
    }
  }
  const results = await allOrFirst(
    workspace.projects.map(async (project) => {
      const turns = known.get(project.key) ?? new Map<string, KnownEvidence>();
      return projectSynthesis(project, turns, gaps.get(project.key) ?? new Map<string, string>(), work);
    }),
  );
  const syntheses = results.map(({ synthesis }) => synthesis);
  const day = toKnownDay(syntheses, known);
  // A day without reported work needs no request.
  const texts = day.projects.size === 0 ? noTexts() : await dayTexts(syntheses, day, work);
  const places = placesOf(workspace);
  const leftOut = results.flatMap(({ synthesis, leftOut: left }) =>
    [...left].map(([name, reason]): LeftOutTurn => {
      const [session_ref = "", turn_ref = ""] = name.split("/");
      return { project_key: synthesis.project_key, session_ref, turn_ref, reason };
    }),
  );
  const report = dailyReport({ metadata: workspace.metadata, syntheses, texts, places, leftOut });
  const chains = new Set(
    [...known].flatMap(([key, turns]) => [...turns].filter(([, { chain }]) => chain).map(([name]) => `${key}/${name}`)),
  );
  assertFinal(report, { lines: new Map([...places].map(([name, { lines }]) => [name, lines])), chains });
  await render(workspace, report, known, work.step);
  return report;
}

/** Waits for all, then throws the first failure. */
async function allOrFirst<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

function placesOf({ projects }: LoadedWorkspace): Map<string, Citation> {
  return new Map(
    projects.flatMap(({ key, rows }) =>
      rows.flatMap(({ session_ref, turns }) =>
        turns.map(({ turn_ref, turn_start_line, turn_end_line }): [string, Citation] => [
          `${key}/${session_ref}/${turn_ref}`,
          { project_key: key, session_ref, turn_ref, lines: `${turn_start_line}-${turn_end_line}` },
        ]),
      ),
    ),
  );
}

async function render(
  { path, projects }: LoadedWorkspace,
  report: DailyReport,
  known: ReadonlyMap<string, ReadonlyMap<string, KnownEvidence>>,
  step: Step,
): Promise<void> {
  const appendix = projects.flatMap(({ key, label, rows }) =>
    rows.flatMap((row) =>
      row.turns.map(({ turn_ref, turn_start_line, turn_end_line }): AppendixEntry => ({
        project_key: key,
        session_ref: row.session_ref,
        turn_ref,
        lines: `${turn_start_line}-${turn_end_line}`,
        project_label: label,
        file: `projects/${key}/${row.session_path}`,
        source: row.source,
        session_id: row.source_session_id,
        agents: (known.get(key)?.get(`${row.session_ref}/${turn_ref}`)?.evidence.agents ?? []).map(({ ref, file }) => ({
          ref,
          file: `projects/${key}/${file}`,
        })),
        chain: known.get(key)?.get(`${row.session_ref}/${turn_ref}`)?.chain ?? null,
      })),
    ),
  );
  const { renderNarrativeHtml } = await import("./render/html.ts");
  const texts: [name: string, text: string][] = [
    ["daily-report.json", jsonText(report)],
    ["report.md", renderNarrative(report, appendix)],
    ["report.html", renderNarrativeHtml(report, appendix)],
  ];
  for (const [name, text] of texts) {
    step(name);
    writeAtomic(join(path, name), text);
  }
}
