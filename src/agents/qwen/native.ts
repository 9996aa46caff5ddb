/** What a path tells about a session, the content of a message, the known fields, and the state of the reader. */
import { freshChain } from "../kit/chain.ts";
import { freshParked, type WindowedState } from "../kit/windows.ts";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SessionKind, SessionRef, TriggerKind } from "../../record/record.ts";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import type { DriftCounter } from "../kit/drift.ts";
import { obj, objects, str, type Native } from "../kit/native.ts";
import { Recent, RecentMap } from "../kit/state.ts";
import { isCommand, shellIn, typedIn } from "../gemini/family.ts";

export const SOURCE_ID = "qwen";

function segments(path: string): string[] {
  return path.split(/[\\/]+/);
}

/** The file's stem: the session id in `chats`, `agent-<agent id>` in `subagents/<session id>`. */
export function sessionIdFromPath(path: string): string {
  return basename(path).replace(/\.jsonl$/i, "");
}

export function kindFromPath(path: string): SessionKind {
  return segments(dirname(path)).includes("subagents") ? "subagent" : "root";
}

/** Data from the `.meta.json` beside a subagent's file; the parent is taken from the path if that file is missing. */
interface AgentMeta {
  role: string | null;
  /** Only stated here: records of a subagent do not name the model. */
  model: string | null;
  parent: SessionRef | null;
}

export function readAgentMeta(path: string): AgentMeta {
  const parts = segments(path);
  const owner = parts[parts.lastIndexOf("subagents") + 1];
  const inPath = parts.includes("subagents") && owner && parts.length > 2 ? owner : null;
  let meta: Record<string, unknown> | null = null;
  try {
    meta = obj(parseJson(readText(path.replace(/\.jsonl$/i, ".meta.json"))));
  } catch {
    // Only newer versions write this file; the records have enough without it.
  }
  const agent = str(meta?.["parentAgentId"]);
  const session = agent === null ? (str(meta?.["parentSessionId"]) ?? inPath) : `agent-${agent}`;
  return {
    role: str(meta?.["agentType"]) ?? str(meta?.["subagentName"]),
    model: str(meta?.["model"]),
    parent: session === null ? null : { source: SOURCE_ID, session_id: session },
  };
}

/** Whether a subagent of this session has a transcript of its own. */
export function hasTranscript(sessionPath: string, agent: string): boolean {
  // The id becomes part of a path, so only plain names are allowed.
  if (!/^[\w.-]+$/.test(agent) || agent.startsWith(".")) return false;
  return existsSync(join(transcriptsOf(sessionPath), `agent-${agent}.jsonl`));
}

/** Whether any subagent of this kind has a transcript: up to 0.21, telemetry names only the kind of a subagent. */
export function hasTranscriptOfKind(sessionPath: string, kind: string): boolean {
  try {
    return readdirSync(transcriptsOf(sessionPath)).some(
      (name) => name.startsWith(`agent-${kind}-`) && name.endsWith(".jsonl"),
    );
  } catch {
    return false;
  }
}

function transcriptsOf(sessionPath: string): string {
  return join(dirname(dirname(sessionPath)), "subagents", sessionIdFromPath(sessionPath));
}

export function partsOf(record: Native): Native[] {
  return objects(obj(record["message"])?.["parts"]);
}

/** What the human typed. Newer versions store it separately from what hooks and `@` files add for the model. */
export function typedText(record: Native, parts: readonly Native[]): string {
  const shown = str(obj(record["systemPayload"])?.["displayText"]);
  return shown !== null && shown !== "" ? shown : typedIn(parts);
}

/** The text as it was typed, and its kind. */
export function kindOf(text: string): { text: string; kind: TriggerKind } {
  const shell = shellIn(text);
  if (shell) return { text: shell.text, kind: "shell" };
  return { text, kind: isCommand(text) ? "command" : "prompt" };
}

/** The text between `<tag>` and `</tag>`, first occurrence. */
export function textInTag(text: string, tag: string): string | null {
  const from = text.indexOf(`<${tag}>`);
  const to = text.indexOf(`</${tag}>`, from);
  return from < 0 || to < 0 ? null : text.slice(from + tag.length + 2, to);
}

/** Fields written by any of the checked releases. Every record has the same envelope. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    "agentColor agentId agentName agentRound agentRunId backgroundTurn contextWindowSize cwd daemonPromptId deliveredTurn " +
    "externalInputKind forkedFrom gitBranch goalContext isSidechain message model parentUuid promptId provenance sessionId " +
    "subtype systemPayload timestamp toolCallResult type usageMetadata uuid version"
  ).split(" "),
);

/** `state.met`: the last version stated. */
export function noteDrift(
  counter: DriftCounter,
  record: Native,
  _native: string,
  state: ReaderState,
  checkFields: boolean,
): string {
  const version = str(record["version"]);
  if (version !== null) {
    state.met = version;
    counter.countVersion(version);
  }
  if (checkFields) counter.countUnknownFields(state.met, str(record["type"]) ?? "(untyped)", record, KNOWN);
  return state.met;
}

/** The last settings reported, so that only changes are written. */
interface Settings {
  version: string | null;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  approval: string | null;
}

/** The complete state of the reader between two records. */
/** What the reader remembers of one window of the session. */
export interface WindowState {
  ruling: Settings;
  /** A slash command whose expanded prompt is in one of the next records. */
  command: string | null;
  /** The model has answered since it was last sent something. */
  responded: boolean;
  /** A manual compression was recorded, and the command that requested it has not been read yet. */
  compressed: boolean;
}

export interface ReaderState extends WindowState, WindowedState<WindowState> {
  /** The last version stated; records without one are attributed to it. */
  met: string;
  kind: SessionKind;
  /** A header was written to the log. */
  meta: boolean;
  title: string | null;
  triggers: number;
  /** The subagent's task was read. */
  tasked: boolean;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  uuids: Recent;
  /** Started calls → tool and, for edits, the file. */
  calls: RecentMap<[tool: string, path: string | null]>;
  durations: RecentMap<number>;
  /** Usage stated by telemetry and not yet repeated by a reply: its numbers → response id. */
  stated: RecentMap<string>;
  /** Subagent call → its role. */
  roles: RecentMap<string>;
}

const LIMITS = { uuids: 512, calls: 256, durations: 64, stated: 32, roles: 64 };

export function freshState(kind: SessionKind): ReaderState {
  return {
    met: "unknown",
    kind,
    meta: false,
    ruling: { version: null, cwd: null, branch: null, model: null, approval: null },
    title: null,
    triggers: 0,
    tasked: false,
    own: false,
    command: null,
    responded: false,
    compressed: false,
    uuids: new Recent(LIMITS.uuids),
    calls: new RecentMap(LIMITS.calls),
    durations: new RecentMap(LIMITS.durations),
    stated: new RecentMap(LIMITS.stated),
    roles: new RecentMap(LIMITS.roles),
    parked: freshParked(),
    ...freshChain(),
  };
}
