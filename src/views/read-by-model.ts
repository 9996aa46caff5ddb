import type { PlacedPoint, ReadByModel, ReadPoint } from "./day-review.ts";

/** One list of a report's `read_by_model`, under the title that every surface gives it. */
export interface ReadSection {
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

export function modelsOf(points: readonly { model: string }[]): string {
  return [...new Set(points.map(({ model }) => model))].join(", ");
}
