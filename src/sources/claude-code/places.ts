import { join } from "node:path";
import { isDirectory, type Place } from "../kit/session-files.ts";
import type { DiscoverContext } from "../contract.ts";

/** Claude Code's own places, or the roots the user named instead. A blank variable turns the source off. */
export function placesOf(ctx: DiscoverContext): Place[] {
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

/** Claude Code keeps the worktrees it makes inside the repository: `repo/.claude/worktrees/name`. */
export function mainCheckout(dir: string): string | null {
  return WORKTREE.exec(dir)?.[1] ?? null;
}
