import type { ContextBody } from "../record/record.ts";
import type { TurnContext } from "./model.ts";

/** Before anything is stated. Its keys are the settings that are followed from turn to turn, in the order of lists. */
export const NO_SETTINGS: Readonly<TurnContext> = {
  model: null,
  effort: null,
  approval_policy: null,
  sandbox: null,
  network: null,
  sandbox_excludes: null,
  reasoning_summary: null,
  context_window: null,
  cwd: null,
  git_branch: null,
  git_commit: null,
  agent_version: null,
};

export const CONTEXT_FIELDS = Object.keys(NO_SETTINGS) as readonly (keyof TurnContext)[];

/** The settings that a record states, without those of the repository. */
export function statedSettings(body: ContextBody): Partial<TurnContext> {
  const stated: [string, unknown][] = [];
  for (const field of CONTEXT_FIELDS) {
    if (field === "git_branch" || field === "git_commit") continue;
    if (body[field] !== undefined) stated.push([field, body[field]]);
  }
  return Object.fromEntries(stated);
}
