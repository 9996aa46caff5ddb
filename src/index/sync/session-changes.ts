import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import type { ReadViews } from "../../views/not-pushed.ts";
import type { Drift } from "../../agents/contract.ts";
import { isDecision } from "../../turns/decisions/prose/exchanges.ts";
import { changedSession, type Assembly } from "../../turns/assemble.ts";
import { iso } from "../../base/time/zone.ts";
import type { DraftChanges, FileDraft, SessionMeta } from "../../turns/model.ts";
import { keyOfTurn, type OwnedCall, type Session, type Turn } from "../../turns/session.ts";
import { auditAgainst, type SessionAudit } from "../../views/audit-view.ts";
import { isInForce } from "../../views/context-trail.ts";
import { sessionViewOf } from "../../views/session-view.ts";
import type { SettingsChange } from "../../views/rows.ts";
import { toolView } from "../../views/tool-view.ts";
import { descendants, isUnstated, turnViewOf, type ToolCounts, type TurnView } from "../../views/turn-view.ts";
import { responsesOf, type CountedResponse } from "../../views/response.ts";
import { UsageSum, type UsageView } from "../../views/usage-sum.ts";
import { totalTokens } from "../../record/tokens.ts";
import type { Project } from "../../views/projects/project.ts";
import { recordChange } from "../tables/changes.ts";
import type { TitledDescriber } from "../tables/describe.ts";
import type { Growth } from "./ingest.ts";
import { knownProject, locationOf } from "../tables/project-names.ts";
import { savePrompts } from "../tables/prompts.ts";
import { updateDiagnostics, putAudit, putCall, putSession } from "../tables/session-rows.ts";
import { requestsIn } from "../tables/titles.ts";
import { titleOf } from "../../views/title.ts";
import { putTurn } from "../tables/turn-row.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { updateUsage, ownerSums, type OwnerSum } from "../tables/usage-rows.ts";
import { parseRow } from "../tables/damaged-index.ts";
import { writeLimits } from "../tables/limit-rows.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/** A file that was extended, and whose session's rows covered everything it contained before. */
export interface GrownFile extends Growth {
  file: number;
  drift: Drift;
  /** Identities of its new prompts. */
  identities: readonly string[];
}

/**
 * Updates the rows of a session that only grew, without reading the rest of it: the cost depends on what was appended.
 * Returns the number of rows written; null, with nothing written, where more may have changed than the builder knows
 * of. Then the caller assembles the whole session.
 */
export function writeChanges(store: IndexStore, grown: GrownFile, describe: TitledDescriber): number | null {
  const below = countFilesBelow(store, grown);
  if (below === null || (grown.void && !grown.builder.includeChanges(grown.void))) return null;
  const changes = grown.builder.changes(grown.drift);
  if ([changes, grown.void].some((one) => one?.states === true || one?.links === true)) return null;
  const session = changedSession(changes);
  const before = rowsBefore(store, session);
  if (!before || (below > 0 && !areLinksUnchanged(before, session, changes))) return null;
  const project = knownProject(store, locationOf(session), describe.place(session));
  if (!project) return null;
  if (isShared(store, session)) return null;
  // A response stated only by copies does not count here.
  session.usage = session.usage.filter(({ event }) => event.copied === undefined);
  const usage = responsesOf(session, describe.prices);
  // Requires that every earlier turn has a row: then a turn's position is its ref.
  const turns = grown.void?.turns ?? changes.turns - changes.newTurns;
  if (before.view.turns !== turns || !hasSameFrame(before, session, project)) return null;
  if (!hasSameSettings(before, session, grown, changes.draft)) return null;
  if (mayDecide(store, before, session)) return null;
  return new Writer(store, { session, project, describe, changes, before }).write(usage);
}

/**
 * True when additions to a session change nothing in the sessions it was assembled with: a human started it, it started
 * all of them, and no record or response occurs in two of them.
 */
export function growsAlone(session: Session, { sessions, sharing }: Pick<Assembly, "sessions" | "sharing">): boolean {
  if (!isTopLevel(session.meta) || sharing.length > 0) return false;
  const below = new Set(session.turns.flatMap(descendants));
  return sessions.every(
    (other) =>
      (other === session || below.has(other)) && other.meta.copy_of === undefined && other.records.inherited === 0,
  );
}

function isTopLevel({ kind, parent, forked_from, copy_of }: SessionMeta): boolean {
  return kind === "root" && parent === null && forked_from === null && copy_of === undefined;
}

/** Null for sessions that are not in the book. */
const LINKED = `SELECT u.stale FROM link l LEFT JOIN file u ON u.source = substr(l.b, 1, instr(l.b, '/') - 1)
  AND u.session_id = substr(l.b, instr(l.b, '/') + 1) WHERE l.a = ?`;

