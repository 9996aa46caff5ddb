import { addRecords, addTokens, RECORD_KEYS } from "../turns/assemble.ts";
import { answerableTurn } from "../turns/children.ts";
import { totalTokens } from "../record/tokens.ts";
import type { RecordBalance, TokenBalance } from "../turns/model.ts";
import type { Zone } from "../base/time/zone.ts";
import type { Session } from "../turns/session.ts";
import { type UsageItem } from "./usage-view.ts";

export interface SessionAudit {
  source: string;
  session_id: string;
  session_paths: string[];
  records: RecordBalance;
  tokens: TokenBalance;
  /** Tokens by owner: human turns of this session, turns of other sessions that caused it, no turn. */
  owners: { own_turns: number; causing_turns: number; unowned: number };
  /** Tokens that belong to no turn, by the rule that decided it. */
  unowned_reasons: Record<string, number>;
  /** The last total that the agent itself states; null when it states none. */
  stated_total: number | null;
  /** Tokens counted up to that statement, minus the stated total; null when there is none. */
  difference: number | null;
  balanced: boolean;
  /** Messages about sums that do not agree. */
  problems: string[];
}

export interface AuditReport {
  schema_version: 1;
  balanced: boolean;
  sessions: SessionAudit[];
  totals: {
    sessions: number;
    files: number;
    records: RecordBalance;
    tokens: TokenBalance;
    /** Sum over the sessions whose agents state a total. */
    stated_total: number | null;
    difference: number | null;
  };
  /** Tokens per local day; they add up to the total. */
  days: Record<string, number>;
  problems: string[];
}

