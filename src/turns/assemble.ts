import { isLocal, messageOf } from "../base/errors.ts";
import { addTo } from "../base/maps.ts";
import type { Diagnostic } from "../agents/contract.ts";
import { answerableTurn, linkChildren } from "./children.ts";
import { removeCopiedHistory } from "./forks.ts";
import { countOnce } from "./count-once.ts";
import type { DraftChanges, FileDraft, RecordBalance, SessionMeta, TokenBalance } from "./model.ts";
import { groupParts, type DraftLoader, type PartGroup } from "./parts.ts";
import { emptyBalance } from "./record-counter.ts";
import { countUnwritten, countUnwrittenAlone } from "./unwritten.ts";
import { turnRef, type OwnedCall, type OwnedUsage, type Session, type Turn } from "./session.ts";
import { sessionKey, keyOfSession } from "../record/session-key.ts";

export interface Assembly {
  /** In the order they began. */
  sessions: Session[];
  byKey: ReadonlyMap<string, Session>;
  /** Pairs of sessions that state the same response: a change in one can change what the other counts. */
  sharing: [Session, Session][];
  diagnostics: Diagnostic[];
}

/**
 * Turns drafts of single files into linked sessions: parts are joined, copies removed, children linked, responses
 * counted once. If that fails because of one file, only the sessions related to it are left out, with a diagnostic
 * each; all others are returned.
 */
export function assemble(drafts: readonly FileDraft[], loader: DraftLoader): Assembly {
  try {
    return assembleAll(drafts, loader);
  } catch (error) {
    if (!isLocal(error)) throw error;
    return assembleSeparately(drafts, loader, error);
  }
}

/**
 * Assembles each independent set on its own. If none of them fails alone, the error has another cause: it is rethrown,
 * so that no incomplete answer passes for a complete one.
 */
function assembleSeparately(drafts: readonly FileDraft[], loader: DraftLoader, cause: unknown): Assembly {
  const sessions: Session[] = [];
  const sharing: [Session, Session][] = [];
  const diagnostics: Diagnostic[] = [];
  for (const set of independentSets(drafts)) {
    try {
      const joined = assembleAll(set, loader);
      sessions.push(...joined.sessions);
      sharing.push(...joined.sharing);
      diagnostics.push(...joined.diagnostics);
    } catch (error) {
      if (!isLocal(error)) throw error;
      diagnostics.push(...set.map((draft) => leftOutDiagnostic(draft, error)));
    }
  }
  if (!diagnostics.some(({ code }) => code === "file_unreadable")) throw cause;
  sessions.sort(byStart);
  return { sessions, byKey: new Map(sessions.map((session) => [sessionKey(session), session])), sharing, diagnostics };
}

/** The diagnostic for a file whose session is missing from the answers because assembling it failed. */
export function leftOutDiagnostic({ source, path }: Pick<FileDraft, "source" | "path">, error: unknown): Diagnostic {
  return {
    code: "file_unreadable",
    source,
    path,
    message: `its session cannot be put together: ${messageOf(error)}`,
    hint: "everything that has nothing to do with it is still answered; please report this with the file, if you may",
  };
}

function assembleAll(drafts: readonly FileDraft[], loader: DraftLoader): Assembly {
  const ordered = drafts.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const groups = groupParts(ordered, loader);
  removeCopiedHistory(groups, loader);
  const sessions = groups.map(toSession).toSorted(byStart);
  const byKey = new Map(sessions.map((session) => [sessionKey(session), session]));
  linkChildren(sessions, byKey);
  for (const session of sessions) disownOrphans(session);
  const sharing = countOnce(sessions.toSorted(rootsFirst));
  countUnwritten(sessions, byKey);
  return { sessions, byKey, sharing, diagnostics: groups.flatMap((group) => group.diagnostics) };
}

