import type { Project } from "./projects/project.ts";
import { projectQueryOf } from "./projects/projects.ts";
import type { PromptWitness } from "../agents/contract.ts";
import { iso } from "../base/time/zone.ts";

/** A prompt that is only in the agent's input history, not in any session file. */
export interface LostPrompt {
  source: string;
  session_id: string;
  time: string | null;
  text: string;
  /** Directory in which it was typed; null when the history does not say. */
  cwd: string | null;
  project: string | null;
  project_key: string | null;
  /** The history file; `line` is the line in it. */
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

/** Matches by name, key or directory of the project, and by prefix of the session id. */
export function matchesLostPrompt(
  view: LostPrompt,
  wanted: { project?: string | undefined; session?: string | undefined },
): boolean {
  if (wanted.session !== undefined && !view.session_id.startsWith(wanted.session)) return false;
  if (wanted.project === undefined) return true;
  const { name, cwd, root } = projectQueryOf(wanted.project);
  return view.project === name || view.project_key === name || view.cwd === cwd || view.cwd === root;
}
