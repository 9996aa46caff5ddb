/** Tells from the path of a worktree alone where its main checkout is; null when the path says nothing of the kind. */
export type MainCheckout = (dir: string) => string | null;

/** `repo/.worktrees/name`: worktrees kept inside their repository. */
const INSIDE = /^(.+?)\/\.worktrees\/[^/]+(?:\/|$)/;
/** `repo-wt/name`, `repo.worktrees/name`, `repo-worktrees/name`: kept beside it. */
const BESIDE = /^(.+\/[^/]+?)(?:[.-]worktrees|[.-]wt)\/[^/]+(?:\/|$)/;

/** Certain enough to be taken at its word. */
export function mainAround(dir: string): string | null {
  return INSIDE.exec(dir)?.[1] ?? null;
}

/** A custom: to be believed where somebody is known to have worked in that main checkout. */
export function mainBeside(dir: string): string | null {
  return BESIDE.exec(dir)?.[1] ?? null;
}
