import type { ProjectReport, ReportItem, ReportTurn } from "../model.ts";

/** An item with its turns. */
export interface ItemTurns {
  item: ReportItem;
  turns: ReportTurn[];
}

export function itemsIn({ items, turns }: ProjectReport): ItemTurns[] {
  const byCitation = new Map(turns.map((turn) => [turn.citation, turn]));
  return items
    .map((item) => ({ item, turns: item.turns.flatMap((citation) => byCitation.get(citation) ?? []) }))
    .filter(({ turns: own }) => own.length > 0);
}

/** Those that matter most, in their own order: what changed something, what did not end well, what took most. */
export function worthiest(items: readonly ItemTurns[], most: number): ItemTurns[] {
  const chosen = new Set(items.toSorted((a, b) => worth(b) - worth(a)).slice(0, most));
  return items.filter((item) => chosen.has(item));
}

function worth({ item, turns }: ItemTurns): number {
  const changed = turns.some(({ commits }) => commits.length > 0)
    ? 4
    : turns.some(({ files }) => files.length > 0)
      ? 2
      : 0;
  const bad = item.unproven || item.outcome !== "completed" ? 3 : 0;
  return changed + bad + Math.min(2, turns.length / 4);
}
