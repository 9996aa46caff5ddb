import { basename, dirname, join } from "node:path";
import { findSessionFiles, isDirectory, type Judgement, type Place, type Start } from "../kit/session-files.ts";
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

/** Gemini CLI keeps everything in `.gemini` of the home directory, which `GEMINI_CLI_HOME` replaces. */
export function placesOf(ctx: DiscoverContext): Place[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const home = ctx.env["GEMINI_CLI_HOME"]?.trim();
  return [{ path: join(home || ctx.home, ".gemini"), expected: true }];
}

/** The directory to search: the store's `tmp` where the root is a home or a store, else the root itself. */
export function startOf(root: string): Start {
  const store = [join(root, "tmp"), join(root, ".gemini", "tmp")].find(isDirectory);
  if (store !== undefined) return { path: store, trusted: true };
  return { path: root, trusted: basename(root) === "chats" || basename(dirname(root)) === "tmp" };
}

export function discoverGemini(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    ...{ source: SOURCE_ID, name: "Gemini CLI", places: placesOf(ctx), skipped: SKIPPED },
    starts: (root) => [startOf(root)],
    judge,
  });
}

function judge(path: string, trusted: boolean, known: boolean): Judgement {
  const name = basename(path);
  const session = /^session-.+\.jsonl?$/i.test(name);
  const inChats = /[\\/]chats[\\/]/.test(path);
  const lines = /\.jsonl$/i.test(name);
  // Documents of subagents (0.38) lie in a directory of their parent's name.
  const nested = /[\\/]chats[\\/][^\\/]+[\\/][^\\/]+$/.test(path);
  // The store holds many JSON files that were never meant to be sessions: settings, checkpoints, input logs.
  if ((!lines && !session && !nested) || (trusted && !inChats)) return "ignored";
  return known || (trusted && session) ? "yes" : isGeminiFile(path);
}
