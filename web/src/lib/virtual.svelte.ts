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
  /** How high a row is likely to be, until it is drawn and measured. */
  estimate: (index: number) => number;
  key?: (index: number) => string | number;
  /** What stands above the list on the page, in px. */
  margin?: number;
  overscan?: number;
}

/** Rows of a long list that the window shows: those alone are in the document. */
export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Of the whole list, in px. */
  readonly height: number;
  /** For `use:`; the element needs `data-index`. */
  measure: (node: HTMLElement) => { destroy: () => void };
  scrollTo: (index: number, align?: "start" | "center" | "auto") => void;
}

/**
 * A list of any length that scrolls with the window. `options` is asked again whenever what it reads changes. A row is put at
 * `item.start - margin` from the top of the list.
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
  // The library's own adapters call these two: its way of being begun and brought up to date.
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
