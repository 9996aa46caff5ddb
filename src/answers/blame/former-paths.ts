import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The directory above `cwd` that corresponds to `root`: of the same name, or a removed worktree beside it, or `cwd`
 * itself in the same project; null when there is none.
 */
export function formerRoot(root: string, cwd: string, isOfProject: boolean): string | null {
  const found = ancestors(cwd).find((dir) => basename(dir) === basename(root) || isGoneWorktree(dir, root));
  return found ?? (isOfProject ? cwd : null);
}

/** Maps paths of a session to paths below `root`; null for paths outside of the former directory. */
export function pathMapper(root: string, there: string | null): (path: string) => string | null {
  return (path) => {
    if (isInside(root, path)) return join(root, path.slice(root.length).replace(INNER_WORKTREE, "/"));
    return there !== null && isInside(there, path) ? join(root, path.slice(there.length)) : null;
  };
}

/** Places where agents and people put worktrees inside of a repository. */
const INNER_WORKTREE = /^\/(?:\.\w+\/)?\.?worktrees\/[^/]+\//;

/** A directory beside the repository, named after it and gone now: a worktree that was merged. */
function isGoneWorktree(dir: string, root: string): boolean {
  const [name, own] = [basename(root), basename(dir)];
  const isCalledAfter = own.startsWith(name) && /^[-_.@]/.test(own.slice(name.length));
  return isCalledAfter && dirname(dir) === dirname(root) && !existsSync(dir);
}

export function isInside(dir: string, path: string): boolean {
  return path === dir || path.startsWith(`${dir}/`);
}

function ancestors(dir: string): string[] {
  const up = dirname(dir);
  return up === dir ? [] : [dir, ...ancestors(up)];
}