/** Adds up audits and the responses they counted independently of each other, and reports differences. */
export function auditOf(audits: SessionAudit[], items: Iterable<UsageItem>, zone: Zone): AuditReport {
  const records = addRecords(audits.map((audit) => audit.records));
  const tokens = addTokens(audits.map((audit) => audit.tokens));
  const days: Record<string, number> = {};
  for (const { event } of items) {
    const day = event.time === null ? "unknown" : zone.day(event.time);
    days[day] = (days[day] ?? 0) + totalTokens(event);
  }
  const problems: string[] = [];
  const overDays = Object.values(days).reduce((sum, n) => sum + n, 0);
  if (overDays !== tokens.counted) problems.push(`days sum to ${overDays} tokens, sessions to ${tokens.counted}`);
  return {
    schema_version: 1,
    balanced: problems.length === 0 && audits.every((audit) => audit.balanced),
    sessions: audits,
    totals: {
      sessions: audits.length,
      files: audits.reduce((n, audit) => n + audit.session_paths.length, 0),
      records,
      tokens,
      ...sumStatedTotals(audits),
    },
    days: Object.fromEntries(Object.entries(days).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    problems,
  };
}

function sumStatedTotals(audits: readonly SessionAudit[]): Pick<SessionAudit, "stated_total" | "difference"> {
  const stating = audits.filter((audit) => audit.stated_total !== null);
  if (stating.length === 0) return { stated_total: null, difference: null };
  return {
    stated_total: stating.reduce((sum, audit) => sum + (audit.stated_total ?? 0), 0),
    difference: stating.reduce((sum, audit) => sum + (audit.difference ?? 0), 0),
  };
}

/** Sums over a session's parts, computed independently of its counters. */
export interface RecomputedSums {
  /** Records owned by the turns. */
  records: number;
  owners: SessionAudit["owners"];
}

export function auditSession(session: Session): SessionAudit {
  const units = [...session.turns, ...session.delegations.filter((turn) => answerableTurn(turn))];
  const owners = { own_turns: 0, causing_turns: 0, unowned: 0 };
  for (const { event, owner } of session.usage) {
    if (!owner) owners.unowned += totalTokens(event);
    else if (owner.session === session) owners.own_turns += totalTokens(event);
    else owners.causing_turns += totalTokens(event);
  }
  return auditAgainst(session, { records: units.reduce((sum, turn) => sum + turn.draft.records, 0), owners });
}

export function auditAgainst(session: Session, added: RecomputedSums): SessionAudit {
  const { records, tokens } = session;
  const { owners } = added;
  const problems: string[] = [];
  const expect = (what: string, a: number, b: number): void => {
    if (a !== b) problems.push(`${what}: ${a} is not ${b}`);
  };
  const categories = RECORD_KEYS.filter((key) => key !== "records_read").reduce((sum, key) => sum + records[key], 0);
  expect("records read against their categories", records.records_read, categories);
  // Every physical line is exactly one native record, so the number of lines is the number of records.
  expect(
    "records read against lines",
    records.records_read,
    session.parts.reduce((sum, part) => sum + part.lines, 0),
  );
  expect(
    "records read against reasons",
    records.records_read,
    Object.values(records.reasons).reduce((a, b) => a + b, 0),
  );
  expect("records owned by turns", records.owned_by_turns, added.records);
  expect(
    "tokens read against their categories",
    tokens.tokens_read,
    tokens.counted + tokens.duplicates + tokens.inherited + tokens.estimates,
  );
  expect("tokens counted against responses", tokens.counted, owners.own_turns + owners.causing_turns + owners.unowned);
  const stated = compareWithStated(session);
  if (stated?.wrong)
    problems.push(
      `counted tokens against the agent's own total: ${stated.difference + stated.tokens} is not ${stated.tokens}`,
    );
  return {
    source: session.source,
    session_id: session.session_id,
    session_paths: session.parts.map((part) => part.path),
    records,
    tokens,
    owners,
    unowned_reasons: unownedReasons(session, owners.unowned),
    stated_total: stated?.tokens ?? null,
    difference: stated?.difference ?? null,
    balanced: problems.length === 0,
    problems,
  };
}

/** The reason for usage that was stated while no turn was running and that has no reason of its own. */
const NO_TURN = "turns.unowned";

function unownedReasons({ usage }: Session, unowned: number): Record<string, number> {
  const out: Record<string, number> = {};
  let rest = unowned;
  for (const { event } of usage) {
    if (event.reason === undefined) continue;
    out[event.reason] = (out[event.reason] ?? 0) + totalTokens(event);
    rest -= totalTokens(event);
  }
  return rest === 0 ? out : { ...out, [NO_TURN]: rest };
}

interface StatedComparison {
  tokens: number;
  difference: number;
  /** The files do not explain the difference. */
  wrong: boolean;
}

/**
 * Compares the counted tokens with the total the agent states. Files are compared as read, because a response that is
 * counted in another session was spent here all the same. Differences can have legitimate causes: a killed process
 * loses a total it kept in memory, and agents make requests they do not record. Only a total that is written with every
 * response, in a file without corrupt lines, proves a mistake.
 */
function compareWithStated(session: Session): StatedComparison | null {
  const parts = session.parts.filter((part) => part.stated !== null);
  const { totals } = session;
  if (parts.length === 0 && !totals) return null;
  const out: StatedComparison = { tokens: totals?.stated ?? 0, difference: totals?.difference ?? 0, wrong: false };
  for (const { stated, records } of parts) {
    if (!stated) continue;
    const counted = stated.counted + (stated.includes_children ? tokensOfChildren(session) : 0);
    out.tokens += stated.tokens;
    out.difference += counted - stated.tokens;
    if (counted !== stated.tokens && stated.exact && records.corrupt === 0) out.wrong = true;
  }
  return out;
}

function tokensOfChildren(session: Session): number {
  let sum = 0;
  const seen = new Set([session]);
  // The set grows during the iteration, so children of children are visited too.
  for (const one of seen) {
    if (one !== session) sum += one.parts.reduce((n, part) => n + part.tokens.counted, 0);
    for (const turn of [...one.turns, ...one.delegations]) {
      for (const { session: child, relation } of turn.children) if (child && relation !== "fork") seen.add(child);
    }
  }
  return sum;
}
