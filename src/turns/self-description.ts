import type { ContextBody, SessionArchivedBody, SessionMetaBody, SessionRenamedBody } from "../record/record.ts";
import type { SessionMeta, TurnContext } from "./model.ts";
import { NO_SETTINGS, statedSettings } from "./settings.ts";
import { storableName } from "./usage-ledger.ts";

/** What a session says about itself, and the settings currently in force. */
export class SelfDescription {
  readonly meta: SessionMeta;
  readonly context: TurnContext;

  constructor(saved?: { meta: SessionMeta; context: TurnContext }) {
    this.meta = { ...EMPTY_META, models: [], ...saved?.meta };
    this.context = { ...NO_SETTINGS, ...saved?.context };
  }

  /** A later header adds to what is known, and overwrites the fields it states again. */
  applyHeader(body: SessionMetaBody): void {
    const { meta, context } = this;
    meta.kind = body.kind;
    meta.cwd = (body.cwd && storableName(body.cwd)) ?? meta.cwd;
    meta.started_at = meta.started_at ?? body.started_at;
    meta.agent_version = body.agent_version ?? meta.agent_version;
    meta.originator = body.originator ?? meta.originator;
    meta.provider = body.provider ?? meta.provider;
    // A title given by the human is kept.
    if (typeof body.title === "string" && meta.title_by !== "human") meta.title = storableName(body.title);
    meta.parent = body.parent ?? meta.parent;
    meta.parent_turn_id = body.parent_turn_id ?? meta.parent_turn_id;
    meta.role = body.role ?? meta.role;
    meta.forked_from = (body.forked_from && storableName(body.forked_from)) ?? meta.forked_from;
    if (body.forked_at !== undefined) meta.forked_at = body.forked_at;
    if (body.forked_before !== undefined) meta.forked_before = body.forked_before;
    if (body.copy_of) meta.copy_of = body.copy_of;
    if (body.git) meta.git = { ...meta.git, ...textsIn(body.git) };
    if (body.cwd) context.cwd = body.cwd;
    if (body.agent_version) context.agent_version = body.agent_version;
    if (body.model) context.model = body.model;
    this.#git(body.git, context);
  }

  /** `context`: the settings to change, if they are not those of the turn that began last. */
  applyContext(body: ContextBody, context: TurnContext = this.context): void {
    const { meta } = this;
    Object.assign(context, statedSettings(body));
    // If the header has no directory, the first context record supplies it.
    meta.cwd ??= (body.cwd && storableName(body.cwd)) ?? null;
    // In a header, null means unknown; here it means that there is no repository.
    if (body.git === null) Object.assign(context, { git_branch: null, git_commit: null });
    this.#git(body.git, context);
  }

  /** Work goes on in another window, with these settings. */
  enter(context: TurnContext): void {
    Object.assign(this.context, context);
  }

  applyArchived({ archived }: SessionArchivedBody): void {
    if (archived) this.meta.archived = true;
    else delete this.meta.archived;
  }

  /** A title given by the human is not replaced by a generated one. */
  applyRename({ title, by }: SessionRenamedBody): void {
    if (by !== "human" && this.meta.title_by === "human") return;
    this.meta.title = title && storableName(title);
    this.meta.title_by = title === null ? null : by;
  }

  addModel(named: string | null): void {
    const model = named === null ? null : storableName(named);
    if (model !== null && !this.meta.models.includes(model)) this.meta.models.push(model);
  }

  #git(git: SessionMetaBody["git"], context: TurnContext): void {
    if (git?.branch) context.git_branch = git.branch;
    if (git?.commit) context.git_commit = git.commit;
  }
}

/** Logs may come from other writers: values of the wrong type are dropped. */
function textsIn<T extends object>(fields: T): T {
  return Object.fromEntries(
    Object.entries(fields).filter(([, held]) => typeof held === "string" || held === null),
  ) as T;
}

const EMPTY_META: Omit<SessionMeta, "models"> = {
  kind: "root",
  cwd: null,
  started_at: null,
  agent_version: null,
  originator: null,
  provider: null,
  title: null,
  title_by: null,
  parent: null,
  parent_turn_id: null,
  role: null,
  forked_from: null,
  git: null,
};
