/** How far outside the viewport content is already drawn. */
const MARGIN = "1200px 0px";

let observer: IntersectionObserver | null = null;
const listeners = new WeakMap<Element, (isNear: boolean) => void>();

/** Calls `listener` whenever an element comes near the viewport or leaves it. All elements share one observer. */
export function onNear(node: Element, listener: (isNear: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    { rootMargin: MARGIN },
  );
  listeners.set(node, listener);
  observer.observe(node);
  return () => observer?.unobserve(node);
}