/** A session with everything its files say about it as a whole; turns, usage and tool calls are still empty. */
export function bareSession({ source, session_id, parts, copied }: Omit<PartGroup, "diagnostics">): Session {
  const newest = parts.at(-1) as FileDraft;
  return {
    source,
    session_id,
    path: newest.path,
    parts,
    meta: mergeMeta(parts),
    turns: [],
    delegations: [],
    usage: [],
    tools: [],
    records: addRecords(parts.map((part) => part.records)),
    tokens: addTokens(parts.map((part) => part.tokens)),
    totals: null,
    diagnostics: parts.flatMap((part) => part.diagnostics),
    started_at: startOf(parts),
    ended_at: latest(parts.map((part) => part.last_time)),
    cause: null,
    forked_from: null,
    ...(copied ? { copied } : {}),
  };
}

function toSession(group: PartGroup): Session {
  const { parts } = group;
  const session = bareSession(group);
  for (const [i, part] of parts.entries()) {
    for (const draft of part.turns) {
      const turn: Turn = { session, part, draft, ref: "", children: [], usage: [], calls: [] };
      if (draft.delegated) session.delegations.push(turn);
      else session.turns.push(turn);
    }
    takeBack(parts.slice(0, i), part);
  }
  for (const [i, turn] of session.turns.entries()) turn.ref = turnRef(i);
  assignTurns(session);
  return session;
}

/**
 * A session of a single file that is related to no other file, reduced to what changed: its lists hold only the changed
 * turns, calls and responses, and its turns list no calls or responses. None of its turns is delegated.
 */
export function changedSession({ draft: part }: DraftChanges): Session {
  const session = bareSession({ source: part.source, session_id: part.session_id, parts: [part] });
  const turns = new Map<number, Turn>();
  for (const draft of part.turns)
    turns.set(draft.index, { session, part, draft, ref: turnRef(draft.index), children: [], usage: [], calls: [] });
  const find = (index: number | null): Turn | null => (index === null ? null : (turns.get(index) ?? null));
  session.turns = [...turns.values()];
  session.tools = part.tools.map((call) => ({ call, part, turn: find(call.turn) }));
  session.usage = part.usage.map((event) => ({ event, turn: find(event.turn), owner: find(event.turn) }));
  countUnwrittenAlone(session);
  return session;
}

/** A later segment that builds on an earlier point takes back the turns after that point; their cost stays. */
function takeBack(earlier: readonly FileDraft[], part: FileDraft): void {
  for (const rewind of part.rewinds) {
    for (const before of earlier) {
      for (const turn of before.turns) if (turn.position >= rewind.from_position) turn.taken_back = "rewound";
    }
  }
}

function assignTurns(session: Session): void {
  const turns = new Map([...session.turns, ...session.delegations].map((turn) => [turn.draft, turn]));
  const find = (part: FileDraft, index: number | null): Turn | null => {
    const draft = index === null ? undefined : part.turns[index];
    return draft ? (turns.get(draft) ?? null) : null;
  };
  session.usage = session.parts.flatMap((part) =>
    part.usage.map((event): OwnedUsage => ({ event, turn: find(part, event.turn), owner: null })),
  );
  session.tools = session.parts.flatMap((part) =>
    part.tools.map((call): OwnedCall => ({ call, part, turn: find(part, call.turn) })),
  );
  for (const owned of session.tools) owned.turn?.calls.push(owned);
}

/** Delegated work that no human turn answers for (its parent is gone) belongs to the session alone. */
function disownOrphans(session: Session): void {
  for (const turn of session.delegations) {
    if (answerableTurn(turn)) continue;
    session.records.owned_by_turns -= turn.draft.records;
    session.records.session_level += turn.draft.records;
  }
}

function mergeMeta(parts: readonly FileDraft[]): SessionMeta {
  const [first, ...rest] = parts.map((part) => part.meta);
  const merged: SessionMeta = { ...(first as SessionMeta) };
  for (const meta of rest) {
    for (const [key, value] of Object.entries(meta)) {
      if (value !== null && key !== "started_at" && key !== "models")
        Object.assign(merged, Object.fromEntries([[key, value]]));
    }
    merged.models = [...new Set([...merged.models, ...meta.models])];
  }
  return merged;
}

