/** Derives the main checkout from the path of a worktree; null when the path does not follow the convention. */
export type MainCheckoutRule = (dir: string) => string | null;

/**
 * A directory in which a program keeps all worktrees of one repository. The path says what the repository is called,
 * not where its main checkout is.
 */
export interface WorktreePool {
  dir: string;
  /** Where the main checkout is if the program cloned the repository itself. */
  clone: string;
}

/** `repo/.worktrees/name`, `repo/.conductor/name`: worktrees inside their repository. */
const INSIDE = /^(.+?)\/\.(?:worktrees|conductor)\/[^/]+(?:\/|$)/;
/** `repo-wt/name`, `repo.worktrees/name`, `repo-worktrees/name`: worktrees beside it. */
const BESIDE = /^(.+\/[^/]+?)(?:[.-]worktrees|[.-]wt)\/[^/]+(?:\/|$)/;
/** `conductor/workspaces/repo/name`, beside `conductor/repos/repo` for a repository that Conductor cloned. */
const POOLED = /^(.+\/conductor)\/workspaces\/([^/]+)\/[^/]+(?:\/|$)/;

/** Reliable enough to be used without confirmation. */
export function mainCheckoutAround(dir: string): string | null {
  return INSIDE.exec(dir)?.[1] ?? null;
}

/** Only a convention: used if another session is known to have worked in that main checkout. */
export function mainCheckoutBeside(dir: string): string | null {
  return BESIDE.exec(dir)?.[1] ?? null;
}

/** Null when the directory is not in such a pool. */
export function poolAround(dir: string): WorktreePool | null {
  const [, base, repository] = POOLED.exec(dir) ?? [];
  if (base === undefined || repository === undefined) return null;
  return { dir: `${base}/workspaces/${repository}`, clone: `${base}/repos/${repository}` };
}
