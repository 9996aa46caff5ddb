/** Where sessions are, how they are recognised, and what was typed beside them. */
import { basename, dirname, join, resolve } from "node:path";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import type { DiscoverContext, PromptWitness, SideFacts, SourceRef } from "../contract.ts";
import {
  directoriesIn,
  findSessionFiles,
  rootsOr,
  startIn,
  type FileVerdict,
  type SearchPlace,
  type WalkStart,
} from "../kit/session-files.ts";
import { list, millis, obj, str, type Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";
import { SOURCE_ID, projectRoot } from "./native.ts";

const SKIPPED: ReadonlySet<string> = new Set([
  "tool-outputs",
  "tool_output",
  "checkpoints",
  "history",
  "node_modules",
  ".git",
]);

/** Gemini CLI keeps everything in `.gemini` in the home directory, or in that of `GEMINI_CLI_HOME`. */
function placesOf(ctx: DiscoverContext): SearchPlace[] {
  return rootsOr(ctx, join(ctx.env["GEMINI_CLI_HOME"]?.trim() || ctx.home, ".gemini"));
}

/** The store's `tmp` if the root is a home or a store, otherwise the root itself. */
function startOf(root: string): WalkStart {
  return startIn(root, ["tmp", join(".gemini", "tmp")], isTrusted);
}

function isTrusted(root: string): boolean {
  return basename(root) === "chats" || basename(dirname(root)) === "tmp";
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

/** Whether the head of a file looks like a Gemini CLI session, as lines or as one document. */
export function isGeminiFile(path: string): SniffResult {
  // Matches a document spread over many lines, or one line longer than the head.
  return sniff(path, judgeRecord, (head) => /"sessionId"\s*:/.test(head) && /"projectHash"\s*:/.test(head));
}

function judgeRecord(record: Native): boolean | null {
  if ("projectHash" in record && "sessionId" in record) return true;
  if ("$set" in record || "$rewindTo" in record || record["type"] === "gemini") return true;
  // Qwen Code, which is derived from Gemini CLI, writes `message.parts` and chains its records.
  return "type" in record || "sessionId" in record ? false : null;
}

/** `tmp/<project>/logs.json` records every prompt typed in a terminal, whether or not its session still exists. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  const projects = placesOf(ctx).flatMap((place) => {
    const { path } = startOf(resolve(place.path));
    return directoriesIn(path).map((name) => join(path, name));
  });
  return {
    titles: () => new Map(),
    histories: projects.map((project) => join(project, LOG)),
    prompts: () => projects.flatMap(witnesses),
  };
}

const LOG = "logs.json";

function witnesses(project: string): PromptWitness[] {
  const path = join(project, LOG);
  let entries: readonly unknown[];
  try {
    entries = list(parseJson(readText(path)));
  } catch {
    // The file is missing in most projects. It is rewritten as a whole: if it is incomplete now, the next read will
    // succeed.
    return [];
  }
  const cwd = projectRoot(join(project, "chats", "x"), null);
  return entries.flatMap((item, i) => {
    const entry = obj(item);
    const text = str(entry?.["message"]);
    if (!entry || text === null || entry["type"] !== "user") return [];
    const time = millis(entry["timestamp"]);
    return [{ source: SOURCE_ID, path, line: i + 1, sessionId: str(entry["sessionId"]), time, text, cwd }];
  });
}
