/** Agents whose sessions are not read, with the places that show that they are used here. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DiscoverContext } from "./contract.ts";

export interface UnreadAgent {
  name: string;
  path: string;
  /** The source whose files these are said to be like: a root of it reads them, without proof. Null: of none. */
  like: string | null;
}

/** By what others published about each; repeated in docs/sources.md. `$DATA` and `$CONFIG` are the user's, as XDG has them. */
export const UNREAD: readonly (readonly [name: string, place: string, like: string | null])[] = [
  ["Amp", "$DATA/amp/threads", null],
  ["Antigravity", "~/.gemini/antigravity", null],
  ["Auggie", "~/.augment/sessions", null],
  ["Forge", "~/.forge/.forge.db", null],
  ["Hermes Agent", "~/.hermes/state.db", null],
  ["iFlow", "~/.iflow/projects", "claude-code"],
  ["Junie", "~/.junie/sessions", null],
  ["Kimi CLI", "~/.kimi/sessions", null],
  ["Kiro", "~/.kiro/sessions", null],
  ["Kiro", "$DATA/kiro-cli/data.sqlite3", null],
  ["llm", "$CONFIG/io.datasette.llm/logs.db", null],
  ["MiMoCode", "$DATA/mimocode", "opencode"],
  ["Oh My Pi", "~/.omp/agent/sessions", "pi"],
  ["OpenClaude", "~/.openclaude/projects", "claude-code"],
  ["OpenClaw", "~/.openclaw/agents", "pi"],
  ["Prime Agent", "~/.prime/agent/sessions", "pi"],
  ["Qoder", "~/.qoder/projects", "claude-code"],
  ["TraeX", "~/.trae/cli/sessions", "codex"],
  ["Windsurf", "~/.codeium/windsurf", null],
  ["Zed", "$DATA/zed/threads", null],
  ["Zed", "~/Library/Application Support/Zed/threads", null],
];

/** Those found on this machine. A place costs one look. */
export function unreadAgents({ env, home }: Pick<DiscoverContext, "env" | "home">): UnreadAgent[] {
  const bases: Readonly<Record<string, string>> = {
    "~": home,
    $DATA: env["XDG_DATA_HOME"]?.trim() || join(home, ".local", "share"),
    $CONFIG: env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config"),
  };
  return UNREAD.flatMap(([name, place, like]) => {
    const [base = "", ...parts] = place.split("/");
    const path = join(bases[base] ?? home, ...parts);
    return existsSync(path) ? [{ name, path, like }] : [];
  });
}
