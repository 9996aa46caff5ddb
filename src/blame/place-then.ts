import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The directory that was then what is asked about: of the same name, of the same project, or a worktree beside it; null: another. */
export function rootThere(root: string, cwd: string, isOfProject: boolean): string | null {
  const found = ancestors(cwd).find((dir) => basename(dir) === basename(root) || isGoneWorktree(dir, root));
  return found ?? (isOfProject ? cwd : null);
}

/** Where paths of a session lead in the directory that is asked about; null when they lead out of what it was then. */
export function pathsOf(root: string, there: string | null): (path: string) => string | null {
  return (path) => {
    if (isInside(root, path)) return join(root, path.slice(root.length).replace(INNER_WORKTREE, "/"));
    return there !== null && isInside(there, path) ? join(root, path.slice(there.length)) : null;
  };
}

/** Where agents and people put worktrees inside of a repository. */
const INNER_WORKTREE = /^\/(?:\.\w+\/)?\.?worktrees\/[^/]+\//;

/** Beside the repository, called after it, and no longer there: a worktree that was merged. */
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
