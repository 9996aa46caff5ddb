import type { IndexFilter, IndexQueries } from "../store/tables/queries.ts";
import { byTime, lastOf, type Glimpse, type Work } from "../report/loose/glimpse.ts";
import type { TurnView } from "../answers/turn-view.ts";

/** The work as the index knows it: no session has to be put together. */
export class IndexWork implements Work {
  readonly #index: IndexQueries;
  readonly #filter: Pick<IndexFilter, "project" | "session">;
  readonly #newest = new Map<string, Glimpse[]>();

  constructor(index: IndexQueries, filter: Pick<IndexFilter, "project" | "session">) {
    this.#index = index;
    this.#filter = filter;
  }

  newest(start: number, end: number): Glimpse[] {
    // Asked for twice: to know which sessions are needed, and when they are there.
    const span = `${start} ${end}`;
    const known = this.#newest.get(span) ?? this.#findNewest(start, end);
    this.#newest.set(span, known);
    return known;
  }

  #findNewest(start: number, end: number): Glimpse[] {
    const found = new Map<string, Glimpse[]>();
    const seen = new Set<string>();
    // The newest first: of most sessions one is looked at.
    for (const row of this.#index.turnsIn({ ...this.#filter, range: { start, end } }, "DESC")) {
      if (seen.has(row.session)) continue;
      const glimpse = glimpseOf(row.view());
      found.set(row.session, [...(found.get(row.session) ?? []), glimpse]);
      if (!glimpse.taken_back && glimpse.outcome === "completed") seen.add(row.session);
    }
    return [...found.values()].flatMap((turns) => lastOf(turns.toSorted(byTime))).toSorted(byTime);
  }

  turns(start: number, end: number, wanted: Parameters<Work["turns"]>[2]): Glimpse[] {
    const out: Glimpse[] = [];
    for (const row of this.#index.turnsIn({ ...this.#filter, range: { start, end } }, "ASC"))
      if (wanted(row)) out.push(glimpseOf(row.view()));
    return out.toSorted(byTime);
  }
}

function glimpseOf(view: TurnView): Glimpse {
  const { source, session_id, project, project_key, turn_ref, trigger, outcome, taken_back, final_text, files, tools } =
    view;
  return {
    ...{ source, session_id, project, project_key, outcome },
    ref: turn_ref,
    time: Date.parse(trigger.time ?? ""),
    prompt: trigger.text,
    kind: trigger.kind,
    entry: trigger.entry,
    final: final_text,
    taken_back: taken_back !== null,
    changed: files.length > 0,
    trouble: tools.failed + tools.denied > 0,
  };
}
