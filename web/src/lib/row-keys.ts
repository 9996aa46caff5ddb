/** What a page lists to be opened, wherever it stands in it; what is drawn in figures has keys of its own. */
const ROWS = 'main :is(a[href^="/session/"], a[href^="/files?path="], tbody th a, summary):not(figure *)';

/** Goes to the next row of the page, or to the one before; from nowhere to the first that is seen. */
export function stepRows(step: 1 | -1): void {
  const shown = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => row.getClientRects().length > 0);
  // What was asked and what came of it lead to the same place: one row.
  const rows = shown.filter((row, i) => !(row instanceof HTMLAnchorElement) || row.href !== hrefOf(shown[i - 1]));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const seen = rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
  const next = rows[at === -1 ? seen : Math.max(0, at + step)];
  next?.focus({ preventScroll: true });
  // In the middle: of a long list only what is near is there to go to next.
  if (next) scrollIntoSight(next);
}

function hrefOf(row: HTMLElement | undefined): string | null {
  return row instanceof HTMLAnchorElement ? row.href : null;
}

function scrollIntoSight(row: HTMLElement): void {
  const { top, bottom } = row.getBoundingClientRect();
  if (top < 60 || bottom > innerHeight - 60) row.scrollIntoView({ block: "center" });
}
