import { str, type Native } from "../kit/native.ts";
import { triggerEntryOf } from "./entry.ts";
import { verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

const BLOCKED = "UserPromptSubmit operation blocked by hook:";
const ORIGINAL = "\n\nOriginal prompt: ";

interface BlockedPrompt {
  text: string;
  why: string;
}

/** When a hook refuses a prompt, Claude Code writes a notice that quotes the prompt instead of a `user` record. */
function blockedPrompt(record: Native): BlockedPrompt | null {
  const content = str(record["content"]) ?? "";
  const at = content.startsWith(BLOCKED) ? content.indexOf(ORIGINAL) : -1;
  if (at < 0) return null;
  return { text: content.slice(at + ORIGINAL.length), why: content.slice(BLOCKED.length, at).trim() };
}

/** The verdict on such a notice; null for any other notice. */
export function classifyBlocked(record: Native, ctx: ClassifyContext): Verdict | null {
  const blocked = blockedPrompt(record);
  if (blocked === null) return null;
  const { text, why } = blocked;
  const { state } = ctx;
  if (state.kind !== "root" || record["isSidechain"] === true) return verdict("reaction", "claude.hook.blocked_prompt");
  return verdict("trigger", "claude.hook.blocked_prompt", () => {
    state.triggers += 1;
    state.turn = "completed";
    state.command = "none";
    state.shell = null;
    const message = why === "" ? "blocked by a hook" : `blocked by a hook: ${why}`;
    return [
      { type: "user", author: "human", text, kind: "prompt", entry: triggerEntryOf(record) },
      { type: "failed", message, code: "hook_blocked", turn_ended: true },
    ];
  });
}
