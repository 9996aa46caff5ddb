import { truncateSync } from "node:fs";
import { labelText, type Marks } from "../../views/marks.ts";
import { DaybookError } from "../../base/errors.ts";
import { appendLines } from "../../book/pages/append-lines.ts";
import { objectWithChecksum } from "../../book/pages/checksum.ts";
import { countRows } from "../../book/pages/row-count.ts";
import { lockHome } from "../sync/sync-lock.ts";
import { recordChange } from "../tables/changes.ts";
import { IndexStore } from "../tables/index-store.ts";
import { BookMarks, marksFile, type MarkChange, type MarkPlace, type MarkRow } from "./marks-file.ts";

/** A requested change; ids of notes are assigned when it is written. */
export type MarkRequest =
  | Exclude<MarkChange, { do: "note" | "unnote" }>
  | { do: "note"; text: string }
  | { do: "unnote"; id: string };

export interface MarkOptions {
  home: string;
  /** How long to wait for another Daybook that is writing, in ms. */
  patience: number;
  /** ISO time, stored with each change. */
  now: string;
}

/** Adds or removes marks of a session or turn; returns when they are on disk. No-op changes are not written. */
export async function changeMarks(
  place: MarkPlace,
  requests: readonly MarkRequest[],
  options: MarkOptions,
): Promise<void> {
  const { home, patience, now } = options;
  const lock = await lockHome(home, patience);
  try {
    const marks = new BookMarks(home);
    let last = marks.lastNote;
    const rows = requests.flatMap((wish): MarkRow[] => {
      if (isNoOp(wish, marks, place)) return [];
      const where = wish.do === "unnote" ? placeOfNote(wish.id, marks, place) : place;
      const change: MarkChange = wish.do === "note" ? { do: "note", id: `n${++last}`, text: wish.text } : wish;
      return [{ time: now, session: where.session, turn: where.turn, ...change }];
    });
    if (rows.length === 0) return;
    if (marks.tornAt !== null) truncateSync(marksFile(home), marks.tornAt);
    appendLines(marksFile(home), rows.map(objectWithChecksum).join(""));
    countRows(marksFile(home), Math.max(marks.rows.found, marks.rows.counted) + rows.length);
    notifyFollowers(home, place.session);
  } finally {
    lock.release();
  }
}

/** Whether the change has no effect; throws when a label to remove does not exist. */
function isNoOp(wish: MarkRequest, marks: BookMarks, place: MarkPlace): boolean {
  const { starred, closed, labels } = marks.at(place);
  switch (wish.do) {
    case "star":
      return starred;
    case "unstar":
      return !starred;
    case "close":
      return closed;
    case "reopen":
      return !closed;
    case "label":
      return labels.some(({ key, value }) => key === wish.key && value === wish.value);
    case "unlabel":
      if (labels.some(({ key }) => key === wish.key)) return false;
      throw markNotFound(`no label ${wish.key}`, labels.map(labelText), place);
    default:
      return false;
  }
}

/** The note of a turn can also be named by its session alone. */
function placeOfNote(id: string, marks: BookMarks, { session, turn }: MarkPlace): MarkPlace {
  const all = marks.ofSession(session);
  const places: [string | null, Marks][] = [
    [null, marks.at({ session, turn: null })],
    ...(all?.turns ?? []).map((one): [string, Marks] => [one.turn_ref, one]),
  ];
  const here = places.filter(([ref]) => turn === null || ref === turn);
  const found = here.find(([, { notes }]) => notes.some((note) => note.id === id));
  if (found) return { session, turn: found[0] };
  const ids = here.flatMap(([, { notes }]) => notes.map((note) => note.id));
  throw markNotFound(`no note ${id}`, ids, { session, turn });
}

function markNotFound(what: string, there: readonly string[], { session, turn }: MarkPlace): DaybookError {
  const where = turn === null ? session : `${session}/${turn}`;
  return new DaybookError(`${what} on ${where}`, {
    code: "not_found",
    op: "mark session",
    hint: there.length === 0 ? "there is none" : `there is ${there.join(", ")}`,
  });
}

/** Tells followers of the book that answers about the session changed. Without an index there are no followers. */
function notifyFollowers(home: string, session: string): void {
  const store = IndexStore.openExisting(home);
  if (!store || store.isReadOnly) return store?.close();
  try {
    store.transaction(() => recordChange(store, session));
    store.settle();
  } finally {
    store.close();
  }
}
