/** The events as they are, and what the reader remembers between two of them. */
import { closeSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseJson } from "../../base/io/json.ts";
import { openFile, readText } from "../../base/io/regular-file.ts";
import type { ContextBody, RecordBody, SessionMetaBody, TriggerEntry } from "../../record/record.ts";
import type { EntryClass, LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import { freshChain } from "../kit/chain.ts";
import { DocumentLines } from "../kit/document-lines.ts";
import type { DriftCounter } from "../kit/drift.ts";
import { NO_INSTRUCTIONS, toInstructions, type Instructions } from "../kit/instructions.ts";
import { JsonLines, type Lines } from "../kit/json-lines.ts";
import { iso, list, millis, obj, objects, str, type Native } from "../kit/native.ts";
import { Recent, RecentMap, SavedMap } from "../kit/state.ts";
import { freshParked, Windows, type WindowedState } from "../kit/windows.ts";

export const SOURCE_ID = "copilot";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEAD = 16 * 1024;

/**
 * The directory's name; in older versions the file's. If neither is an id, because the file was moved, the id in its
 * content.
 */
export function sessionIdFromPath(path: string): string {
  const name = basename(path).replace(/\.jsonl?$/i, "");
  const candidate = name === "events" ? basename(dirname(path)) : name.replace(/^session_/, "").replace(/_\d+$/, "");
  return UUID.test(candidate) ? candidate : (statedId(path) ?? candidate);
}

function statedId(path: string): string | null {
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(HEAD);
      const head = buffer.toString("utf8", 0, readSync(file, buffer, 0, HEAD, 0));
      return /"sessionId"\s*:\s*"([^"]+)"/.exec(head)?.[1] ?? null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** What Copilot keeps about a session beside its events; rewritten in place. */
interface Workspace {
  cwd: string | null;
  branch: string | null;
  name: string | null;
  userNamed: boolean;
  client: string | null;
}

/** `workspace.yaml` is a flat list of scalars; no other YAML is supported here. */
export function readWorkspace(directory: string): Workspace {
  let text = "";
  try {
    text = readText(join(directory, "workspace.yaml"));
  } catch {
    // Older versions have no such file.
  }
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    const match = /^([a-z_]+): *(.*?)\s*$/.exec(line);
    if (match) fields.set(match[1] ?? "", scalar(match[2] ?? ""));
  }
  const field = (name: string): string | null => fields.get(name) || null;
  return {
    cwd: field("cwd"),
    branch: field("branch"),
    name: field("name") ?? field("summary"),
    userNamed: fields.get("user_named") === "true",
    client: field("client_name"),
  };
}

function scalar(text: string): string {
  if (text.startsWith("'") && text.endsWith("'") && text.length > 1) return text.slice(1, -1).replaceAll("''", "'");
  if (text.startsWith('"')) {
    try {
      return str(parseJson(text)) ?? text;
    } catch {
      return text;
    }
  }
  // Block scalars (`|-`) span several lines; this line has only their indicator.
  return text === "null" || text === "~" || /^[|>][+-]?$/.test(text) ? "" : text;
}

/** The payload of an event. */
export function dataOf(record: Record<string, unknown>): Record<string, unknown> {
  return obj(record["data"]) ?? {};
}

/**
 * Events with nothing to record, by class: `session` for events of the session itself, `reaction` for events inside a
 * turn. Most are named by the public schema of the SDK; not all are ever written to disk.
 */
const QUIET: Record<"session" | "reaction", string> = {
  session:
    "commands.changed capabilities.changed session.auto_mode_resolved session.autopilot_objective_changed " +
    "session.background_tasks_changed session.binary_asset session.canvas.closed session.canvas.opened " +
    "session.canvas.registry_changed session.custom_agents_updated session.custom_notification session.extensions_loaded " +
    "session.extensions.attachments_pushed session.handoff session.idle session.info session.mcp_server_status_changed " +
    "session.mcp_servers_loaded session.mode_changed session.permissions_changed session.plan_changed " +
    "session.remote_steerable_changed session.schedule_cancelled session.schedule_created session.skills_loaded " +
    "session.todos_changed session.tools_updated session.usage_checkpoint session.usage_info session.warning " +
    "session.workspace_file_changed pending_messages.modified",
  reaction:
    "assistant.intent assistant.message_delta assistant.message_start assistant.reasoning_delta assistant.streaming_delta " +
    "auto_mode_switch.completed auto_mode_switch.requested command.completed command.execute command.queued " +
    "elicitation.completed elicitation.requested exit_plan_mode.completed exit_plan_mode.requested external_tool.completed " +
    "external_tool.requested hook.end hook.progress hook.start mcp.oauth_completed mcp.oauth_required " +
    "mcp_app.tool_call_complete permission.completed permission.requested sampling.completed sampling.requested " +
    "session.compaction_start session.truncation skill.invoked subagent.configured subagent.deselected subagent.selected " +
    "system.notification tool.execution_partial_result tool.execution_progress user_input.completed user_input.requested",
};

