import type { ContextBody, ContextSource } from "../record/record.ts";
import { iso } from "../base/time/zone.ts";
import { putInForce } from "../turns/instructions.ts";
import type { ContextChange, FileDraft, TurnContext, TurnDraft } from "../turns/model.ts";
import type { Session, Turn } from "../turns/session.ts";
import { CONTEXT_FIELDS, NO_SETTINGS, statedSettings } from "../turns/settings.ts";
import { order } from "../base/text/order.ts";
import { lineOwners } from "./recorded.ts";

export type ContextField = keyof TurnContext;

/** One setting that changed, with the line that states the new value. */
export interface ContextShift {
  field: ContextField | "instructions";
  from: string;
  to: string;
  line: number;
  time: string | null;
}

/** The settings in force in one turn, and what changed with or inside it. */
export interface SettingsTrail {
  turn: Turn;
  /** The settings when the turn began. */
  context: TurnContext;
  /** Instruction files loaded so far. */
  instructions: ContextSource[];
  shifts: ContextShift[];
}

/** Number of hash digits shown to people. */
export const HASH_DIGITS = 12;

type State = Partial<Record<ContextField, string>>;

/** The settings and the instruction files in force in one window of the session. */
interface InForce {
  state: State;
  files: Map<string, ContextSource>;
}

/** Follows the settings of a session from turn to turn. Those of the first turn are the start, not changes. */
export function contextTrail(session: Session): SettingsTrail[] {
  let { state, files }: InForce = { state: {}, files: new Map() };
  const trails: SettingsTrail[] = [];
  const byTurn = eventsByTurn(session);
  const windows = new Windows();
  for (const turn of session.turns) {
    ({ state, files } = windows.enter(turn, { state, files }));
    const context = turn.draft.context;
    const shifts: ContextShift[] = [];
    const events = byTurn.get(turn) ?? [];
    const first = trails.length === 0;
    if (first) Object.assign(state, settingsInContext(context));
    else shifts.push(...shiftsWithoutRecord(state, turn, events));
    for (const { line, time, body } of events) {
      const at = (): Pick<ContextShift, "line" | "time"> => ({ line, time: iso(time) });
      for (const [field, value] of Object.entries(settingsInBody(body)) as [ContextField, string][]) {
        const before = state[field];
        if (before === value) continue;
        state[field] = value;
        // Settings are recorded both before and after the first prompt: a value the first turn has is not a change.
        if (before !== undefined && !(first && settingsInContext(context)[field] === value))
          shifts.push({ field, from: before, to: value, ...at() });
      }
      for (const source of body.sources ?? []) {
        const before = putInForce(files, source);
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

/** Each window of a session has its own settings. */
class Windows {
  /** What was in force where another window went on. */
  readonly #left = new Map<TurnDraft, InForce>();
  #last: Turn | null = null;

  /** What is in force before the turn; `now`: after the turn before it. */
  enter(turn: Turn, now: InForce): InForce {
    const { part, draft } = turn;
    const before = this.#last;
    this.#last = turn;
    if (draft.follows === undefined || before === null) return now;
    this.#left.set(before.draft, now);
    const known = draft.follows === null ? undefined : part.turns[draft.follows];
    const { state, files } = (known && this.#left.get(known)) ?? now;
    return { state: { ...state }, files: new Map(files) };
  }
}

/** Context records by turn: those inside the turn, and those before it that prepared it. */
function eventsByTurn(session: Session): Map<Turn, FileDraft["contexts"]> {
  const byTurn = new Map<Turn, FileDraft["contexts"]>(session.turns.map((turn) => [turn, []]));
  for (const part of session.parts) {
    const turns = session.turns.filter((turn) => turn.part === part);
    const isBranched = turns.some(({ draft }) => draft.follows !== undefined);
    const ownerOf = lineOwners(isBranched ? turns.map((turn) => ({ turn, lines: turn.draft.lines })) : []);
    let at = 0;
    for (const event of part.contexts) {
      // Skip records that only repeat rate limits, which agents may do with every response.
      if (Object.keys(settingsInBody(event.body)).length === 0 && event.body.sources === undefined) continue;
      while (at < turns.length - 1 && event.line > (turns[at]?.draft.end_line ?? 0)) at++;
      const turn = ownerOf(event.line)?.turn ?? turns[at];
      if (turn) byTurn.get(turn)?.push(event);
    }
  }
  return byTurn;
}

/** Changes that no context record of the turn states: they come from a repeated session header. */
function shiftsWithoutRecord(state: State, turn: Turn, events: FileDraft["contexts"]): ContextShift[] {
  const found: ContextShift[] = [];
  for (const [field, value] of Object.entries(settingsInContext(turn.draft.context)) as [ContextField, string][]) {
    const before = state[field];
    if (before === value || events.some(({ body }) => settingsInBody(body)[field] === value)) continue;
    state[field] = value;
    if (before === undefined) continue;
    found.push({ field, from: before, to: value, line: turn.draft.start_line, time: iso(turn.draft.trigger.time) });
  }
  return found;
}

function settingsInContext(context: TurnContext): State {
  const out: State = {};
  for (const field of CONTEXT_FIELDS) {
    const value = context[field];
    if (value !== null) out[field] = settingText(value);
  }
  return out;
}

/** A setting as text for people. */
export function settingText(value: string | number | boolean | readonly string[]): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "object") return String(value);
  return value.length === 0 ? "none" : value.join(", ");
}

function settingsInBody(body: ContextBody): State {
  const { branch = null, commit = null } = body.git ?? {};
  return settingsInContext({ ...NO_SETTINGS, ...statedSettings(body), git_branch: branch, git_commit: commit });
}

function label(source: ContextSource): string {
  return `${source.path ?? source.kind}${source.hash === null ? "" : ` (${source.hash.slice(0, HASH_DIGITS)})`}`;
}

/**
 * True when the statements only repeat the settings that a turn ended with, given its context and the changes in it.
 * Such statements change nothing, whichever turn they belong to.
 */
export function isInForce(
  context: TurnContext,
  changes: readonly ContextShift[],
  statements: readonly ContextChange[],
): boolean {
  const state = new Map<string, string>(Object.entries(settingsInContext(context)));
  for (const { field, to } of changes) state.set(field, to);
  return statements.every(
    ({ body }) =>
      body.sources === undefined &&
      Object.entries(settingsInBody(body)).every(([field, value]) => state.get(field) === value),
  );
}
