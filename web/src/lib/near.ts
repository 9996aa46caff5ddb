/** How far outside of what is seen something is drawn already. */
const MARGIN = "1200px 0px";

let observer: IntersectionObserver | null = null;
const told = new WeakMap<Element, (isNear: boolean) => void>();

/** Tells whenever an element comes near what is seen, or leaves. One observer serves all. */
export function onNear(node: Element, tell: (isNear: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting);
    },
    { rootMargin: MARGIN },
  );
  told.set(node, tell);
  observer.observe(node);
  return () => observer?.unobserve(node);
}
