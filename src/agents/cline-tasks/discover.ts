/** Where tasks are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { editorHomes } from "../kit/editor-homes.ts";
import { findSessionFiles, isDirectory } from "../kit/session-files.ts";
import { headOf, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "cline-tasks";

const LOG = "ui_messages.json";

/** Versions and models, beside the messages. */
export const METADATA = "task_metadata.json";

/** Editors made from VS Code, and the extensions that keep their tasks like this, with the names of their programs. */
const EDITORS = ["Code", "Code - Insiders", "Cursor", "Windsurf", "VSCodium"];
const EXTENSIONS = ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code"];

export function discoverTasks(ctx: DiscoverContext): Iterable<SourceRef> {
  const places =
    ctx.roots ?? editorHomes(ctx, EDITORS).flatMap((user) => extensionsIn(ctx, join(user, "globalStorage")));
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Cline, Roo Code or Kilo",
    skipped: new Set(["node_modules", ".git", "checkpoints", "settings", "cache"]),
    places: places.map((path) => ({ path, expected: ctx.roots !== null })),
    starts: (root) => [{ path: isDirectory(join(root, "tasks")) ? join(root, "tasks") : root, trusted: false }],
    judge: (path, _trusted, known) => (basename(path) !== LOG ? "ignored" : known ? "yes" : recognise(path)),
    beside: (path) => [join(dirname(path), METADATA)],
  });
}

/** An editor that is absent costs one look. */
function extensionsIn(ctx: DiscoverContext, storage: string): string[] {
  ctx.looked?.(storage);
  return isDirectory(storage) ? EXTENSIONS.map((name) => join(storage, name)) : [];
}

export function recognise(path: string): SniffResult {
  if (basename(path) !== LOG) return "no";
  const head = headOf(path);
  if (head === null) return "unreadable";
  return /^\s*\[\s*\{\s*"ts"\s*:\s*\d+\s*,\s*"type"\s*:\s*"(?:say|ask)"/.test(head) ? "yes" : "no";
}

export function sessionIdOf(path: string): string {
  return basename(dirname(path.replaceAll("\\", "/")));
}
