/** How far outside of what is seen something is drawn already. */
const MARGIN = "1200px 0px";

let observer: IntersectionObserver | null = null;
const listeners = new WeakMap<Element, (isNear: boolean) => void>();

/** Tells whenever an element comes near what is seen, or leaves. One observer serves all. */
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
