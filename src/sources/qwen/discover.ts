import { basename, join } from "node:path";
import {
  findSessionFiles,
  isDirectory,
  type FileVerdict,
  type SessionRoot,
  type WalkStart,
} from "../kit/session-files.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { SOURCE_ID } from "./identity.ts";
import { isQwenFile } from "./sniff.ts";

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
