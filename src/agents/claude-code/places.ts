import { join } from "node:path";
import { isDirectory, type SearchPlace } from "../kit/session-files.ts";
import type { DiscoverContext } from "../contract.ts";

/** Claude Code's default locations, or the roots given by the user. A blank variable turns the source off. */
export function placesOf(ctx: DiscoverContext): SearchPlace[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["CLAUDE_CONFIG_DIR"];
  if (configured !== undefined) {
    const parts = configured.split(",").map((part) => part.trim());
    return parts.filter((part) => part !== "").map((path) => ({ path, expected: true }));
  }
  const xdg = ctx.env["XDG_CONFIG_HOME"]?.trim() || join(ctx.home, ".config");
  const optional = { path: join(xdg, "claude"), expected: false };
  return [{ path: join(ctx.home, ".claude"), expected: !isDirectory(optional.path) }, optional];
}

const WORKTREE = /^(.+?)\/\.claude\/worktrees\/[^/]+(?:\/|$)/;

/** Claude Code creates its worktrees inside the repository: `repo/.claude/worktrees/name`. */
export function mainCheckout(dir: string): string | null {
  return WORKTREE.exec(dir)?.[1] ?? null;
}
