import { basename, dirname, join } from "node:path";
import {
  findSessionFiles,
  isDirectory,
  type FileVerdict,
  type SessionRoot,
  type WalkStart,
} from "../kit/session-files.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { SOURCE_ID } from "./identity.ts";
import { isGeminiFile } from "./sniff.ts";

const SKIPPED: ReadonlySet<string> = new Set([
  "tool-outputs",
  "tool_output",
  "checkpoints",
  "history",
  "node_modules",
  ".git",
]);

/** Gemini CLI keeps everything in `.gemini` in the home directory, or in that of `GEMINI_CLI_HOME`. */
export function placesOf(ctx: DiscoverContext): SessionRoot[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const home = ctx.env["GEMINI_CLI_HOME"]?.trim();
  return [{ path: join(home || ctx.home, ".gemini"), expected: true }];
}

/** The directory to search: the store's `tmp` if the root is a home or a store, otherwise the root itself. */
export function startOf(root: string): WalkStart {
  const store = [join(root, "tmp"), join(root, ".gemini", "tmp")].find(isDirectory);
  if (store !== undefined) return { path: store, trusted: true };
  return { path: root, trusted: basename(root) === "chats" || basename(dirname(root)) === "tmp" };
}

export function discoverGemini(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Gemini CLI",
    places: placesOf(ctx),
    skipped: SKIPPED,
    starts: (root) => [startOf(root)],
    judge,
  });
}

function judge(path: string, trusted: boolean, known: boolean): FileVerdict {
  const name = basename(path);
  const session = /^session-.+\.jsonl?$/i.test(name);
  const inChats = /[\\/]chats[\\/]/.test(path);
  const lines = /\.jsonl$/i.test(name);
  // Documents of subagents (0.38) are in a directory named after their parent.
  const nested = /[\\/]chats[\\/][^\\/]+[\\/][^\\/]+$/.test(path);
  // The store holds many JSON files that are not sessions: settings, checkpoints, input logs.
  if ((!lines && !session && !nested) || (trusted && !inChats)) return "ignored";
  return known || (trusted && session) ? "yes" : isGeminiFile(path);
}