function startOf(parts: readonly FileDraft[]): number | null {
  const stated = parts[0]?.meta.started_at;
  const time = stated ? Date.parse(stated) : Number.NaN;
  return Number.isNaN(time) ? (parts[0]?.first_time ?? null) : time;
}

function latest(times: readonly (number | null)[]): number | null {
  return times.reduce<number | null>((max, time) => (time !== null && (max === null || time > max) ? time : max), null);
}

export function addRecords(list: readonly RecordBalance[]): RecordBalance {
  const sum = emptyBalance();
  for (const one of list) {
    for (const key of RECORD_KEYS) sum[key] += one[key];
    for (const [reason, n] of Object.entries(one.reasons)) sum.reasons[reason] = (sum.reasons[reason] ?? 0) + n;
  }
  return sum;
}

export function addTokens(list: readonly TokenBalance[]): TokenBalance {
  const sum: TokenBalance = { tokens_read: 0, counted: 0, duplicates: 0, inherited: 0, estimates: 0 };
  for (const one of list) for (const key of TOKEN_KEYS) sum[key] += one[key];
  return sum;
}

export const RECORD_KEYS = [
  "records_read",
  "owned_by_turns",
  "setup",
  "session_level",
  "inherited",
  "duplicates",
  "unknown",
  "corrupt",
] as const;

const TOKEN_KEYS = ["tokens_read", "counted", "duplicates", "inherited", "estimates"] as const;

function byStart(a: Session, b: Session): number {
  return (
    (a.started_at ?? 0) - (b.started_at ?? 0) ||
    (a.source < b.source ? -1 : a.source > b.source ? 1 : a.session_id < b.session_id ? -1 : 1)
  );
}

/** Sorts sessions a human spoke to first, so that they keep a response that a side file repeats. */
function rootsFirst(a: Session, b: Session): number {
  return Number(a.meta.kind !== "root") - Number(b.meta.kind !== "root") || byStart(a, b);
}

/**
 * Splits the files into independent sets: no session, origin, parent, child, prompt or response named in one set is
 * named in another. An error while one set is assembled therefore cannot affect the others.
 */
export function independentSets(drafts: readonly FileDraft[]): FileDraft[][] {
  const above = drafts.map((_, place) => place);
  const rootOf = (place: number): number => {
    let at = place;
    for (let up = above[at] ?? at; up !== at; up = above[at] ?? at) {
      above[at] = above[up] ?? up;
      at = up;
    }
    return at;
  };
  const holders = new Map<string, number>();
  for (const [place, draft] of drafts.entries()) {
    for (const name of namesIn(draft)) {
      const holder = holders.get(name);
      if (holder === undefined) holders.set(name, place);
      else above[rootOf(place)] = rootOf(holder);
    }
  }
  const sets = new Map<number, FileDraft[]>();
  for (const [place, draft] of drafts.entries()) {
    addTo(sets, rootOf(place), draft);
  }
  return [...sets.values()];
}

function* namesIn(draft: FileDraft): Generator<string, void, undefined> {
  const { source, session_id, meta, children, turns, usage } = draft;
  yield `session ${keyOfSession(source, session_id)}`;
  if (meta.forked_from !== null) yield `session ${keyOfSession(source, meta.forked_from)}`;
  if (meta.copy_of) yield `session ${sessionKey(meta.copy_of)}`;
  if (meta.parent) yield `session ${sessionKey(meta.parent)}`;
  for (const { child } of children) yield `session ${sessionKey(child)}`;
  for (const { identity } of turns) if (identity !== null) yield `prompt ${source}/${identity}`;
  for (const { response_id } of usage) yield `response ${source}/${response_id}`;
}
