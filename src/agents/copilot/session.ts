import { dirname } from "node:path";
import type { ContextBody, RecordBody, SessionMetaBody } from "../../record/record.ts";
import { dataOf, readWorkspace, SOURCE_ID } from "./identity.ts";
import { toInstructions, NO_INSTRUCTIONS, type Instructions } from "../kit/instructions.ts";
import { iso, millis, obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

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
