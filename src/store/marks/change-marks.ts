import { truncateSync } from "node:fs";
import { labelText, type Marks } from "../../answers/marks.ts";
import { DaybookError } from "../../errors.ts";
import { appendLines } from "../pages/append-lines.ts";
import { summedObject } from "../pages/checksum.ts";
import { lockHome } from "../sync/sync-lock.ts";
import { noteChange } from "../tables/changes.ts";
import { IndexStore } from "../tables/index-store.ts";
import { BookMarks, marksFile, type MarkChange, type MarkPlace, type MarkRow } from "./marks-file.ts";

/** What a person wants done; notes are given their ids here. */
export type MarkWish =
  | Exclude<MarkChange, { do: "note" | "unnote" }>
  | { do: "note"; text: string }
  | { do: "unnote"; id: string };

export interface MarkOptions {
  home: string;
  /** How long to wait for another Daybook that is writing, in ms. */
  patience: number;
  /** ISO time, noted with each. */
  now: string;
}

/** Adds to what is on a session or a turn, or takes off; returns when it is on the disk. What is so already is not written again. */
export async function changeMarks(place: MarkPlace, wishes: readonly MarkWish[], options: MarkOptions): Promise<void> {
  const { home, patience, now } = options;
  const lock = await lockHome(home, patience);
  try {
    const marks = new BookMarks(home);
    let last = marks.lastNote;
    const rows = wishes.flatMap((wish): MarkRow[] => {
      if (isSo(wish, marks, place)) return [];
      const where = wish.do === "unnote" ? placeOfNote(wish.id, marks, place) : place;
      const change: MarkChange = wish.do === "note" ? { do: "note", id: `n${++last}`, text: wish.text } : wish;
      return [{ time: now, session: where.session, turn: where.turn, ...change }];
    });
    if (rows.length === 0) return;
    if (marks.tornAt !== null) truncateSync(marksFile(home), marks.tornAt);
    appendLines(marksFile(home), rows.map(summedObject).join(""));
    announce(home, place.session);
  } finally {
    lock.release();
  }
}

/** Whether nothing has to be done; throws where something is to be taken off that is not there. */
function isSo(wish: MarkWish, marks: BookMarks, place: MarkPlace): boolean {
  const { starred, labels } = marks.at(place);
  switch (wish.do) {
    case "star":
      return starred;
    case "unstar":
      return !starred;
    case "label":
      return labels.some(({ key, value }) => key === wish.key && value === wish.value);
    case "unlabel":
      if (labels.some(({ key }) => key === wish.key)) return false;
      throw notThere(`no label ${wish.key}`, labels.map(labelText), place);
    default:
      return false;
  }
}

/** A session is enough to name the note of one of its turns. */
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
  throw notThere(`no note ${id}`, ids, { session, turn });
}

function notThere(what: string, there: readonly string[], { session, turn }: MarkPlace): DaybookError {
  const where = turn === null ? session : `${session}/${turn}`;
  return new DaybookError(`${what} on ${where}`, {
    ...{ code: "not_found", op: "mark session" },
    hint: there.length === 0 ? "there is none" : `there is ${there.join(", ")}`,
  });
}

/** Whoever follows the book hears that answers about the session are different. Without an index nobody follows it. */
function announce(home: string, session: string): void {
  const store = IndexStore.peek(home);
  if (!store || store.isReadOnly) return store?.close();
  try {
    store.transaction(() => noteChange(store, session));
    store.settle();
  } finally {
    store.close();
  }
}
