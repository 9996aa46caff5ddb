/** Places that are drawn on the way change where it stands for so long, in ms. */
const SETTLES = 1200;
/** Room above it. */
const ABOVE = 16;

/** Brings an element to the top and keeps it there while what is above it is drawn, until the reader moves. */
export function hold(element: Element): () => void {
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
