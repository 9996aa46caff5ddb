import { isBare, labelFrom, labelKey, noteText, type Label, type Marks } from "../answers/marks.ts";
import { DaybookError } from "../errors.ts";
import type { MarkPlace } from "../store/marks/marks-file.ts";
import type { MarkWish } from "../store/marks/change-marks.ts";
import { order } from "../text/order.ts";
import { refOf } from "../turns/session.ts";
import type { Asking } from "./asking.ts";
import { namedTurn } from "./find.ts";
import type { Query } from "./questions.ts";

/** What is to be put on a session or a turn, or taken off; done in this order. */
export interface MarkDemand {
  starred?: boolean | undefined;
  /** `key=value`, or plain words. A key has one value: the last given counts. */
  label?: readonly string[] | undefined;
  /** Keys. */
  unlabel?: readonly string[] | undefined;
  /** The text of a new note. */
  note?: string | undefined;
  /** The id of a note. */
  unnote?: string | undefined;
}

/** A session or a turn with what a person put on it. */
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

/** A label, and how much it is on. */
export interface LabelCount extends Label {
  sessions: number;
  turns: number;
}

export function wishesOf({ starred, label = [], unlabel = [], note, unnote }: MarkDemand): MarkWish[] {
  return [
    ...(starred === undefined ? [] : [{ do: starred ? ("star" as const) : ("unstar" as const) }]),
    ...unlabel.map((key) => ({ do: "unlabel" as const, key: labelKey(key) })),
    ...label.map((text) => ({ do: "label" as const, ...labelFrom(text) })),
    ...(unnote === undefined ? [] : [{ do: "unnote" as const, id: unnote }]),
    ...(note === undefined ? [] : [{ do: "note" as const, text: noteText(note) }]),
  ];
}

/** Where marks go: a session of the book by any of its names, or a turn of it. */
export function placeOf(asking: Asking, target: string): MarkPlace {
  const { index } = asking.at;
  if (!index)
    throw new DaybookError("there is no book yet", {
      ...{ code: "not_found", op: "mark session", hint: "`daybook sync` makes it" },
    });
  const { wanted, ref = null } = namedTurn(target);
  const [key = "", ...others] = index.queries.find(wanted);
  if (others.length > 0)
    throw new DaybookError(`${wanted} could be ${others.length + 1} sessions`, {
      ...{ code: "not_found", op: "find session", hint: `one of: ${[key, ...others].join(", ")}` },
    });
  if (ref === null || index.queries.turnAt(key, ref) !== null) return { session: key, turn: ref };
  throw new DaybookError(`session ${refOf(key).session_id} has no turn ${ref}`, {
    ...{ code: "not_found", op: "find turn", hint: `\`daybook turns --session ${refOf(key).session_id}\` lists them` },
  });
}

/** Of one place; of a session with its marked turns behind it. */
export function marksAt({ at }: Asking, place: MarkPlace): MarkedView[] {
  const [view] = at.index?.queries.sessions({ session: place.session, range: { start: null, end: null } }) ?? [];
  if (!view) return [];
  const { source, session_id, project, title, started_at, marks } = view;
  const about = { source, session_id, project, title, started_at };
  const turns = place.turn === null ? (marks?.turns ?? []) : [];
  return [
    { ...about, turn_ref: place.turn, ...bareOf(at.marks.at(place)) },
    ...turns.map((turn) => ({ ...about, ...turn })),
  ];
}

function bareOf({ starred, labels, notes }: Marks): Marks {
  return { starred, labels, notes };
}

/** Everything that is marked, sessions that began last first, each before its turns. */
export function markedViews(asking: Asking, query: Query): MarkedView[] {
  const { at } = asking;
  const chosen = asking.marked(query);
  if (!at.index) return [];
  const views: MarkedView[] = [];
  for (const session of at.index.queries.sessions(asking.filter({ ...query, limit: undefined }))) {
    const { source, session_id, project, title, started_at, marks } = session;
    if (!marks) continue;
    const about = { source, session_id, project, title, started_at };
    const { turns, ...own } = marks;
    const key = `${source}/${session_id}`;
    if (!isBare(own) && chosen?.hasTurn(key, null) !== false) views.push({ ...about, turn_ref: null, ...own });
    for (const turn of turns) if (chosen?.hasTurn(key, turn.turn_ref) !== false) views.push({ ...about, ...turn });
  }
  return query.limit === undefined ? views : views.slice(0, query.limit);
}

/** Labels by key and value, with how many sessions and turns they are on. */
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
