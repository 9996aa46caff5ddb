import type { Relation, SessionRef, SourceId } from "../record/record.ts";
import type { Diagnostic } from "../agents/contract.ts";
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
import { sessionKey, turnKeyIn } from "../record/session-key.ts";

/** A session whose files are joined and whose relations to other sessions are known. */
export interface Session {
  source: SourceId;
  session_id: string;
  /** The file that holds the session now; if there are several, each turn names its own. */
  path: string;
  parts: FileDraft[];
  meta: SessionMeta;
  turns: Turn[];
  /** Turns requested by an agent; owned by the turn of another session. */
  delegations: Turn[];
  usage: OwnedUsage[];
  tools: OwnedCall[];
  records: RecordBalance;
  tokens: TokenBalance;
  /** The latest totals its agent states, and what was counted minus those totals; null if it states none. */
  totals: { stated: number; difference: number } | null;
  diagnostics: Diagnostic[];
  started_at: number | null;
  ended_at: number | null;
  /** The turn of another session that caused this one; null for roots and for orphans. */
  cause: Turn | null;
  forked_from: SessionRef | null;
  /** The whole session is a copy of another session that is present, and counts there. */
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
  /** The rule by which a comparison of all sessions suggests that a program sent the prompt; see `recurring.ts`. */
  automated?: string;
  /**
   * What the human typed, if a comparison of all sessions shows that the prompt is the text of a command; see
   * `repeated.ts`.
   */
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

/** A counted response with the turn (or delegation) that produced it and the human turn responsible for it. */
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

/** The trigger, corrected by what a comparison of all sessions shows about it. */
export function triggerOf({ draft, automated, typed }: Turn): Trigger {
  return correctTrigger(draft.trigger, { automated, typed });
}

/** The rule name for a prompt recognised as the text of a command. */
const REPEATED = "repeated.template";

export function correctTrigger<T extends Pick<Trigger, "text" | "kind" | "entry" | "reason">>(
  trigger: T,
  { automated, typed }: { automated: string | undefined; typed: string | undefined },
): T {
  const stated =
    typed === undefined ? trigger : { ...trigger, kind: "command" as const, text: typed, reason: REPEATED };
  return automated === undefined ? stated : { ...stated, entry: "automated" as const, reason: automated };
}

/** The name of the human turn at this index. */
export function turnRef(place: number): string {
  return `T${String(place + 1).padStart(4, "0")}`;
}

/** The inverse of `turnRef`. */
export function turnIndexOf(ref: string): number {
  return Number(ref.slice(1)) - 1;
}

export function keyOfTurn(turn: Turn): string {
  return turnKeyIn(sessionKey(turn.session), turn.ref);
}
