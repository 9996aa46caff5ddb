import type { ContextBody, ContextSource } from "../format/record.ts";
import { iso } from "../time/zone.ts";
import { enforce } from "../turns/instructions.ts";
import type { ContextChange, FileDraft, TurnContext } from "../turns/model.ts";
import type { Session, Turn } from "../turns/session.ts";
import { order } from "../text/order.ts";

export type ContextField = keyof TurnContext;

export const CONTEXT_FIELDS: readonly ContextField[] = [
  "model",
  "effort",
  "approval_policy",
  "sandbox",
  "network",
  "sandbox_excludes",
  "reasoning_summary",
  "context_window",
  "cwd",
  "git_branch",
  "git_commit",
  "agent_version",
];

/** One thing that ruled the work and became another, with the line that says so. */
export interface ContextShift {
  field: ContextField | "instructions";
  from: string;
  to: string;
  line: number;
  time: string | null;
}

/** What was in force in one turn, and what changed with or inside it. */
export interface TurnTrail {
  turn: Turn;
  /** As the turn began to work. */
  context: TurnContext;
  /** Instruction files loaded so far. */
  instructions: ContextSource[];
  shifts: ContextShift[];
}

/** Digits of a hash that people are shown. */
export const SHOWN = 12;

type State = Partial<Record<ContextField, string>>;

/** Follows the settings of a session from turn to turn. The first turn's are where it begins, not a change. */
export function contextTrail(session: Session): TurnTrail[] {
  const state: State = {};
  const files = new Map<string, ContextSource>();
  const trails: TurnTrail[] = [];
  const byTurn = eventsByTurn(session);
  for (const turn of session.turns) {
    const context = turn.draft.context;
    const shifts: ContextShift[] = [];
    const events = byTurn.get(turn) ?? [];
    const first = trails.length === 0;
    if (first) Object.assign(state, stated(context));
    else shifts.push(...unexplained(state, turn, events));
    for (const { line, time, body } of events) {
      const at = (): Pick<ContextShift, "line" | "time"> => ({ line, time: iso(time) });
      for (const [field, value] of Object.entries(statedBy(body)) as [ContextField, string][]) {
        const before = state[field];
        if (before === value) continue;
        state[field] = value;
        // Settings stand on both sides of a first prompt: those that come true in it were its own from the start.
        if (before !== undefined && !(first && stated(context)[field] === value))
          shifts.push({ field, from: before, to: value, ...at() });
      }
      for (const source of body.sources ?? []) {
        const before = enforce(files, source);
        if (before === "known" || (before === null && first)) continue;
        shifts.push({ field: "instructions", from: before ? label(before) : "", to: label(source), ...at() });
      }
    }
    const instructions = [...files.values()].toSorted(
      (a, b) => order(a.path ?? "", b.path ?? "") || order(a.kind, b.kind) || order(a.hash ?? "", b.hash ?? ""),
    );
    trails.push({ turn, context, instructions, shifts });
  }
  return trails;
}

/** Context records by turn: those inside it, and those before it that prepared it. */
function eventsByTurn(session: Session): Map<Turn, FileDraft["contexts"]> {
  const byTurn = new Map<Turn, FileDraft["contexts"]>(session.turns.map((turn) => [turn, []]));
  for (const part of session.parts) {
    const turns = session.turns.filter((turn) => turn.part === part);
    let at = 0;
    for (const event of part.contexts) {
      // Rate limits may be repeated with every response; they rule nothing here.
      if (Object.keys(statedBy(event.body)).length === 0 && event.body.sources === undefined) continue;
      while (at < turns.length - 1 && event.line > (turns[at]?.draft.end_line ?? 0)) at++;
      const turn = turns[at];
      if (turn) byTurn.get(turn)?.push(event);
    }
  }
  return byTurn;
}

/** What the turn has that no context record of it says: a new header of the session did. */
function unexplained(state: State, turn: Turn, events: FileDraft["contexts"]): ContextShift[] {
  const found: ContextShift[] = [];
  for (const [field, value] of Object.entries(stated(turn.draft.context)) as [ContextField, string][]) {
    const before = state[field];
    if (before === value || events.some(({ body }) => statedBy(body)[field] === value)) continue;
    state[field] = value;
    if (before === undefined) continue;
    found.push({ field, from: before, to: value, line: turn.draft.start_line, time: iso(turn.draft.trigger.time) });
  }
  return found;
}

function stated(context: TurnContext): State {
  const out: State = {};
  for (const field of CONTEXT_FIELDS) {
    const value = context[field];
    if (value !== null) out[field] = inWords(value);
  }
  return out;
}

/** A setting as people read it. */
export function inWords(value: string | number | boolean | readonly string[]): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "object") return String(value);
  return value.length === 0 ? "none" : value.join(", ");
}

function statedBy(body: ContextBody): State {
  return stated({
    model: body.model ?? null,
    effort: body.effort ?? null,
    approval_policy: body.approval_policy ?? null,
    sandbox: body.sandbox ?? null,
    network: body.network ?? null,
    sandbox_excludes: body.sandbox_excludes ?? null,
    reasoning_summary: body.reasoning_summary ?? null,
    context_window: body.context_window ?? null,
    cwd: body.cwd ?? null,
    git_branch: body.git?.branch ?? null,
    git_commit: body.git?.commit ?? null,
    agent_version: body.agent_version ?? null,
  });
}

function label(source: ContextSource): string {
  return `${source.path ?? source.kind}${source.hash === null ? "" : ` (${source.hash.slice(0, SHOWN)})`}`;
}

/**
 * True when these statements say nothing else than what a turn ended with, given its context and what changed in it: then they
 * change nothing, whichever turn they belong to.
 */
export function isInForce(
  context: TurnContext,
  changes: readonly ContextShift[],
  statements: readonly ContextChange[],
): boolean {
  const state = new Map<string, string>(Object.entries(stated(context)));
  for (const { field, to } of changes) state.set(field, to);
  return statements.every(
    ({ body }) =>
      body.sources === undefined &&
      Object.entries(statedBy(body)).every(([field, value]) => state.get(field) === value),
  );
}
