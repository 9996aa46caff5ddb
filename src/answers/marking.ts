import { hasNoMarks, parseLabel, parseLabelKey, parseNote, type Label, type Marks } from "../views/marks.ts";
import { DaybookError } from "../base/errors.ts";
import type { MarkPlace } from "../index/marks/marks-file.ts";
import type { MarkRequest } from "../index/marks/change-marks.ts";
import { order } from "../base/text/order.ts";
import type { AnswerContext } from "./answer-context.ts";
import { parseTarget } from "./find.ts";
import type { Query } from "./questions.ts";
import { keyOfSession, parseSessionKey } from "../record/session-key.ts";

/** Marks to put on a session or turn, or to remove. */
export interface MarkDemand {
  starred?: boolean | undefined;
  /** Closes what a turn left open, or opens it again; only for a turn. */
  closed?: boolean | undefined;
  /** `key=value`, or a plain word. A key has one value: the last one given counts. */
  label?: readonly string[] | undefined;
  /** Keys. */
  unlabel?: readonly string[] | undefined;
  /** The text of a new note. */
  note?: string | undefined;
  /** The id of a note. */
  unnote?: string | undefined;
}

/** A session or turn with its marks. */
export interface MarkedView extends Marks {
  source: string;
  session_id: string;
  /** Null: the session itself. */
  turn_ref: string | null;
  project: string;
  /** Of the session. */
  title: string | null;
  /** When the session began. */
  started_at: string | null;
}

/** A label, and how many sessions and turns have it. */
export interface LabelCount extends Label {
  sessions: number;
  turns: number;
}

export function wishesOf({ starred, closed, label = [], unlabel = [], note, unnote }: MarkDemand): MarkRequest[] {
  return [
    ...(starred === undefined ? [] : [{ do: starred ? ("star" as const) : ("unstar" as const) }]),
    ...(closed === undefined ? [] : [{ do: closed ? ("close" as const) : ("reopen" as const) }]),
    ...unlabel.map((key) => ({ do: "unlabel" as const, key: parseLabelKey(key) })),
    ...label.map((text) => ({ do: "label" as const, ...parseLabel(text) })),
    ...(unnote === undefined ? [] : [{ do: "unnote" as const, id: unnote }]),
    ...(note === undefined ? [] : [{ do: "note" as const, text: parseNote(note) }]),
  ];
}

/** Resolves a target to a session of the book, or one of its turns. */
export function resolveMarkPlace(ctx: AnswerContext, target: string): MarkPlace {
  const { index } = ctx;
  if (!index.isOfBook)
    throw new DaybookError("there is no book yet", {
      code: "not_found",
      op: "mark session",
      hint: "`daybook sync` creates it",
    });
  const { wanted, ref = null } = parseTarget(target);
  const [key = "", ...others] = index.queries.findSessions(wanted);
  if (others.length > 0)
    throw new DaybookError(`${wanted} matches ${others.length + 1} sessions`, {
      code: "not_found",
      op: "find session",
      hint: `one of: ${[key, ...others].join(", ")}`,
    });
  if (ref === null || index.queries.turnAt(key, ref) !== null) return { session: key, turn: ref };
  throw new DaybookError(`session ${parseSessionKey(key).session_id} has no turn ${ref}`, {
    code: "not_found",
    op: "find turn",
    hint: `\`daybook turns --session ${parseSessionKey(key).session_id}\` lists them`,
  });
}

/** The marks of one place; for a session, followed by its marked turns. */
export function marksAt({ snapshot, index }: AnswerContext, place: MarkPlace): MarkedView[] {
  const [view] = index.queries.sessions({ session: place.session, range: { start: null, end: null } });
  if (!view) return [];
  const { source, session_id, project, title, started_at, marks } = view;
  const about = { source, session_id, project, title, started_at };
  const turns = place.turn === null ? (marks?.turns ?? []) : [];
  return [
    { ...about, turn_ref: place.turn, ...bareOf(snapshot.marks.at(place)) },
    ...turns.map((turn) => ({ ...about, ...turn })),
  ];
}

function bareOf({ starred, closed, labels, notes }: Marks): Marks {
  return { starred, closed, labels, notes };
}

/** Everything that is marked, most recently started sessions first, each before its turns. */
export function markedViews(ctx: AnswerContext, query: Query): MarkedView[] {
  const chosen = ctx.marked(query);
  const views: MarkedView[] = [];
  for (const session of ctx.index.queries.sessions(ctx.filter({ ...query, limit: undefined }))) {
    const { source, session_id, project, title, started_at, marks } = session;
    if (!marks) continue;
    const about = { source, session_id, project, title, started_at };
    const { turns, ...own } = marks;
    const key = keyOfSession(source, session_id);
    if (!hasNoMarks(own) && chosen?.hasTurn(key, null) !== false) views.push({ ...about, turn_ref: null, ...own });
    for (const turn of turns) if (chosen?.hasTurn(key, turn.turn_ref) !== false) views.push({ ...about, ...turn });
  }
  return query.limit === undefined ? views : views.slice(0, query.limit);
}

/** Labels by key and value, with the number of sessions and turns that have them. */
export function labelCounts(views: readonly MarkedView[]): LabelCount[] {
  const counts = new Map<string, LabelCount>();
  for (const { labels, turn_ref } of views) {
    for (const { key, value } of labels) {
      const name = JSON.stringify([key, value]);
      const count = counts.get(name) ?? { key, value, sessions: 0, turns: 0 };
      counts.set(name, count);
      if (turn_ref === null) count.sessions++;
      else count.turns++;
    }
  }
  return [...counts.values()].toSorted((a, b) => order(a.key, b.key) || order(a.value ?? "", b.value ?? ""));
}