/**
 * Number of files of the sessions that this one started, if its rows cover all of them and no other session is related.
 * Null where more may be affected: a session read since, copies, another file of its own, a question whose position
 * could change.
 */
function countFilesBelow(store: IndexStore, { file, builder, identities }: GrownFile): number | null {
  const row = store.get("SELECT source, session_id FROM file WHERE id = ?", file);
  const [source, id] = [String(row?.["source"]), String(row?.["session_id"])];
  const key = keyOfSession(source, id);
  // What one window appends may change what is known of the other one's turns.
  if (builder.lists.questions.added > 0 || builder.hasWindows) return null;
  const isNone = (sql: string, ...params: SqlValue[]): boolean => store.get(sql, ...params) === undefined;
  const isApart =
    isNone("SELECT 1 FROM file WHERE source = ? AND session_id = ? AND id <> ?", source, id, file) &&
    identities.every((name) =>
      isNone("SELECT 1 FROM identity WHERE identity = ? AND session <> ?", `${source}/${name}`, key),
    );
  const linked = store.all(LINKED, key);
  const below = linked.filter(({ stale }) => stale !== null);
  if (!isApart || below.some(({ stale }) => stale === 1)) return null;
  // A late header may have named an origin.
  return linked.length === 0 || isTopLevel(builder.summary.meta) ? below.length : null;
}

/** True when the turns its children are linked to are unchanged, and none of its totals includes what they spent. */
function areLinksUnchanged({ turns }: RowsBefore, session: Session, { draft }: DraftChanges): boolean {
  if (draft.statements.length > 0 || draft.stated?.includes_children === true) return false;
  // A new turn has no row: a child that names no turn belongs to the last one before it began, perhaps to this one.
  return session.turns.every(({ ref, draft: { native_turn_id: id } }) => turns.get(ref)?.view.native_turn_id === id);
}

function isShared(store: IndexStore, session: Session): boolean {
  const sql = "SELECT 1 FROM usage WHERE source = ? AND response_id = ? AND session <> ?";
  const isElsewhere = (response: string): boolean =>
    store.get(sql, session.source, response, sessionKey(session)) !== undefined;
  return session.usage.some(({ event }) => isElsewhere(event.response_id));
}

interface RowsBefore {
  row: Row;
  view: ReadViews["session"];
  audit: SessionAudit;
  auditText: string;
  /** The changed turns that are not new. */
  turns: ReadonlyMap<string, RowBefore>;
}

interface RowBefore {
  records: number;
  lines: string;
  /** Keys of the sessions it started, as JSON. */
  below: string | null;
  settings: string | null;
  view: ReadViews["turn"];
  text: string;
}

function rowsBefore(store: IndexStore, session: Session): RowsBefore | null {
  const key = sessionKey(session);
  const row = store.get("SELECT project, project_key, location, cwd, view FROM session WHERE key = ?", key);
  const auditText = store.get("SELECT view FROM audit WHERE session = ?", key)?.["view"];
  if (!row || typeof auditText !== "string") return null;
  const turns = new Map<string, RowBefore>();
  const sql = "SELECT records, view, lines, below, settings FROM turn WHERE session = ? AND ref = ?";
  for (const turn of session.turns) {
    const row = store.get(sql, key, turn.ref);
    if (!row) continue;
    const [text, lines] = [String(row["view"]), String(row["lines"])];
    const [below, settings] = [textOr(row["below"]), textOr(row["settings"])];
    const view = parseRow(text) as ReadViews["turn"];
    turns.set(turn.ref, { records: Number(row["records"]), lines, below, settings, view, text });
    // The appended lines say nothing new about them.
    turn.children = view.children.map((child) => ({ ...child, session: null }));
  }
  const view = parseRow(row["view"]) as ReadViews["session"];
  return { row, view, audit: parseRow(auditText) as SessionAudit, auditText, turns };
}

