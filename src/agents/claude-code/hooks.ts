import { join } from "node:path";
import type { QuestionHooks } from "../contract.ts";

/**
 * Hooks around a tool call, configured in the user's settings (checked in 2.1.325). They get the call as JSON on stdin.
 */
export const questionHooks: QuestionHooks = {
  settings: (env, home) =>
    join(env["CLAUDE_CONFIG_DIR"]?.split(",")[0]?.trim() || join(home, ".claude"), "settings.json"),
  before: "PreToolUse",
  after: "PostToolUse",
  matcher: "(AskUserQuestion|mcp__.*__AskUserQuestion)",
  // If the hook takes longer, Claude Code continues without it.
  timeoutSeconds: 10,
  asks: (tool) => /^(?:mcp__.+__)?AskUserQuestion$/.test(tool),
  // The hook never answers "allow" or "ask": without a decision the agent asks as usual.
  denied: (reason) => answer("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason }),
  context: (text, when) => answer(when === "before" ? "PreToolUse" : "PostToolUse", { additionalContext: text }),
  isAttended: (env) => env["CLAUDE_CODE_ENTRYPOINT"] === "cli",
};

function answer(hookEventName: string, more: Record<string, string>): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, ...more } });
}