const CLASSES: ReadonlyMap<string, "session" | "reaction"> = new Map(
  (["session", "reaction"] as const).flatMap((cls) => QUIET[cls].split(" ").map((type) => [type, cls] as const)),
);

/** Null for types that have not been checked. */
export function quietClass(type: string): Extract<EntryClass, "session" | "reaction"> | null {
  return CLASSES.get(type) ?? null;
}

export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  return ref.container === "json" ? new DocumentLines(ref, from, ctx, eventsOf) : new JsonLines(ref, from, ctx);
}

/**
 * The first versions kept a session as one JSON document with the messages of the API. The header becomes line 1 and
 * message n line n + 1, each converted to the event a later version would write.
 */
function eventsOf(document: Native): unknown[] {
  const { sessionId, startTime } = document;
  const start: Native = { type: "session.start", timestamp: startTime, data: { sessionId, startTime } };
  const messages = list(document["chatMessages"]).map((item, i) => {
    const message = obj(item);
    return message ? { id: `${str(sessionId) ?? ""}:${i + 2}`, ...eventOf(message) } : item;
  });
  return [start, ...messages];
}

function eventOf(message: Native): Native {
  const content = str(message["content"]) ?? "";
  switch (message["role"]) {
    case "user":
      return { type: "user.message", data: { content } };
    case "system":
      return { type: "system.message", data: { role: "system", content } };
    case "tool":
      return { type: "tool.execution_complete", data: { toolCallId: message["tool_call_id"], result: { content } } };
    case "assistant":
      return { type: "assistant.message", data: { content, toolRequests: requestsOf(message) } };
    default:
      return { type: `chatMessages/${str(message["role"]) ?? "(no role)"}` };
  }
}

function requestsOf(message: Native): Native[] {
  return objects(message["tool_calls"]).map((call) => {
    const named = obj(call["function"]);
    return { toolCallId: call["id"], name: named?.["name"], arguments: argumentsOf(named?.["arguments"]) };
  });
}

function argumentsOf(raw: unknown): unknown {
  try {
    return typeof raw === "string" ? parseJson(raw) : raw;
  } catch {
    return raw;
  }
}

/**
 * Fields of the envelope around every event. Its content is in `data`, which grows with every release and is not
 * checked.
 */
const KNOWN: ReadonlySet<string> = new Set(["agentId", "data", "ephemeral", "id", "parentId", "timestamp", "type"]);

/** `state.met`: the last version stated. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(dataOf(record)["copilotVersion"]);
  if (version !== null && version !== "") state.met = version;
  counter.countVersion(state.met);
  if (checkFields) counter.countUnknownFields(state.met, str(record["type"]) ?? "(untyped)", record, KNOWN);
}

/** Tokens of one model: input, cache reads, cache writes, output, reasoning; `input` includes the cached ones. */
export type TokenSums = [input: number, read: number, write: number, output: number, reasoning: number];

/** What was counted for a model so far, in the whole file and since the process started. */
export interface CountedTokens {
  all: TokenSums;
  run: TokenSums;
}

interface StartedCall {
  name: string;
  /** Epoch ms of the record that started it. */
  at: number | null;
  path: string | null;
}

type Settings = Record<"version" | "cwd" | "branch" | "commit" | "model" | "effort", string | null>;

/** What the reader remembers of one window of the session. */
interface WindowState {
  /** How the running process is used, according to its system prompt. */
  entry: TriggerEntry;
  /** The model's last message requested no tool: the end of its step ends the turn. */
  answered: boolean;
}

/** The complete state of the reader between two records. */
export interface ReaderState extends WindowState, WindowedState<WindowState> {
  /** The last version stated; records without one are attributed to it. */
  met: string;
  meta: boolean;
  ruling: Settings;
  title: string | null;
  triggers: number;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** The file marks the beginning and end of requests to the model. */
  steps: boolean;
  ids: Recent;
  calls: RecentMap<StartedCall>;
  /** Provider's response id → the id under which its usage was counted. */
  responses: RecentMap<string>;
  /** Number of responses with a record of their usage. */
  recorded: number;
  spent: SavedMap<CountedTokens>;
  /** Subagents whose start was reported → role. */
  agents: RecentMap<string>;
  /** Event id of a prompt → its line. */
  lines: RecentMap<number>;
}

