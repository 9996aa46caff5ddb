import type { ProjectReport, ReportItem, ReportTurn } from "../answers/report/model.ts";
import { isUnproven } from "../answers/report/sums.ts";
import { requestText } from "./phrases.ts";

/** An item with its turns. */
export interface ShownItem {
  item: ReportItem;
  turns: ReportTurn[];
}

export function itemsIn({ items, turns }: ProjectReport): ShownItem[] {
  const byCitation = new Map(turns.map((turn) => [turn.citation, turn]));
  const known = (items ?? [])
    .map((item) => ({ item, turns: item.turns.flatMap((citation) => byCitation.get(citation) ?? []) }))
    .filter(({ turns: own }) => own.length > 0);
  // Turns whose text is unknown belong to no item: each one becomes its own.
  const wordless = turns.filter(({ trigger }) => trigger.text === null);
  return [...known, ...wordless.map(asItem)];
}

function asItem(turn: ReportTurn): ShownItem {
  const { outcome, citation } = turn;
  const item = { asked: requestText(turn), results: [], outcome, unproven: isUnproven(turn), turns: [citation] };
  return { item, turns: [turn] };
}

/**
 * The most important items, in their original order: those that changed something, did not succeed, or took many turns.
 */
export function mostImportant(items: readonly ShownItem[], most: number): ShownItem[] {
  const chosen = new Set(items.toSorted((a, b) => worth(b) - worth(a)).slice(0, most));
  return items.filter((item) => chosen.has(item));
}

function worth({ item, turns }: ShownItem): number {
  const changed = turns.some(({ commits }) => commits !== null && commits.length > 0)
    ? 4
    : turns.some(({ files }) => files !== null && files.length > 0)
      ? 2
      : 0;
  const bad = item.unproven || item.outcome !== "completed" ? 3 : 0;
  return changed + bad + Math.min(2, turns.length / 4);
}
