import { join } from "node:path";
import { quoted } from "../base/text/quote.ts";
import type { LoadedProject } from "../answers/workspace/load.ts";
import { jsonText, writeAtomic } from "../answers/workspace/write.ts";
import type { Problem } from "./checks/problem.ts";
import { itemWithoutInvalid, shownIn, workItemProblems, type EvidenceByName } from "./checks/work-item.ts";
import { compactText } from "./compact.ts";
import { sanitize, type TaskContext } from "./evidence-task.ts";
import { listIn, parseAnswer, schemaOf, parseShape } from "./given.ts";
import type { Confidence, GivenWorkItem, ProjectSynthesis, UserMessages, WorkItem } from "../views/narrative.ts";
import { answerRule, problemText } from "./prompts.ts";
import { workItemShape } from "./shapes.ts";

/** The synthesis of a project, and the turns that are not reported. */
export interface ProjectResult {
  synthesis: ProjectSynthesis;
  /** `S0001/T0001` → why. */
  leftOut: Map<string, string>;
}

/** The work of a project: every indexed turn is in exactly one work item, whatever the agent wrote. */
export async function projectSynthesis(
  project: LoadedProject,
  known: EvidenceByName,
  gaps: ReadonlyMap<string, string>,
  work: TaskContext,
): Promise<ProjectResult> {
  const items: GivenWorkItem[] = [];
  const covered = new Set<string>();
  const take = (item: GivenWorkItem): void => {
    items.push(item);
    for (const name of item.covered_turns) covered.add(name);
  };
  const pending = (): string[] =>
    [...known].filter(([name, { chain }]) => chain && !covered.has(name)).map(([name]) => name);
  const task = `project ${project.key}`;
  let problems: Problem[] = [];
  let rejected: GivenWorkItem[] = [];
  for (let attempt = 1; attempt <= work.attempts && pending().length > 0; attempt++) {
    const text = await work.asker.ask(
      ...([task, attempt, promptFor(known, pending(), problems, work)] as const),
      work.tools && {
        ...work.tools.project({ project: project.key }, pending()),
        isEnough: (answer) => coversAll(judgeItems(answer, known, covered).accepted, pending()),
      },
    );
    const seen = judgeItems(text, known, covered);
    seen.accepted.forEach(take);
    problems = [...seen.problems, ...pending().map(uncoveredProblem)];
    rejected = seen.rejected;
    work.rejected.add(task, attempt, problems, seen.answer);
  }
  for (const item of rejected) {
    const rest = itemWithoutInvalid(item, known, covered);
    if (rest) take(rest);
  }
  const leftOut = new Map([...gaps].filter(([name]) => !covered.has(name)));
  for (const item of items)
    if (item.kind === "excluded_with_reason")
      for (const name of item.covered_turns) leftOut.set(name, item.reason ?? "");
  addUnreported(
    [...leftOut.keys()].filter((name) => gaps.has(name)),
    pending(),
    take,
  );
  for (const item of items.slice(-1))
    if (item.title === UNREPORTED) for (const name of item.covered_turns) leftOut.set(name, UNREPORTED_WHY);
  const synthesis = sanitize(synthesisOf(project, items, known), work.redactor);
  work.step("synthesis");
  writeAtomic(join(project.path, "project-synthesis.json"), jsonText(synthesis));
  return { synthesis, leftOut };
}

function coversAll(items: readonly GivenWorkItem[], names: readonly string[]): boolean {
  const covered = new Set(items.flatMap(({ covered_turns }) => covered_turns));
  return names.every((name) => covered.has(name));
}

const UNREPORTED = "Turns that were not reported";
const UNREPORTED_WHY = "the agent put them into no work item that holds";

/** Adds items for the turns without evidence and for those that were not reported. */
function addUnreported(
  gaps: readonly string[],
  unreported: readonly string[],
  take: (item: GivenWorkItem) => void,
): void {
  const bare = {
    trigger: null,
    agent_reaction: null,
    outcomes: [],
    terminal_states: [],
    limits: [],
    confidence: "low",
  } as const;
  if (gaps.length > 0)
    take({ ...bare, ...lists(), kind: "evidence_gap_item", title: "Turns without evidence", covered_turns: [...gaps] });
  if (unreported.length > 0)
    take({
      ...bare,
      ...lists(),
      kind: "excluded_with_reason",
      title: UNREPORTED,
      covered_turns: [...unreported],
      reason: UNREPORTED_WHY,
    });
}

function lists(): Pick<GivenWorkItem, "outcomes" | "terminal_states" | "limits"> {
  return { outcomes: [], terminal_states: [], limits: [] };
}