function textOr(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** True when the values that many rows contain are unchanged. */
function hasSameFrame(before: RowsBefore, session: Session, project: Project): boolean {
  const { row, view, audit, turns } = before;
  return (
    row["project"] === project.project &&
    row["project_key"] === project.project_key &&
    row["location"] === locationOf(session) &&
    row["cwd"] === session.meta.cwd &&
    view.kind === session.meta.kind &&
    view.session_paths.length === 1 &&
    view.session_paths[0] === session.path &&
    audit.balanced &&
    // The risk of a call depends on the directory of its turn.
    session.turns.every(({ ref, draft }) => {
      const known = turns.get(ref);
      if (draft.delegated || !known) return !draft.delegated;
      // A prompt without a time may have got one, and its usage is found by that time.
      const isThen = known.view.trigger.time === iso(draft.trigger.time);
      return isThen && known.view.context.cwd === draft.context.cwd;
    })
  );
}

/**
 * True when a new prompt may decide something about the reply before it, or a reply changed that a known prompt
 * followed: the ids of decisions depend on the whole session.
 */
function mayDecide(store: IndexStore, { turns }: RowsBefore, session: Session): boolean {
  const key = sessionKey(session);
  const replies = new Map(session.turns.map(({ ref, draft }) => [ref, draft.final_text]));
  const before = "SELECT ref, view FROM turn WHERE session = ? AND ref < ? ORDER BY ref DESC LIMIT 1";
  const after = "SELECT 1 FROM turn WHERE session = ? AND ref > ?";
  return session.turns.some(({ ref, draft }) => {
    const known = turns.get(ref);
    if (known) return known.view.final_text !== draft.final_text && store.get(after, key, ref) !== undefined;
    const earlier = [...replies.keys()]
      .filter((other) => other < ref)
      .toSorted()
      .at(-1);
    const row = store.get(before, key, ref);
    const isKnown = row !== undefined && (earlier === undefined || earlier < String(row["ref"]));
    const reply = isKnown ? (parseRow(row["view"]) as TurnView).final_text : replies.get(earlier ?? "");
    return isDecision(draft.trigger.text, reply ?? null);
  });
}

const NO_CHANGES = '{"changes":[]}';

/**
 * True when no turn has other settings than the turn before it, or than itself before: nothing stated after the last
 * known turn is new. Otherwise all turns are needed to know which of them it changes.
 */
function hasSameSettings({ turns }: RowsBefore, session: Session, grown: GrownFile, addedDraft: FileDraft): boolean {
  const inOrder = session.turns.toSorted((a, b) => a.draft.index - b.draft.index);
  const last = inOrder.findLast(({ ref }) => turns.has(ref));
  const known = last && turns.get(last.ref);
  if (!last || !known) return inOrder.length === 0;
  const context = JSON.stringify(last.draft.context);
  const isSame = inOrder.every(({ ref, draft }) => {
    const before = turns.get(ref)?.view.context;
    return JSON.stringify(draft.context) === (before ? JSON.stringify(before) : context);
  });
  // A half-written line at the time belonged to the turn and stated nothing.
  const late = grown.builder.contextsAfter(known.view.end_line);
  const stated = [...late, ...addedDraft.contexts, ...(grown.void?.draft.contexts ?? [])];
  const { changes } = parseRow(known.settings ?? NO_CHANGES) as Pick<SettingsChange, "changes">;
  return isSame && isInForce(last.draft.context, changes, stated);
}

interface PendingChange {
  session: Session;
  project: Project;
  changes: DraftChanges;
  describe: TitledDescriber;
  before: RowsBefore;
}

class Writer {
  readonly #store: IndexStore;
  readonly #grew: PendingChange;
  readonly #key: string;
  #written = 0;

  constructor(store: IndexStore, grew: PendingChange) {
    this.#store = store;
    this.#grew = grew;
    this.#key = sessionKey(grew.session);
  }

  write(usage: readonly CountedResponse[]): number {
    const { session } = this.#grew;
    this.#written += savePrompts(this.#store, session, false);
    // Usage first: the sums below are read from it.
    this.#written += updateUsage(this.#store, this.#key, usage);
    const calls = this.#calls();
    let records = this.#grew.before.audit.records.owned_by_turns;
    for (const turn of session.turns) {
      records += turn.draft.records - (this.#grew.before.turns.get(turn.ref)?.records ?? 0);
      this.#turn(turn, calls.get(turn.ref));
    }
    this.#whole(calls.get(null), records);
    this.#written += updateDiagnostics(this.#store, this.#key, session);
    this.#written += writeLimits(this.#store, session, this.#grew.changes.limits);
    // The records may contain new facts even if no row changed.
    this.#store.run("DELETE FROM facts WHERE session = ?", this.#key);
    if (this.#written > 0) recordChange(this.#store, this.#key);
    return this.#written;
  }

  /** Writes the calls. Returns the changes in the call counts of each turn and, under null, of the session. */
  #calls(): Map<string | null, ToolCounts> {
    const { session, changes } = this.#grew;
    const changed = new Map<string | null, ToolCounts>();
    const count = ({ turn_ref, parent_call_id, status }: ReadViews["call"], by: 1 | -1): void => {
      if (parent_call_id !== null) return;
      for (const owner of turn_ref === null ? [null] : [null, turn_ref]) {
        const counts = changed.get(owner) ?? { ...NO_CALLS };
        counts.total += by;
        counts[status] += by;
        changed.set(owner, counts);
      }
    };
    for (const [i, owned] of session.tools.entries()) {
      const n = changes.calls[i] ?? -1;
      const row = this.#store.get("SELECT view FROM call WHERE session = ? AND n = ?", this.#key, n);
      const known = row ? (parseRow(row["view"]) as ReadViews["call"]) : null;
      // A result changes neither the request nor its directory, so the risks stay the same.
      const answer = toolView(session, owned, known && isSameCall(known, owned) ? known.risks : undefined);
      const view = JSON.stringify(answer);
      if (row?.["view"] === view) continue;
      if (known) count(known, -1);
      count(answer, 1);
      putCall(this.#store, { key: this.#key, n, time: owned.call.started_at, tool: answer, view });
      this.#written++;
    }
    return changed;
  }

  #turn(turn: Turn, calls: ToolCounts = NO_CALLS): void {
    const { project, before } = this.#grew;
    const known = before.turns.get(turn.ref);
    const { usage } = this.#usage(keyOfTurn(turn), (responses) => responses === 0 && isUnstated(turn));
    const below = known?.below ?? null;
    const view = JSON.stringify(
      turnViewOf(turn, project, {
        tools: addCounts(known?.view.tools ?? NO_CALLS, calls),
        usage,
        usage_with_children: below === null ? usage : this.#withBelow(turn, below),
        decisions: known?.view.decisions ?? [],
      }),
    );
    const lines = JSON.stringify(turn.draft.lines);
    if (known?.text === view && known.records === turn.draft.records && known.lines === lines) return;
    // The session has one file.
    const columns = { part: 0, lines, below, settings: known?.settings ?? null };
    putTurn(this.#store, this.#key, turn, view, columns);
    this.#written++;
  }

  #whole(calls: ToolCounts = NO_CALLS, records: number): void {
    const { session, project, describe, changes, before } = this.#grew;
    // Without any response the cost is unknown as soon as one turn's cost is, and turns stay.
    const wasUnstated = before.view.usage.cost_usd === null;
    const isUnknown = (responses: number): boolean =>
      responses === 0 && (wasUnstated || session.turns.some((turn) => isUnstated(turn)));
    const { usage, owned, unowned } = this.#usage(null, isUnknown);
    const counted = { turns: changes.turns, usage, tools: addCounts(before.view.tools, calls) };
    // Only the changed turns are in memory; the rows have all.
    const title = titleOf(describe.title(session), requestsIn(this.#store, this.#key));
    const view = JSON.stringify(sessionViewOf(session, project, title, counted));
    if (view !== before.row["view"]) {
      putSession(this.#store, session, project, { view, turns: changes.turns });
      this.#written++;
    }
    const owners = { own_turns: owned, causing_turns: 0, unowned };
    const audit = JSON.stringify(auditAgainst(session, { records, owners }));
    if (audit !== before.auditText) {
      putAudit(this.#store, this.#key, audit);
      this.#written++;
    }
  }

  #withBelow(turn: Turn, below: string): UsageView {
    const keys = parseRow(below) as string[];
    const spent = keys.flatMap((key) => ownerSums(this.#store, key));
    return this.#usage(keyOfTurn(turn), () => false, spent).usage;
  }

  /** The usage of a turn, or of the whole session if `owner` is null, plus `more`. */
  #usage(
    owner: string | null,
    isUnknown: (responses: number) => boolean,
    more: readonly OwnerSum[] = [],
  ): { usage: UsageView; owned: number; unowned: number } {
    const sums = [...ownerSums(this.#store, this.#key, owner ?? undefined), ...more];
    const usage = new UsageSum(this.#grew.describe.prices);
    let [responses, owned, unowned] = [0, 0, 0];
    for (const sum of sums) {
      usage.add(sum.tokens, sum.cost);
      responses += sum.responses;
      if (sum.owned) owned += totalTokens(sum.tokens);
      else unowned += totalTokens(sum.tokens);
    }
    if (isUnknown(responses)) usage.unstated();
    return { usage: usage.view(), owned, unowned };
  }
}

const NO_CALLS: Readonly<ToolCounts> = { total: 0, ok: 0, failed: 0, interrupted: 0, denied: 0, pending: 0 };

function addCounts(a: ToolCounts, b: ToolCounts): ToolCounts {
  return {
    total: a.total + b.total,
    ok: a.ok + b.ok,
    failed: a.failed + b.failed,
    interrupted: a.interrupted + b.interrupted,
    denied: a.denied + b.denied,
    pending: a.pending + b.pending,
  };
}

function isSameCall({ name, input, turn_ref }: ReadViews["call"], { call, turn }: OwnedCall): boolean {
  const isSameInput = JSON.stringify(input) === JSON.stringify(call.input);
  return name === call.name && turn_ref === (turn?.ref ?? null) && isSameInput;
}
