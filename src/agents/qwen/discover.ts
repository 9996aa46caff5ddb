import { basename, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { findSessionFiles, rootsOr, startIn, type FileVerdict } from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";
import { SOURCE_ID } from "./native.ts";

const SKIPPED: ReadonlySet<string> = new Set(["memory", "tool-results", "file-history", "node_modules", ".git"]);
/** Claude Code has a directory for sub-agents as well, so their content is checked. */
const TRANSCRIPT = /[\\/]chats[\\/]/;

const TRUSTED: ReadonlySet<string> = new Set(["projects", "chats", "subagents"]);

/**
 * Qwen Code keeps transcripts in `.qwen` in the home directory; two variables override it, the one for run-time data
 * first. Below that they are in `projects`.
 */
export function discoverQwen(ctx: DiscoverContext): Iterable<SourceRef> {
  const configured = ctx.env["QWEN_RUNTIME_DIR"]?.trim() || ctx.env["QWEN_HOME"]?.trim();
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Qwen Code",
    places: rootsOr(ctx, configured || join(ctx.home, ".qwen")),
    skipped: SKIPPED,
    starts: (root) => [startIn(root, ["projects", join(".qwen", "projects")], (path) => TRUSTED.has(basename(path)))],
    judge,
  });
}

function judge(path: string, trusted: boolean, known: boolean): FileVerdict {
  if (!/\.jsonl$/i.test(path)) return "ignored";
  return known || (trusted && TRANSCRIPT.test(path)) ? "yes" : isQwenFile(path);
}

const TYPES: ReadonlySet<string> = new Set(["user", "assistant", "tool_result", "system"]);

/** Whether the head of a file looks like Qwen Code's format: Claude's envelope with Gemini's bodies. */
export function isQwenFile(path: string): SniffResult {
  return sniff(path, judgeRecord, (head) => /"parts":\[/.test(head) && /"parentUuid":/.test(head));
}

function judgeRecord(record: Native): boolean | null {
  const type = str(record["type"]);
  if (type === null) return null;
  if (!TYPES.has(type) || !("parentUuid" in record)) return false;
  if ("provenance" in record || "systemPayload" in record) return true;
  const message = obj(record["message"]);
  return message === null ? null : "parts" in message;
}
