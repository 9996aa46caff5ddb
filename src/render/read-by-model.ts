import type { DayReport } from "../answers/report/model.ts";
import type { PlacedPoint, ReadByModel, ReadPoint } from "../views/day-review.ts";
import { shortDay } from "./phrases.ts";

/** One list of a report's `read_by_model`, under the title that every surface gives it. */
interface ReadSection {
  title: string;
  points: readonly PlacedPoint<ReadPoint>[];
}

/** The lists that are not empty. Each title names the models: whoever reads on must know whose reading it is. */
export function readSections({ opened, carried, closed, decisions, results }: ReadByModel): ReadSection[] {
  const lists: [what: string, points: readonly PlacedPoint<ReadPoint>[]][] = [
    ["Open", opened],
    ["Still open from earlier days", carried],
    ["Closed", closed],
    ["Decided", decisions],
    ["Results", results],
  ];
  return lists.flatMap(([what, points]) =>
    points.length === 0 ? [] : [{ title: `${what}, read by ${modelsOf(points)}`, points }],
  );
}

function modelsOf(points: readonly { model: string }[]): string {
  return [...new Set(points.map(({ model }) => model))].join(", ");
}

/** Points shown of each list where there is little room. */
const MOST = 5;

/** A list of what a model read, as lines of text that still have to be made safe for their surface. */
export interface ReadLines {
  title: string;
  lines: { text: string; quote: string; place: string }[];
  /** How many were left out. */
  more: number;
}

/** What a model read, under titles that name it; empty where none was asked. `all`: without a limit. */
export function readLines({ read_by_model: read }: DayReport, all = true): ReadLines[] {
  if (read === null) return [];
  return readSections(read).map(({ title, points }) => {
    const shown = all ? points : points.slice(-MOST);
    const isEarlier = points === read.carried;
    return { title, lines: shown.map((one) => lineOf(one, isEarlier)), more: points.length - shown.length };
  });
}

function lineOf(one: PlacedPoint<ReadPoint>, isEarlier: boolean): ReadLines["lines"][number] {
  const proof = "proof" in one && typeof one.proof === "string" ? `${one.why} [${one.proof}]` : one.why;
  const day = isEarlier ? `${shortDay(one.day)}, ` : "";
  const place = `${day}${one.project} · ${one.citation}`;
  return { text: proof, quote: one.quote, place };
}
