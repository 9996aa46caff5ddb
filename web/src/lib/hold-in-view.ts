/** How long content drawn above the element may still move it, in ms. */
const SETTLES = 1200;
/** Space to leave above the element, in px. */
const ABOVE = 16;

/**
 * Scrolls an element to the top and keeps it there while content above it is drawn, until the reader scrolls or types.
 */
export function holdInView(element: Element): () => void {
  const begun = performance.now();
  let frame = 0;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    for (const name of MOVES) removeEventListener(name, stop);
  };
  const keep = (): void => {
    const off = element.getBoundingClientRect().top - ABOVE;
    if (Math.abs(off) > 1) scrollBy({ top: off, behavior: "instant" });
    if (performance.now() - begun < SETTLES && element.isConnected) frame = requestAnimationFrame(keep);
    else stop();
  };
  for (const name of MOVES) addEventListener(name, stop, { passive: true });
  keep();
  return stop;
}

const MOVES = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
