/** Places what was opened below its button, or above it where there is no room; within the window. */
export function placeBeside(button: HTMLElement, opened: HTMLElement, side: "left" | "right"): void {
  const { left, right, bottom, top } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = opened;
  const wanted = side === "left" ? left : right - width;
  opened.style.left = `${Math.max(8, Math.min(wanted, innerWidth - width - 8))}px`;
  opened.style.top = `${bottom + height + 8 > innerHeight && top > height ? top - height - 4 : bottom + 4}px`;
}

/** Moves the focus among the rows of a list: the arrow keys, Home and End. Returns whether the key was one of them. */
export function stepInList(event: KeyboardEvent, rows: readonly HTMLElement[]): boolean {
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return false;
  event.preventDefault();
  event.stopPropagation();
  rows[(to + rows.length) % rows.length]?.focus();
  return true;
}
