import type { AnswerRows, TurnRow } from "../../answers/rows.ts";
import { byTime, glimpseOf, lastOf, type Glimpse } from "./glimpse.ts";

/** The work around a span: what a report has to look at beyond its own turns. */
export class Work {
  readonly #rows: AnswerRows;

  constructor(rows: AnswerRows) {
    this.#rows = rows;
  }

  /**
   * Of every session the newest turn of a span; where that was not completed, also the newest that was. Turns that were taken
   * back never were.
   */
  newest(start: number, end: number): Glimpse[] {
    const found = new Map<string, Glimpse[]>();
    const seen = new Set<string>();
    // The newest first: of most sessions one is looked at.
    for (const row of this.#rows.turnsIn({ start, end }).toReversed()) {
      if (seen.has(row.session)) continue;
      const glimpse = glimpseOf(row.view());
      found.set(row.session, [...(found.get(row.session) ?? []), glimpse]);
      if (!glimpse.taken_back && glimpse.outcome === "completed") seen.add(row.session);
    }
    return [...found.values()].flatMap((turns) => lastOf(turns.toSorted(byTime))).toSorted(byTime);
  }

  /** All turns in a span of the projects that `wanted` takes, in order of time. */
  turns(start: number, end: number, wanted: (project: Pick<TurnRow, "project" | "project_key">) => boolean): Glimpse[] {
    return this.#rows
      .turnsIn({ start, end })
      .filter(wanted)
      .map((row) => glimpseOf(row.view()))
      .toSorted(byTime);
  }
}
