import { existsSync } from "node:fs";
import { join } from "node:path";
import { brokenWorkspace, dayFolders, loadWorkspace, readJsonFile, type LoadedProject } from "./load.ts";
import type { Manifest } from "./manifest.ts";
import { workRoot } from "./places.ts";
import { countWorkspace, examineFolder, readJson, type Counts } from "./reuse.ts";
import type { Metadata } from "./window.ts";

export interface Listed extends Counts {
  date: string;
  path: string;
  /** Null when the metadata cannot be read. */
  status: string | null;
  timezone: string | null;
}

/** The workspaces Daybook made in its own folder, newest first. */
export function listWorkspaces(home: string, limit: number): { total: number; workspaces: Listed[] } {
  const root = workRoot(home);
  const dates = dayFolders(root);
  const workspaces = dates.slice(0, limit).map((date): Listed => {
    const path = join(root, date);
    const found = examineFolder(path);
    const metadata = found.kind === "workspace" ? found.metadata : null;
    const { status = null, timezone = null } = metadata ?? {};
    return { date, path, status, timezone, ...countWorkspace(path) };
  });
  return { total: dates.length, workspaces };
}

export interface ProjectProgress {
  project_key: string;
  project_label: string;
  /** Where the work was done, from the private manifest; null when that does not say. */
  directory: string | null;
  /** Why there is no directory. */
  directory_note: string | null;
  sessions: number;
  turns: number;
  evidence_chains: number;
  synthesis: boolean;
}

export interface Inspection {
  workspace: string;
  metadata: Metadata;
  projects: ProjectProgress[];
  sessions: number;
  turns: number;
  evidence_chains: number;
  project_syntheses: number;
  daily_report: boolean;
  markdown: boolean;
  html: boolean;
}

/** How far the narration of a workspace has progressed. */
export function inspectWorkspace(path: string, manifestPath: string): Inspection {
  const { metadata, projects } = loadWorkspace(path);
  const manifest = manifestFor(manifestPath, metadata);
  const list = projects.map((project) => progressOf(project, manifest));
  const sum = (count: (project: ProjectProgress) => number): number =>
    list.reduce((n, project) => n + count(project), 0);
  return {
    workspace: path,
    metadata,
    projects: list,
    sessions: sum((project) => project.sessions),
    turns: sum((project) => project.turns),
    evidence_chains: sum((project) => project.evidence_chains),
    project_syntheses: sum((project) => Number(project.synthesis)),
    daily_report: existsSync(join(path, "daily-report.json")),
    markdown: existsSync(join(path, "report.md")),
    html: existsSync(join(path, "report.html")),
  };
}

function progressOf(project: LoadedProject, manifest: Manifest | null): ProjectProgress {
  return {
    project_key: project.key,
    project_label: project.label,
    ...directoryOf(project, manifest),
    sessions: project.rows.length,
    turns: project.rows.reduce((n, row) => n + row.turns.length, 0),
    evidence_chains: project.rows.reduce((n, row) => n + chainsOf(project, row.session_ref, row.turns), 0),
    synthesis: existsSync(join(project.path, "project-synthesis.json")),
  };
}

/** Number of turns of a session that have an evidence chain. Chains of turns that are not indexed are ignored. */
function chainsOf(project: LoadedProject, ref: string, turns: readonly { turn_ref: string }[]): number {
  const path = join(project.path, "evidence", `${ref}.json`);
  if (!existsSync(path)) return 0;
  const card = readJsonFile(path) as { evidence_chains?: unknown } | null;
  if (!Array.isArray(card?.evidence_chains)) throw brokenWorkspace(path, "evidence_chains is no list");
  const chains: readonly unknown[] = card.evidence_chains;
  const covered = new Set(chains.map((chain) => (chain as { turn_ref?: unknown } | null)?.turn_ref));
  return turns.filter((turn) => covered.has(turn.turn_ref)).length;
}

/** The manifest, if it belongs to this very workspace: one of another run names other folders. */
export function manifestFor(path: string, metadata: Metadata): Manifest | null {
  const found = readJson(path) as Manifest | null | undefined;
  if (found?.prepared_at !== metadata.prepared_at || !Array.isArray(found.sessions)) return null;
  return found;
}

function directoryOf(
  { key }: LoadedProject,
  manifest: Manifest | null,
): Pick<ProjectProgress, "directory" | "directory_note"> {
  const session = manifest?.sessions.find((one) => one.workspace_project_key === key);
  if (!session) return { directory: null, directory_note: "unavailable" };
  const { canonical_project_root: root, project_root_is_unknown: unknown } = session;
  return unknown ? { directory: null, directory_note: `unknown (${root})` } : { directory: root, directory_note: null };
}
