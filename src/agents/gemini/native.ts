/**
 * What a path tells about a session, the parts of a message, the known fields of each type, and the state of the
 * reader.
 */
import { freshChain, type ChainState } from "../kit/chain.ts";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { SessionKind, SessionRef } from "../../record/record.ts";
import { parseJson } from "../../base/io/json.ts";
import { readText as readFileText } from "../../base/io/regular-file.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import { DocumentLines } from "../kit/document-lines.ts";
import { fieldsByType, type DriftCounter } from "../kit/drift.ts";
import { JsonLines, type Lines } from "../kit/json-lines.ts";
import { digest, list, obj, objects, str, type Native } from "../kit/native.ts";
import { RecentMap } from "../kit/state.ts";
import { textIn } from "./family.ts";

export const SOURCE_ID = "gemini";

const MAIN_NAME = /^session-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}(?:-\d{2})?-(.+)$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function stemOf(path: string): string {
  return basename(path).replace(/\.jsonl?$/i, "");
}

/** A main session's file name has only eight characters of the id; the header has all of it. */
export function sessionIdFromPath(path: string): string {
  const stem = stemOf(path);
  return MAIN_NAME.exec(stem)?.[1] ?? stem;
}

/** Subagents are in a directory named after the session that started them: `chats/<parent id>/<id>.jsonl`. */
export function parentFromPath(path: string): SessionRef | null {
  const directory = dirname(path);
  const owner = basename(directory);
  if (basename(dirname(directory)) !== "chats" && !UUID.test(owner)) return null;
  return owner === "chats" ? null : { source: SOURCE_ID, session_id: owner };
}

export function kindFromPath(path: string): SessionKind {
  return !basename(path).startsWith("session-") && parentFromPath(path) !== null ? "subagent" : "root";
}

/**
 * The directory the session worked in. Gemini CLI does not write it into the session: it is in a marker file in the
 * project's directory, or in the registry that names the project directories.
 */
export function projectRoot(path: string, projectHash: string | null): string | null {
  const project = projectDirectory(path);
  if (project === null) return null;
  const marked = readText(join(project, ".project_root"))?.trim();
  if (marked) return marked;
  const registry = readJson(join(dirname(dirname(project)), "projects.json"));
  const projects = obj(obj(registry)?.["projects"]);
  if (!projects) return null;
  const name = basename(project);
  for (const [root, id] of Object.entries(projects)) if (str(id) === name) return root;
  for (const root of Object.keys(projects)) {
    const hash = createHash("sha256").update(root).digest("hex");
    if (hash === name || hash === projectHash) return root;
  }
  return null;
}

/** `tmp/<project>`: the directory above `chats`. */
function projectDirectory(path: string): string | null {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (basename(at) === "chats") return dirname(at);
    if (at === dirname(at)) return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileText(path);
  } catch {
    return null;
  }
}

function readJson(path: string): unknown {
  try {
    return parseJson(readText(path) ?? "null");
  } catch {
    return null;
  }
}

/** Older versions kept a session as one JSON document: the header becomes line 1, message n line n + 1. */
export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  if (ref.container !== "json") return new JsonLines(ref, from, ctx);
  return new DocumentLines(ref, from, ctx, ({ messages, ...header }) => [header, ...list(messages)]);
}

const MESSAGE = "content displayContent id timestamp type";
const HEADER =
  "activeExtensionName directories kind lastUpdated memoryScratchpad messages projectHash sessionId startTime summary";
const KNOWN = fieldsByType({
  session_meta: HEADER,
  $set: HEADER,
  "$set/messages": HEADER,
  $rewindTo: "$rewindTo",
  user: MESSAGE,
  info: MESSAGE,
  warning: MESSAGE,
  error: MESSAGE,
  gemini: `${MESSAGE} model thoughts tokens toolCalls`,
});

/** The files name no version. */
const VERSION = "unknown";

export function noteDrift(
  counter: DriftCounter,
  record: Native,
  native: string,
  _state: ReaderState,
  checkFields: boolean,
): string {
  const fields = native.startsWith("$set") ? obj(record["$set"]) : record;
  if (checkFields && fields) counter.countUnknownFields(VERSION, native, fields, KNOWN.get(native));
  return VERSION;
}

/** What was last stated under a message id: the agent appends the whole message again when it has more. */
export interface StatedReply {
  /** Digest of the text; empty if there was none. */
  text: string;
  thoughts: number;
  tokens: string;
}

/** The complete state of the reader between two records. */
export interface ReaderState extends ChainState {
  kind: SessionKind;
  /** A header was written to the log. */
  meta: boolean;
  startedAt: string | null;
  cwd: string | null;
  model: string | null;
  title: string | null;
  triggers: number;
  /** The subagent's task was read. */
  tasked: boolean;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** Digest of every message id → the line where it first appeared. */
  lines: RecentMap<number>;
  messages: RecentMap<StatedReply>;
  /** Call id → its status as last reported. */
  calls: RecentMap<string>;
}

const LIMITS = { lines: 2048, messages: 64, calls: 256 };

export function freshState(kind: SessionKind): ReaderState {
  return {
    kind,
    meta: false,
    startedAt: null,
    cwd: null,
    model: null,
    title: null,
    triggers: 0,
    tasked: false,
    own: false,
    lines: new RecentMap(LIMITS.lines),
    messages: new RecentMap(LIMITS.messages),
    calls: new RecentMap(LIMITS.calls),
    ...freshChain(),
  };
}

export function isKnown(state: ReaderState, id: string): boolean {
  return state.lines.get(digest(id)) !== undefined;
}

/** Remembers the line where a message first appeared. */
export function rememberMessage(state: ReaderState, id: string, line: number): void {
  const key = digest(id);
  if (state.lines.get(key) === undefined) state.lines.set(key, line);
}

/** The parts of a message; older versions wrote a plain string. */
export function partsOf(content: unknown): readonly Native[] {
  if (typeof content === "string") return [{ text: content }];
  const single = obj(content);
  if (single) return [single];
  return objects(list(content).map((part) => (typeof part === "string" ? { text: part } : part)));
}

export function textOf(content: unknown): string {
  return textIn(partsOf(content));
}
