import type { ContextBody, RecordBody, SessionKind, SessionMetaBody, TriggerEntry } from "../../format/record.ts";
import { dateOf, nonEmpty, num, obj, parseOrUndefined, SOURCE_ID, str, type Native } from "./native.ts";

/** What the rest of the reader needs to know about the session. */
export interface SessionFacts {
  id: string;
  kind: SessionKind;
  /** `user`, `scheduled`, `sub_agent`, `hidden`, `terminal`, `gateway`, `acp`; rows before schema 5 have none. */
  type: string;
  entry: TriggerEntry;
  title: string | null;
  titleBy: "human" | "agent";
  model: string | null;
  /** The prompt of the recipe the session was started with, and the recipe's instructions for the model. */
  recipe: string | null;
  instructions: string | null;
}

/** From the session row, or the first line of an old file; both use the same field names. */
export function sessionFacts(id: string, row: Native): SessionFacts {
  const type = nonEmpty(row["session_type"]) ?? (nonEmpty(row["schedule_id"]) === null ? "user" : "scheduled");
  const recipe = obj(parseOrUndefined(str(row["recipe_json"]))) ?? obj(row["recipe"]);
  const config = obj(parseOrUndefined(str(row["model_config_json"])));
  return {
    id,
    type,
    kind: type === "sub_agent" ? "subagent" : type === "hidden" ? "internal" : "root",
    entry: entryOf(type),
    title: nonEmpty(row["name"]) ?? nonEmpty(row["description"]),
    titleBy: row["user_set_name"] === 1 || row["user_set_name"] === true ? "human" : "agent",
    model: nonEmpty(config?.["model_name"]),
    recipe: nonEmpty(recipe?.["prompt"]),
    instructions: nonEmpty(recipe?.["instructions"]),
  };
}

/**
 * `goose run`, `goose session` and the desktop app all create `user` sessions: how they were driven is not recorded.
 */
function entryOf(type: string): TriggerEntry {
  if (type === "terminal") return "interactive";
  return type === "acp" ? "ide" : "unknown";
}

export function sessionRecords(facts: SessionFacts, row: Native): RecordBody[] {
  const created = dateOf(row["created_at"]);
  const parent = nonEmpty(row["parent_session_id"]);
  const cwd = nonEmpty(row["working_dir"]);
  const meta: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: facts.kind,
    cwd,
    started_at: created === null ? null : new Date(created).toISOString(),
    agent_version: null,
    originator: facts.type,
    provider: nonEmpty(row["provider_name"]),
    model: facts.model,
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  };
  const context: ContextBody = { type: "context" };
  if (facts.model !== null) context.model = facts.model;
  const mode = nonEmpty(row["goose_mode"]);
  if (mode !== null) context.approval_policy = mode;
  const out: RecordBody[] = [meta];
  if (Object.keys(context).length > 1) out.push(context);
  if (facts.title !== null) out.push({ type: "session_renamed", title: facts.title, by: facts.titleBy });
  return out;
}

/** When the session row was last written; used as its modification time. */
export function updatedAt(row: Native): number {
  return dateOf(row["updated_at"]) ?? dateOf(row["created_at"]) ?? num(row["updated_at"]) ?? 0;
}
