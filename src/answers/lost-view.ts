import type { Project } from "./projects/project.ts";
import { callsOf } from "./projects/projects.ts";
import type { PromptWitness } from "../sources/contract.ts";
import { iso } from "../time/zone.ts";

/** A prompt that only the agent's input history has. */
export interface LostPrompt {
  source: string;
  session_id: string;
  time: string | null;
  text: string;
  /** Where it was typed; null when the history does not say. */
  cwd: string | null;
  project: string | null;
  project_key: string | null;
  /** The history, and the line in it. */
  path: string;
  line: number;
}

export function lostView(
  { source, sessionId, time, text, cwd, path, line }: PromptWitness,
  at: Project | null,
): LostPrompt {
  const { project = null, project_key = null } = at ?? {};
  return { source, session_id: sessionId ?? "", time: iso(time), text, cwd, project, project_key, path, line };
}

/** By name, key or directory of its project; by the beginning of its session. */
export function isMeant(
  view: LostPrompt,
  wanted: { project?: string | undefined; session?: string | undefined },
): boolean {
  if (wanted.session !== undefined && !view.session_id.startsWith(wanted.session)) return false;
  if (wanted.project === undefined) return true;
  const { name, cwd, root } = callsOf(wanted.project);
  return view.project === name || view.project_key === name || view.cwd === cwd || view.cwd === root;
}