const LIMITS = { ids: 512, calls: 256, responses: 64, agents: 128, lines: 1024 };

export function freshState(): ReaderState {
  return {
    met: "unknown",
    meta: false,
    ruling: { version: null, cwd: null, branch: null, commit: null, model: null, effort: null },
    title: null,
    triggers: 0,
    own: false,
    entry: "unknown",
    answered: false,
    steps: false,
    ids: new Recent(LIMITS.ids),
    calls: new RecentMap(LIMITS.calls),
    responses: new RecentMap(LIMITS.responses),
    recorded: 0,
    spent: new SavedMap(),
    agents: new RecentMap(LIMITS.agents),
    lines: new RecentMap(LIMITS.lines),
    parked: freshParked(),
    ...freshChain(),
  };
}

/**
 * Several terminals may have one session open (`--resume`): every event names the one before it in its own process, the
 * first one the last event that the process found.
 */
export const windows: Windows<WindowState> = new Windows<WindowState>({
  fields: { entry: true, answered: true },
  atWork: { answered: false },
  parentOf: (record) => str(record["parentId"]),
  idOf: (record) => str(record["id"]),
  isWork: (record) => /^(?:assistant|tool)\./.test(str(record["type"]) ?? ""),
});

/** The header from `session.start`, or from the first record of a file that lost it. */
export function headerRecords(record: Native, path: string, state: ReaderState): RecordBody[] {
  state.meta = true;
  const data = dataOf(record);
  const context = obj(data["context"]) ?? {};
  const workspace = readWorkspace(dirname(path));
  const { ruling } = state;
  ruling.version = str(data["copilotVersion"]) || null;
  ruling.cwd = str(context["cwd"]) ?? workspace.cwd;
  ruling.branch = str(context["branch"]) ?? workspace.branch;
  ruling.commit = str(context["headCommit"]);
  ruling.model = str(data["selectedModel"]);
  ruling.effort = str(data["reasoningEffort"]);
  if (workspace.client?.startsWith("vscode") === true) state.entry = "ide";
  const body: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: "root",
    cwd: ruling.cwd,
    started_at: iso(millis(data["startTime"]) ?? millis(record["timestamp"])),
    agent_version: ruling.version,
  };
  const originator = workspace.client ?? str(data["producer"]);
  if (originator !== null) body.originator = originator;
  if (ruling.model !== null) body.model = ruling.model;
  const repository = str(context["repository"]);
  if (ruling.branch !== null || ruling.commit !== null)
    body.git = { branch: ruling.branch, commit: ruling.commit, ...(repository === null ? {} : { remote: repository }) };
  const out: RecordBody[] = [body];
  if (ruling.effort !== null) out.push({ type: "context", effort: ruling.effort });
  return out;
}

/** The settings changed by a resume, a model switch or a move to another directory. */
export function contextChanges(record: Native, state: ReaderState): RecordBody[] {
  const data = dataOf(record);
  const context = obj(data["context"]) ?? data;
  const { ruling } = state;
  const body: ContextBody = { type: "context" };
  const model = str(data["selectedModel"]) ?? str(data["newModel"]);
  const effort = str(data["reasoningEffort"]);
  const cwd = str(context["cwd"]);
  const branch = str(context["branch"]);
  const commit = str(context["headCommit"]);
  if (model !== null && model !== ruling.model) body.model = ruling.model = model;
  if (effort !== null && effort !== ruling.effort) body.effort = ruling.effort = effort;
  if (cwd !== null && cwd !== ruling.cwd) body.cwd = ruling.cwd = cwd;
  if ((branch !== null && branch !== ruling.branch) || (commit !== null && commit !== ruling.commit)) {
    ruling.branch = branch ?? ruling.branch;
    ruling.commit = commit ?? ruling.commit;
    body.git = { branch: ruling.branch, commit: ruling.commit };
  }
  return Object.keys(body).length > 1 ? [body] : [];
}

/** The instructions of the session's own model. Subagents get their own prompts, which do not apply to the session. */
export function systemPrompt(record: Native): Instructions {
  if (record["type"] !== "system.message" || str(record["agentId"]) !== null) return NO_INSTRUCTIONS;
  const data = dataOf(record);
  const kind = data["role"] === "developer" ? "message" : "base";
  return toInstructions([{ kind, path: null, text: str(data["content"]) ?? "" }]);
}
