import type { Relation, SessionRef, SourceId } from "../format/record.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type {
  FileDraft,
  RecordBalance,
  SessionMeta,
  TokenBalance,
  ToolCall,
  Trigger,
  TurnDraft,
  UsageEvent,
} from "./model.ts";

/** A session after all its files were put together and its place among the other sessions is known. */
export interface Session {
  source: SourceId;
  session_id: string;
  /** The file that holds the session now; turns name their own when there are several. */
  path: string;
  parts: FileDraft[];
  meta: SessionMeta;
  turns: Turn[];
  /** Work asked for by an agent; owned by the turn of another session. */
  delegations: Turn[];
  usage: OwnedUsage[];
  tools: OwnedCall[];
  records: RecordBalance;
  tokens: TokenBalance;
  /** The totals its agent states last of itself and of what no record states, and what was counted less that; null without any. */
  totals: { stated: number; difference: number } | null;
  diagnostics: Diagnostic[];
  started_at: number | null;
  ended_at: number | null;
  /** The turn of another session that caused this one; null for roots and for orphans. */
  cause: Turn | null;
  forked_from: SessionRef | null;
  /** All of it was made of another session that is here, and counts there. */
  copied?: true;
}

export interface Turn {
  session: Session;
  part: FileDraft;
  draft: TurnDraft;
  /** `T0001` …, in the order of the session. Delegations have none of their own. */
  ref: string;
  children: Child[];
  /** Responses and calls of the turn itself, without its children. */
  usage: OwnedUsage[];
  calls: OwnedCall[];
  /** By which rule all sessions together suggest that a program asked; see `recurring.ts`. */
  automated?: string;
  /** What was typed, where all sessions together show that the prompt is the text of a command; see `repeated.ts`. */
  typed?: string;
}

export interface Child {
  source: SourceId;
  session_id: string;
  relation: Relation;
  role: string | null;
  spawn_line: number | null;
  result_line: number | null;
  /** Null when the child's own file is gone. */
  session: Session | null;
}

/** A counted response with the turn that wrote it (or its delegation) and the human turn that answers for it. */
export interface OwnedUsage {
  event: UsageEvent;
  turn: Turn | null;
  owner: Turn | null;
}

export interface OwnedCall {
  call: ToolCall;
  part: FileDraft;
  turn: Turn | null;
}

/** The trigger with what only all sessions together show of it. */
export function triggerOf({ draft, automated, typed }: Turn): Trigger {
  return asTyped(draft.trigger, { automated, typed });
}

/** The rule by which the text of a command is known again among all others. */
const REPEATED = "repeated.template";

export function asTyped<T extends Pick<Trigger, "text" | "kind" | "entry" | "reason">>(
  trigger: T,
  { automated, typed }: { automated: string | undefined; typed: string | undefined },
): T {
  const stated =
    typed === undefined ? trigger : { ...trigger, kind: "command" as const, text: typed, reason: REPEATED };
  return automated === undefined ? stated : { ...stated, entry: "automated" as const, reason: automated };
}

export function sessionKey(ref: SessionRef): string {
  return `${ref.source}/${ref.session_id}`;
}

/** The session a key names. */
export function refOf(key: string): SessionRef {
  const slash = key.indexOf("/");
  return { source: key.slice(0, slash), session_id: key.slice(slash + 1) };
}

/** What the turn at a place among the human's turns is called. */
export function turnRef(place: number): string {
  return `T${String(place + 1).padStart(4, "0")}`;
}

/** The place of the turn that is called so. */
export function placeOf(ref: string): number {
  return Number(ref.slice(1)) - 1;
}

export function turnName(turn: Turn): string {
  const { source, session_id } = turn.session;
  return turnKey({ source, session_id, turn_ref: turn.ref });
}

/** The same of what is said of a turn; of none where it is not known which. */
export function turnKey(said: SessionRef & { turn_ref: string | null }): string {
  return turnKeyIn(sessionKey(said), said.turn_ref ?? "");
}

/** The same where the session's key is at hand. */
export function turnKeyIn(session: string, ref: string): string {
  return `${session}/${ref}`;
}
