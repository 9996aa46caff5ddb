import type { RecordBody, SessionMetaBody } from "../../format/record.ts";
import { nonEmpty, SOURCE_ID, time } from "./native.ts";
import { list, obj, str, type Native } from "../kit/native.ts";

/** What the rest of the reader needs to know about the session. */
export interface SessionFacts {
  id: string;
  child: boolean;
  version: string;
  /** The version under which drift is counted if no release is named. */
  schema: string;
  title: string | null;
  cwd: string | null;
  /** True if `opencode run` quotes its arguments in this format. */
  quoted: boolean;
  /** Created by `opencode run`, which forbids questions that nobody could answer. */
  headless: boolean;
  /** Everything from this message on was taken back and will be deleted by the next prompt. */
  revert: { message: string; inside: boolean } | null;
}

const UNTITLED = /^(?:(?:New|Child) session - \d{4}-\d\d-\d\dT|New Session$|New Agent Session$)/;
const SUBAGENT = /\(@(\S+) subagent\)$/;

export function sessionFacts(id: string, info: Native | null): SessionFacts {
  const revert = obj(info?.["revert"]);
  const message = nonEmpty(revert?.["messageID"]);
  const title = nonEmpty(info?.["title"]);
  return {
    id,
    child: nonEmpty(info?.["parentID"]) !== null,
    version: nonEmpty(info?.["version"]) ?? "unknown",
    schema: nonEmpty(info?.["schema"]) ?? nonEmpty(info?.["version"]) ?? "unknown",
    title: title !== null && UNTITLED.test(title) ? null : title,
    cwd: nonEmpty(info?.["directory"]) ?? worktree(info),
    quoted: info?.["schema"] === undefined,
    headless: forbidsQuestions(info?.["permission"]),
    revert: message === null ? null : { message, inside: nonEmpty(revert?.["partID"]) !== null },
  };
}

export function sessionRecords(facts: SessionFacts, info: Native): RecordBody[] {
  const created = time(obj(info["time"])?.["created"]);
  const model = obj(info["model"]);
  const parent = nonEmpty(info["parentID"]);
  const meta: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: facts.child ? "subagent" : "root",
    cwd: facts.cwd,
    started_at: created === null ? null : new Date(created).toISOString(),
    agent_version: facts.version === "unknown" ? null : facts.version,
    title: facts.title,
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  };
  const provider = str(model?.["providerID"]);
  if (provider !== null) meta.provider = provider;
  const id = nonEmpty(model?.["id"]) ?? nonEmpty(model?.["modelID"]);
  if (id !== null) meta.model = id;
  if (facts.child)
    meta.role = SUBAGENT.exec(str(info["title"]) ?? "")?.[1] ?? nonEmpty(info["agent"]) ?? roleIn(facts.id);
  return [meta];
}

/** The first OpenCode derives the id of the session that generates a title from the session that gets it. */
function roleIn(id: string): string | null {
  return id.startsWith("title-") ? "title" : null;
}

/** Sessions outside a repository belong to the project `global`, whose worktree `/` means nothing. */
function worktree(info: Native | null): string | null {
  const path = nonEmpty(info?.["worktree"]);
  return path === "/" ? null : path;
}

function forbidsQuestions(rules: unknown): boolean {
  const denied = new Set(
    list(rules).flatMap((value) => {
      const rule = obj(value);
      return rule?.["action"] === "deny" && rule["pattern"] === "*" ? [str(rule["permission"])] : [];
    }),
  );
  return denied.has("question") && denied.has("plan_exit");
}