function uncoveredProblem(name: string): Problem {
  return {
    rule: "cover.missing",
    path: "work_items",
    message: `${name} is in no work item`,
    hint: "put every turn that is asked for into one",
  };
}

export interface ItemsVerdict {
  accepted: GivenWorkItem[];
  rejected: GivenWorkItem[];
  problems: Problem[];
  answer: unknown;
}

/** Checks an answer and returns what is accepted. `covered`: turns that are covered already. */
export function judgeItems(text: string, known: EvidenceByName, covered: ReadonlySet<string>): ItemsVerdict {
  const out: ItemsVerdict = { accepted: [], rejected: [], problems: [], answer: null };
  const parsed = parseAnswer(text);
  if ("problem" in parsed) return { ...out, problems: [parsed.problem] };
  out.answer = parsed.value;
  const list = listIn(parsed.value, "work_items");
  if (!Array.isArray(list)) return { ...out, problems: [list] };
  const taken = new Set(covered);
  for (const [i, one] of list.entries()) {
    const path = `work_items[${i}]`;
    const given = parseShape(workItemShape, one, path);
    const found = "problems" in given ? given.problems : workItemProblems(given.value, known, taken);
    if ("value" in given && found.length === 0) {
      out.accepted.push(given.value);
      for (const name of given.value.covered_turns) taken.add(name);
      continue;
    }
    if ("value" in given) out.rejected.push(given.value);
    out.problems.push(...found.map((one) => ("value" in given ? { ...one, path: `${path}.${one.path}` } : one)));
  }
  return out;
}

function synthesisOf(project: LoadedProject, items: readonly GivenWorkItem[], known: EvidenceByName): ProjectSynthesis {
  return {
    schema_version: 1,
    project_key: project.key,
    project_label: project.label,
    work_items: items.map((item, i): WorkItem => ({
      work_item_ref: `W${String(i + 1).padStart(4, "0")}`,
      kind: item.kind,
      title: item.title,
      covered_turns: item.covered_turns,
      trigger: item.trigger ?? null,
      agent_reaction: item.agent_reaction ?? null,
      outcomes: outcomesOf(item, known),
      terminal_states: item.terminal_states,
      limits: item.limits,
      reason: item.reason ?? null,
      confidence: confidenceOf(item, known),
    })),
    source_user_messages: messagesOf(known),
  };
}

/** The words of an item are the writer's, whatever is shown beside them. */
function confidenceOf({ confidence, covered_turns }: GivenWorkItem, known: EvidenceByName): Confidence {
  if (shownIn(covered_turns, known).length === 0) return "low";
  return confidence === "high" ? "medium" : confidence;
}

/**
 * What the records show in the turns of an item, in our words; then what the writer says came of it, which borrows no
 * proof from what stands beside it.
 */
function outcomesOf(item: GivenWorkItem, known: EvidenceByName): WorkItem["outcomes"] {
  // Only items that report something have outcomes.
  const shown = item.kind === "material_work_item" ? shownIn(item.covered_turns, known) : [];
  return [
    ...shown.map(({ ref, outcome: { category, proof, shown: summary } }): WorkItem["outcomes"][number] => ({
      category,
      summary: summary ?? "",
      evidence_refs: [ref],
      confidence: "high",
      proof,
    })),
    ...item.outcomes.map((one) => ({ ...one, confidence: "low" as const, proof: "said_only" as const })),
  ];
}

/** Quoted messages of the human, verbatim, each once, in the order of their turns. */
function messagesOf(known: EvidenceByName): UserMessages[] {
  return [...known.values()].flatMap(({ evidence: { session_ref, turn_ref }, chain }): UserMessages[] => {
    const messages = (chain?.trigger.quoted_messages ?? []).map(({ text }) => text);
    return messages.length === 0 ? [] : [{ session_ref, turn_ref, messages: [...new Set(messages)] }];
  });
}

function promptFor(
  known: EvidenceByName,
  pending: readonly string[],
  problems: readonly Problem[],
  work: TaskContext,
): string {
  return work.prompts.text("project", {
    turns: pending.join(", "),
    answer: work.tools?.answerRule("project") ?? answerRule(schemaOf(workItemShape, "work_items")),
    problems: problemText(problems),
    transcript: quoted(chainsText(known, pending)),
  });
}

/** The evidence chains of turns, one JSON object per line. */
export function chainsText(known: EvidenceByName, names: readonly string[]): string {
  return names
    .flatMap((name) => {
      const chain = known.get(name)?.chain;
      return chain ? [compactText({ turn: name, ...chain })] : [];
    })
    .join("\n");
}
