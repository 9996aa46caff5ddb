import { basename, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { obj, str, type Native } from "../kit/native.ts";
import {
  findSessionFiles,
  isDirectory,
  type FileVerdict,
  type SessionRoot,
  type WalkStart,
} from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";
import { SOURCE_ID } from "./native.ts";

const SKIPPED: ReadonlySet<string> = new Set(["memory", "tool-results", "file-history", "node_modules", ".git"]);
const TRANSCRIPT = /[\\/](?:chats|subagents)[\\/]/;

/**
 * Qwen Code keeps transcripts in `.qwen` in the home directory; two variables override it, the one for run-time data
 * first.
 */
function placesOf(ctx: DiscoverContext): SessionRoot[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["QWEN_RUNTIME_DIR"]?.trim() || ctx.env["QWEN_HOME"]?.trim();
  return [{ path: configured || join(ctx.home, ".qwen"), expected: true }];
}

/** The directory to search: the store's `projects` if the root is a home or a store, otherwise the root itself. */
function startOf(root: string): WalkStart {
  const store = [join(root, "projects"), join(root, ".qwen", "projects")].find(isDirectory);
  if (store !== undefined) return { path: store, trusted: true };
  return { path: root, trusted: ["projects", "chats", "subagents"].includes(basename(root)) };
}

export function discoverQwen(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Qwen Code",
    places: placesOf(ctx),
    skipped: SKIPPED,
    starts: (root) => [startOf(root)],
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
