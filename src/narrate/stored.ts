import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceCard, ProjectSynthesis } from "../views/narrative.ts";
import { readJsonFile, type LoadedProject, type LoadedWorkspace } from "../answers/workspace/load.ts";
import type { KnownDay } from "./checks/day.ts";
import type { KnownEvidence } from "./checks/work-item.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import { sessionEvidence, type EvidenceContext } from "./session-evidence.ts";
import { turnName, type TurnEvidence } from "./turn-evidence.ts";

/** The turns of a project with their evidence chains, as stored in the workspace. */
export async function knownTurns(
  project: LoadedProject,
  context: EvidenceContext,
  store: EvidenceStore,
): Promise<Map<string, KnownEvidence>> {
  const known = new Map<string, KnownEvidence>();
  for (const row of project.rows) {
    const path = join(project.path, "evidence", `${row.session_ref}.json`);
    const chains = existsSync(path) ? (readJsonFile(path) as EvidenceCard).evidence_chains : [];
    for (const turn of await sessionEvidence(project, row, context)) {
      const chain = chains.find(({ turn_ref }) => turn_ref === turn.turn_ref) ?? null;
      known.set(turnName(turn), { evidence: store.keep(turn), chain });
    }
  }
  return known;
}

/** What statements about the day are checked against, as stored in the workspace. */
export async function knownDay(
  { projects }: LoadedWorkspace,
  context: EvidenceContext,
  store: EvidenceStore,
): Promise<KnownDay> {
  const known = new Map<string, Map<string, KnownEvidence>>();
  const syntheses: ProjectSynthesis[] = [];
  for (const project of projects) {
    known.set(project.key, await knownTurns(project, context, store));
    syntheses.push(readJsonFile(join(project.path, "project-synthesis.json")) as ProjectSynthesis);
  }
  return toKnownDay(syntheses, known);
}

export function toKnownDay(
  syntheses: readonly ProjectSynthesis[],
  known: ReadonlyMap<string, ReadonlyMap<string, KnownEvidence>>,
): KnownDay {
  const projects = syntheses.filter(({ work_items }) => work_items.some(isReported));
  const turns = new Map<string, TurnEvidence>();
  for (const [key, names] of known)
    for (const [name, { evidence, chain }] of names) if (chain) turns.set(`${key}/${name}`, evidence);
  const items = syntheses.flatMap(({ work_items }) => work_items);
  const material = items.filter(({ kind }) => kind === "material_work_item").length;
  const counts = [
    syntheses.length,
    projects.length,
    turns.size,
    items.length,
    items.filter(isReported).length,
    material,
  ];
  return {
    turns,
    projects: new Set(projects.map(({ project_key }) => project_key)),
    numbers: new Set(counts.map(String)),
  };
}

/** Whether the item is reported. */
function isReported({ kind }: { kind: string }): boolean {
  return kind === "material_work_item" || kind === "no_material_work_item";
}
