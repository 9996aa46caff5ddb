/** Where sessions are, how they are told from other files, and titles beside them. */
import { basename, join, resolve } from "node:path";
import type { DiscoverContext, SideFacts, SourceRef } from "../contract.ts";
import { obj, str, type Native } from "../kit/native.ts";
import {
  directoriesIn,
  findSessionFiles,
  isDirectory,
  statOf,
  type FileVerdict,
  type SearchPlace,
  type WalkStart,
} from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";
import { readWorkspace, SOURCE_ID } from "./native.ts";

/** Working directories of the agent inside a session's directory: they hold its work, not its records. */
const SKIPPED: ReadonlySet<string> = new Set([
  "checkpoints",
  "files",
  "research",
  "rewind-file-snapshots",
  "node_modules",
  ".git",
]);

/** Copilot CLI keeps its state in `.copilot` in the home directory, or in `COPILOT_HOME`. */
function placesOf(ctx: DiscoverContext): SearchPlace[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["COPILOT_HOME"]?.trim();
  return [{ path: configured || join(ctx.home, ".copilot"), expected: true }];
}

/** The directories to search: those of the store if the root is a home or a store, otherwise the root itself. */
function startsOf(root: string): WalkStart[] {
  for (const store of [root, join(root, ".copilot")]) {
    const own = ["session-state", "history-session-state"].map((name) => join(store, name)).filter(isDirectory);
    if (own.length > 0) return own.map((path) => ({ path, trusted: true }));
  }
  return [{ path: root, trusted: /^(?:history-)?session-state$/.test(basename(root)) }];
}

export function discoverCopilot(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Copilot CLI",
    places: placesOf(ctx),
    starts: startsOf,
    skipped: SKIPPED,
    titles: "workspace.yaml",
    judge,
  });
}

function judge(path: string, trusted: boolean, known: boolean): FileVerdict {
  const name = basename(path);
  const lines = /\.jsonl$/i.test(name);
  // Unrelated JSON files are common; documents of the first versions have their own directory and name.
  if (!lines && !/history-session-state/.test(path) && !/^session_.+\.json$/i.test(name)) return "ignored";
  // A session that moved from a single file into a directory is read there.
  if (lines && name !== "events.jsonl" && statOf(join(path.replace(/\.jsonl$/i, ""), "events.jsonl"))) return "ignored";
  return known || (trusted && name === "events.jsonl") ? "yes" : isCopilotFile(path);
}

const EVENT = /^(?:session|user|assistant|tool|system|subagent|hook|permission|skill|model|external_tool)\.|^abort$/;

/** Whether the head of a file looks like Copilot CLI's events, or like a document of its first versions. */
export function isCopilotFile(path: string): SniffResult {
  return sniff(
    path,
    isEvent,
    (head) => /"chatMessages"\s*:/.test(head) || /^\{"type":"[a-z_]+\.[a-z_]+","data":\{/.test(head),
  );
}

function isEvent(record: Native): boolean | null {
  if (Array.isArray(record["chatMessages"])) return true;
  const type = str(record["type"]);
  if (type === null) return null;
  return EVENT.test(type) && obj(record["data"]) !== null;
}

/** Session names are kept in a file beside the session that is rewritten when they change. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  return { titles: () => titlesOf(ctx), histories: [], prompts: () => [] };
}

function titlesOf(ctx: DiscoverContext): Map<string, string | null> {
  const titles = new Map<string, string | null>();
  for (const place of placesOf(ctx)) {
    for (const { path } of startsOf(resolve(place.path))) {
      for (const id of directoriesIn(path)) {
        const { name } = readWorkspace(join(path, id));
        if (name !== null) titles.set(id, name);
      }
    }
  }
  return titles;
}
