import { DaybookError } from "../base/errors.ts";
import { order } from "../base/text/order.ts";
import { turnKeyIn } from "../record/session-key.ts";

/** A label on a session or a turn, with or without a value: `ticket=ABC-1`, `flaky`. */
export interface Label {
  key: string;
  /** Null for a label without a value. */
  value: string | null;
}

/** A note that a person wrote about a session or a turn. */
export interface Note {
  /** Identifies the note when it is removed. */
  id: string;
  text: string;
  time: string;
}

/** The marks on a session or a turn. They belong to its id: forks, copies and sub-agents do not inherit them. */
export interface Marks {
  starred: boolean;
  /** A person closed what the turn left open, and what its goal left before; always false on a session. */
  closed: boolean;
  /** Sorted by key; each key occurs once. */
  labels: Label[];
  /** Oldest first. */
  notes: Note[];
}

/** The marks on one turn. */
export interface TurnMarks extends Marks {
  turn_ref: string;
}

/** The marks on a session and on its turns. */
export interface SessionMarks extends Marks {
  turns: TurnMarks[];
}

/** Selects sessions and turns by their marks; all given conditions must hold. */
export interface MarkChoice {
  /** Keys, or keys with values: `ticket`, `ticket=ABC-1`. */
  label?: readonly string[] | undefined;
  starred?: boolean | undefined;
  /** Only those with a note. */
  noted?: boolean | undefined;
}

export function hasMarkChoice({ label, starred, noted }: MarkChoice): boolean {
  return (label !== undefined && label.length > 0) || starred === true || noted === true;
}

/** Maximum lengths in characters. */
export const MARK_LIMITS = { key: 64, value: 500, note: 8000 } as const;

const KEY = /^[\p{L}\p{N}][\p{L}\p{N}._:@#/+-]*$/u;

/** Parses `key=value` or a plain word. */
export function parseLabel(text: string): Label {
  const at = text.indexOf("=");
  const key = parseLabelKey(at === -1 ? text : text.slice(0, at));
  if (at === -1) return { key, value: null };
  const value = text
    .slice(at + 1)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (value === "") throw usageError(`${key}= has no value`, `${key}=VALUE, or ${key} alone`);
  if (value.length > MARK_LIMITS.value)
    throw usageError("a label's value is one short line", "keep long texts in a note");
  return { key, value };
}

export function parseLabelKey(text: string): string {
  const key = text.trim().normalize("NFC");
  if (KEY.test(key) && key.length <= MARK_LIMITS.key) return key;
  throw usageError(`a label is a word or KEY=VALUE, not ${text}`, "for example ticket=ABC-1 or flaky");
}

export function parseNote(text: string): string {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "")
    throw usageError("an empty note says nothing", 'for example daybook mark note SESSION "why it failed"');
  if (trimmed.length <= MARK_LIMITS.note) return trimmed;
  throw usageError(
    `a note has at most ${MARK_LIMITS.note} characters`,
    "keep longer texts in a file and note its path",
  );
}

function usageError(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "mark session", hint });
}

/** The label in the form that `parseLabel` reads. */
export function labelText({ key, value }: Label): string {
  return value === null ? key : `${key}=${value}`;
}

/** True when the given marks together satisfy the choice; each may satisfy a part of it. */
function matchesMarkChoice(choice: MarkChoice, marks: readonly Marks[]): boolean {
  const labels = marks.flatMap((one) => one.labels);
  return (
    (choice.starred !== true || marks.some(({ starred }) => starred)) &&
    (choice.noted !== true || marks.some(({ notes }) => notes.length > 0)) &&
    (choice.label ?? []).every((wanted) => {
      const { key, value } = parseLabel(wanted);
      return labels.some((one) => one.key === key && (value === null || one.value === value));
    })
  );
}

/**
 * The sessions and turns that a mark choice selects. A mark on a session applies to all its turns; a turn selected on
 * its own also selects its session in lists of sessions.
 */
export class MarkFilter {
  /** Keys of sessions that are selected with all their turns. */
  readonly wholeSessions: ReadonlySet<string>;
  /** Turns that are selected on their own, as `source/id/T0001`. */
  readonly turns: ReadonlySet<string>;
  /** Keys of the sessions of `turns`. */
  readonly partialSessions: ReadonlySet<string>;

  constructor(marks: ReadonlyMap<string, SessionMarks>, choice: MarkChoice) {
    const [whole, turns, partly] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const [key, session] of marks) {
      if (matchesMarkChoice(choice, [session])) {
        whole.add(key);
        continue;
      }
      for (const turn of session.turns) {
        if (!matchesMarkChoice(choice, [session, turn])) continue;
        turns.add(turnKeyIn(key, turn.turn_ref));
        partly.add(key);
      }
    }
    this.wholeSessions = whole;
    this.turns = turns;
    this.partialSessions = partly;
  }

  hasSession(key: string): boolean {
    return this.wholeSessions.has(key) || this.partialSessions.has(key);
  }

  /** `ref` is null for records that belong to no turn. */
  hasTurn(key: string, ref: string | null): boolean {
    return this.wholeSessions.has(key) || (ref !== null && this.turns.has(turnKeyIn(key, ref)));
  }
}

/** Merges the marks of a turn with those of its session; null when neither has any. */
export function mergeMarks(session: Marks | null, turn: Marks | null): Marks | null {
  if (!session || hasNoMarks(session)) return turn;
  const { starred, closed, labels, notes } = session;
  if (!turn) return { starred, closed, labels, notes };
  const own = new Set(turn.labels.map(({ key }) => key));
  return {
    starred: starred || turn.starred,
    closed: turn.closed,
    labels: [...turn.labels, ...labels.filter(({ key }) => !own.has(key))].toSorted((a, b) => order(a.key, b.key)),
    notes: [...notes, ...turn.notes],
  };
}

export function hasNoMarks({ starred, closed, labels, notes }: Marks): boolean {
  return !starred && !closed && labels.length === 0 && notes.length === 0;
}

/** Short form for lists: `★`, labels, number of notes, `closed`. */
export function marksInBrief(marks: Marks | null): string[] {
  if (!marks) return [];
  const { starred, closed, labels, notes } = marks;
  const counted = notes.length === 0 ? [] : [`✎${notes.length}`];
  return [...(starred ? ["★"] : []), ...labels.map(labelText), ...counted, ...(closed ? ["closed"] : [])];
}
