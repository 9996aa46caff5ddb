import {
  measureElement,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
  type VirtualItem,
} from "@tanstack/virtual-core";

export interface VirtualOptions {
  count: number;
  /** Estimated height of a row until it is drawn and measured, in px. */
  estimate: (index: number) => number;
  key?: (index: number) => string | number;
  /** Distance from the top of the page to the list, in px. */
  margin?: number;
  overscan?: number;
}

/** The visible rows of a long list: only these are in the document. */
export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Height of the whole list, in px. */
  readonly height: number;
  /** Svelte action that measures a row; the element needs `data-index`. */
  measure: (node: HTMLElement) => { destroy: () => void };
  scrollTo: (index: number, align?: "start" | "center" | "auto") => void;
}

/**
 * A list of any length that scrolls with the window. `options` is evaluated again whenever reactive state it reads
 * changes. A row is placed at `item.start - margin` from the top of the list.
 */
export function virtualRows(options: () => VirtualOptions): VirtualRows {
  let items: readonly VirtualItem[] = $state.raw([]);
  let height = $state(0);

  const take = (from: Virtualizer<Window, HTMLElement>): void => {
    items = from.getVirtualItems();
    height = from.getTotalSize();
  };
  const settings = (): ConstructorParameters<typeof Virtualizer<Window, HTMLElement>>[0] => {
    const { count, estimate, key, margin = 0, overscan = 8 } = options();
    return {
      count,
      overscan,
      estimateSize: estimate,
      scrollMargin: margin,
      ...(key ? { getItemKey: key } : {}),
      getScrollElement: () => window,
      observeElementRect: observeWindowRect,
      observeElementOffset: observeWindowOffset,
      scrollToFn: windowScroll,
      measureElement,
      initialOffset: () => window.scrollY,
      initialRect: { width: window.innerWidth, height: window.innerHeight },
      onChange: take,
    };
  };

  const virtualizer = new Virtualizer<Window, HTMLElement>({ ...settings() });
  // The library's framework adapters also call these two internal methods to mount and update it.
  // oxlint-disable-next-line no-underscore-dangle
  $effect(() => virtualizer._didMount());
  $effect(() => {
    virtualizer.setOptions(settings());
    // oxlint-disable-next-line no-underscore-dangle
    virtualizer._willUpdate();
    take(virtualizer);
  });

  return {
    get items() {
      return items;
    },
    get height() {
      return height;
    },
    measure: (node) => {
      virtualizer.measureElement(node);
      return { destroy: () => virtualizer.measureElement(null) };
    },
    scrollTo: (index, align = "auto") => virtualizer.scrollToIndex(index, { align }),
  };
}
