/** Rows of any page that can be opened. Charts are excluded: they have their own keys. */
const ROWS = 'main :is(a[href^="/session/"], a[href^="/files?path="], tbody th a, summary):not(figure *)';

/** Focuses the next or previous row of the page; if no row has the focus, the first visible one. */
export function stepRows(step: 1 | -1): void {
  const shown = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => row.getClientRects().length > 0);
  // A request and its results link to the same turn: treat them as one row.
  const rows = shown.filter((row, i) => !(row instanceof HTMLAnchorElement) || row.href !== hrefOf(shown[i - 1]));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const seen = rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
  const next = rows[at === -1 ? seen : Math.max(0, at + step)];
  next?.focus({ preventScroll: true });
  // Scroll early: only rows near the viewport of a long list are in the document, and the next step needs one.
  if (next) scrollIntoSight(next);
}

function hrefOf(row: HTMLElement | undefined): string | null {
  return row instanceof HTMLAnchorElement ? row.href : null;
}

function scrollIntoSight(row: HTMLElement): void {
  const { top, bottom } = row.getBoundingClientRect();
  if (top < 60 || bottom > innerHeight - 60) row.scrollIntoView({ block: "center" });
}
