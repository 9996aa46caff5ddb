/** Derives the main checkout from the path of a worktree; null when the path does not follow the convention. */
export type MainCheckoutRule = (dir: string) => string | null;

/** `repo/.worktrees/name`: worktrees inside their repository. */
const INSIDE = /^(.+?)\/\.worktrees\/[^/]+(?:\/|$)/;
/** `repo-wt/name`, `repo.worktrees/name`, `repo-worktrees/name`: worktrees beside it. */
const BESIDE = /^(.+\/[^/]+?)(?:[.-]worktrees|[.-]wt)\/[^/]+(?:\/|$)/;

/** Reliable enough to be used without confirmation. */
export function mainCheckoutAround(dir: string): string | null {
  return INSIDE.exec(dir)?.[1] ?? null;
}

/** Only a convention: used if another session is known to have worked in that main checkout. */
export function mainCheckoutBeside(dir: string): string | null {
  return BESIDE.exec(dir)?.[1] ?? null;
}
