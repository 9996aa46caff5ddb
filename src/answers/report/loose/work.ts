import type { AnswerRows, RequestRow } from "../../../views/rows.ts";
import { byTime, glimpseOf, lastOf, type Glimpse } from "./glimpse.ts";

/** The turns around a span: what a report looks at beyond its own turns. */
export class SurroundingTurns {
  readonly #rows: AnswerRows;

  constructor(rows: AnswerRows) {
    this.#rows = rows;
  }

  /**
   * The newest turn of every session in a span; if that was not completed, also the newest completed one. Turns that
   * were taken back are ignored.
   */
  newest(start: number, end: number): Glimpse[] {
    const found = new Map<string, Glimpse[]>();
    const seen = new Set<string>();
    // Newest first: for most sessions only one turn is loaded.
    for (const row of this.#rows.turnsIn({ start, end }).toReversed()) {
      if (seen.has(row.session)) continue;
      const glimpse = glimpseOf(row.view());
      found.set(row.session, [...(found.get(row.session) ?? []), glimpse]);
      if (!glimpse.taken_back && glimpse.outcome === "completed") seen.add(row.session);
    }
    return [...found.values()].flatMap((turns) => lastOf(turns.toSorted(byTime))).toSorted(byTime);
  }

  /** All turns in a span of the projects that `wanted` accepts, in order of time. */
  turns(
    start: number,
    end: number,
    wanted: (project: Pick<RequestRow, "project" | "project_key">) => boolean,
  ): Glimpse[] {
    return this.#rows
      .turnsIn({ start, end })
      .filter(wanted)
      .map((row) => glimpseOf(row.view()))
      .toSorted(byTime);
  }
}
