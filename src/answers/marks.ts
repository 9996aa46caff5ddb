import { DaybookError } from "../errors.ts";
import { order } from "../text/order.ts";
import { turnKeyIn } from "../turns/session.ts";

/** A word a person put on a session or a turn, perhaps with a value: `ticket=ABC-1`, `flaky`. */
export interface Label {
  key: string;
  /** Null for a plain word. */
  value: string | null;
}

/** What a person wrote down about a session or a turn. */
export interface Note {
  /** By which it is taken off again. */
  id: string;
  text: string;
  time: string;
}

/** What a person put on a session or a turn. It belongs to its id: no fork, copy or sub-agent inherits it. */
export interface Marks {
  starred: boolean;
  /** By key, each once. */
  labels: Label[];
  /** The oldest first. */
  notes: Note[];
}

/** The same of one turn. */
export interface TurnMarks extends Marks {
  turn_ref: string;
}

/** The same of a session, with those of its turns. */
export interface SessionMarks extends Marks {
  turns: TurnMarks[];
}

/** Which sessions and turns are meant, by what a person put on them; all that is given must hold. */
export interface MarkChoice {
  /** Keys, or keys with values: `ticket`, `ticket=ABC-1`. */
  label?: readonly string[] | undefined;
  starred?: boolean | undefined;
  /** With a note. */
  noted?: boolean | undefined;
}

export function choosesMarks({ label, starred, noted }: MarkChoice): boolean {
  return (label !== undefined && label.length > 0) || starred === true || noted === true;
}

/** Longest that is taken. */
export const LONGEST = { key: 64, value: 500, note: 8000 } as const;

const KEY = /^[\p{L}\p{N}][\p{L}\p{N}._:@#/+-]*$/u;

/** `key=value` or a plain word, as it is typed. */
export function labelFrom(text: string): Label {
  const at = text.indexOf("=");
  const key = labelKey(at === -1 ? text : text.slice(0, at));
  if (at === -1) return { key, value: null };
  const value = text
    .slice(at + 1)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (value === "") throw wrong(`${key}= has no value`, `${key}=VALUE, or ${key} alone`);
  if (value.length > LONGEST.value) throw wrong("a label's value is one short line", "keep long texts in a note");
  return { key, value };
}

export function labelKey(text: string): string {
  const key = text.trim().normalize("NFC");
  if (KEY.test(key) && key.length <= LONGEST.key) return key;
  throw wrong(`a label is a word or KEY=VALUE, not ${text}`, "for example ticket=ABC-1 or flaky");
}

export function noteText(text: string): string {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "") throw wrong("an empty note says nothing", 'for example daybook note SESSION "why it failed"');
  if (trimmed.length <= LONGEST.note) return trimmed;
  throw wrong(`a note has at most ${LONGEST.note} characters`, "keep longer texts in a file and note its path");
}

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "mark session", hint });
}

/** As it is typed. */
export function labelText({ key, value }: Label): string {
  return value === null ? key : `${key}=${value}`;
}

/** Whether the marks of a session, or of one of its turns, are those asked for; either may hold a part of it. */
export function holdsChoice(choice: MarkChoice, marks: readonly Marks[]): boolean {
  const labels = marks.flatMap((one) => one.labels);
  return (
    (choice.starred !== true || marks.some(({ starred }) => starred)) &&
    (choice.noted !== true || marks.some(({ notes }) => notes.length > 0)) &&
    (choice.label ?? []).every((wanted) => {
      const { key, value } = labelFrom(wanted);
      return labels.some((one) => one.key === key && (value === null || one.value === value));
    })
  );
}

/**
 * The sessions and turns that a choice means. What is on a session is on all its turns; a turn that is meant alone brings its
 * session into lists of sessions.
 */
export class Marked {
  /** Keys of sessions that are meant with all their turns. */
  readonly whole: ReadonlySet<string>;
  /** Turns that are meant alone, as `source/id/T0001`. */
  readonly turns: ReadonlySet<string>;
  /** Sessions of those. */
  readonly partly: ReadonlySet<string>;

  constructor(marks: ReadonlyMap<string, SessionMarks>, choice: MarkChoice) {
    const [whole, turns, partly] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const [key, session] of marks) {
      if (holdsChoice(choice, [session])) {
        whole.add(key);
        continue;
      }
      for (const turn of session.turns) {
        if (!holdsChoice(choice, [session, turn])) continue;
        turns.add(turnKeyIn(key, turn.turn_ref));
        partly.add(key);
      }
    }
    this.whole = whole;
    this.turns = turns;
    this.partly = partly;
  }

  hasSession(key: string): boolean {
    return this.whole.has(key) || this.partly.has(key);
  }

  /** Null: what belongs to no turn. */
  hasTurn(key: string, ref: string | null): boolean {
    return this.whole.has(key) || (ref !== null && this.turns.has(turnKeyIn(key, ref)));
  }
}

/** Of a turn with those of its session; null where there is nothing on either. */
export function together(session: Marks | null, turn: Marks | null): Marks | null {
  if (!session || isBare(session)) return turn;
  const { starred, labels, notes } = session;
  if (!turn) return { starred, labels, notes };
  const own = new Set(turn.labels.map(({ key }) => key));
  return {
    starred: starred || turn.starred,
    labels: [...turn.labels, ...labels.filter(({ key }) => !own.has(key))].toSorted((a, b) => order(a.key, b.key)),
    notes: [...notes, ...turn.notes],
  };
}

export function isBare({ starred, labels, notes }: Marks): boolean {
  return !starred && labels.length === 0 && notes.length === 0;
}

/** In a few signs, for lists: `★`, labels, how many notes. */
export function marksInBrief(marks: Marks | null): string[] {
  if (!marks) return [];
  const { starred, labels, notes } = marks;
  return [...(starred ? ["★"] : []), ...labels.map(labelText), ...(notes.length === 0 ? [] : [`✎${notes.length}`])];
}
