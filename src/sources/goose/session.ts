import type { ContextBody, RecordBody, SessionKind, SessionMetaBody, TriggerEntry } from "../../format/record.ts";
import { clock, filled, num, obj, parsed, SOURCE_ID, str, type Native } from "./native.ts";

/** What the rest of the reader needs to know of the session it is in. */
export interface SessionFacts {
  id: string;
  kind: SessionKind;
  /** `user`, `scheduled`, `sub_agent`, `hidden`, `terminal`, `gateway`, `acp`; rows before schema 5 have none. */
  type: string;
  entry: TriggerEntry;
  title: string | null;
  titleBy: "human" | "agent";
  model: string | null;
  /** Prompt of the recipe the session was started with, and what it tells the model beside it. */
  recipe: string | null;
  instructions: string | null;
}

/** The session row, or the first line of an old file; both name their fields alike. */
export function sessionFacts(id: string, row: Native): SessionFacts {
  const type = filled(row["session_type"]) ?? (filled(row["schedule_id"]) === null ? "user" : "scheduled");
  const recipe = obj(parsed(str(row["recipe_json"]))) ?? obj(row["recipe"]);
  const config = obj(parsed(str(row["model_config_json"])));
  return {
    id,
    type,
    kind: type === "sub_agent" ? "subagent" : type === "hidden" ? "internal" : "root",
    entry: entryOf(type),
    title: filled(row["name"]) ?? filled(row["description"]),
    titleBy: row["user_set_name"] === 1 || row["user_set_name"] === true ? "human" : "agent",
    model: filled(config?.["model_name"]),
    recipe: filled(recipe?.["prompt"]),
    instructions: filled(recipe?.["instructions"]),
  };
}

/** `goose run`, `goose session` and the desktop all make `user` sessions: how they were driven is not recorded. */
function entryOf(type: string): TriggerEntry {
  if (type === "terminal") return "interactive";
  return type === "acp" ? "ide" : "unknown";
}

export function sessionRecords(facts: SessionFacts, row: Native): RecordBody[] {
  const created = clock(row["created_at"]);
  const parent = filled(row["parent_session_id"]);
  const cwd = filled(row["working_dir"]);
  const meta: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: facts.kind,
    cwd,
    started_at: created === null ? null : new Date(created).toISOString(),
    agent_version: null,
    originator: facts.type,
    provider: filled(row["provider_name"]),
    model: facts.model,
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  };
  const context: ContextBody = { type: "context" };
  if (facts.model !== null) context.model = facts.model;
  const mode = filled(row["goose_mode"]);
  if (mode !== null) context.approval_policy = mode;
  const out: RecordBody[] = [meta];
  if (Object.keys(context).length > 1) out.push(context);
  if (facts.title !== null) out.push({ type: "session_renamed", title: facts.title, by: facts.titleBy });
  return out;
}

/** When the session row was written last, for its stamp and its age. */
export function updatedAt(row: Native): number {
  return clock(row["updated_at"]) ?? clock(row["created_at"]) ?? num(row["updated_at"]) ?? 0;
}
