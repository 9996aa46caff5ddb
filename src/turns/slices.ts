/** The last, incomplete slice of a saved list; the full slices before it are stored separately. */
export interface SavedSlices<T> {
  full: number;
  open: T[];
}

/** A full slice, ready to be stored. */
export interface Slice<T> {
  n: number;
  items: T[];
  names: (string | null)[];
}

/** Access to the stored full slices of a list. */
export interface StoredSlices<T> {
  load(slice: number): T[];
  /** Numbers of the slices that may hold an element of this name. */
  slicesWith(name: string): Iterable<number>;
}

/**
 * A list that grows with its session. When it is restored, only the slices that are needed are loaded, and only those
 * that changed are stored again: most of a long session is never touched any more.
 */
export class Slices<T> {
  readonly size: number;
  readonly #nameOf: (item: T) => string | null;
  /** Has holes where slices are not loaded. */
  readonly #items: T[] = [];
  /** The index of the latest element of each name, among the loaded ones. */
  readonly #byName = new Map<string, number>();
  readonly #stored: StoredSlices<T> | null;
  readonly #unloaded = new Set<number>();
  readonly #changed = new Set<number>();
  /** The number of elements when the list was restored. */
  readonly #before: number;

  constructor(
    size: number,
    nameOf: (item: T) => string | null,
    rest?: { saved: SavedSlices<T>; slices: StoredSlices<T> },
  ) {
    this.size = size;
    this.#nameOf = nameOf;
    this.#stored = rest?.slices ?? null;
    if (rest) {
      for (let slice = 0; slice < rest.saved.full; slice++) this.#unloaded.add(slice);
      this.#items.length = rest.saved.full * size;
      for (const item of rest.saved.open) this.push(item);
    }
    this.#before = this.#items.length;
  }

  get length(): number {
    return this.#items.length;
  }

  /** The number of elements added since the list was restored. */
  get added(): number {
    return this.#items.length - this.#before;
  }

  /** For reading only. */
  at(index: number): T | undefined {
    if (this.#unloaded.size > 0) this.#load(Math.floor(index / this.size));
    return this.#items[index];
  }

  /** For modification: marks the element as changed. */
  change(index: number): T | undefined {
    if (index >= 0 && index < this.#before) this.#changed.add(index);
    return this.at(index);
  }

  replace(index: number, item: T): void {
    if (this.change(index) !== undefined) this.#items[index] = item;
  }

  push(item: T): void {
    this.#name(item, this.#items.length);
    this.#items.push(item);
  }

  /** The index of the latest element of this name. */
  find(name: string): number | undefined {
    if (this.#unloaded.size > 0) for (const slice of this.#stored?.slicesWith(name) ?? []) this.#load(slice);
    return this.#byName.get(name);
  }

  /** Loads everything. */
  all(): T[] {
    for (const slice of this.#unloaded) this.#load(slice);
    return this.#items;
  }

  /** Indexes of the elements that were added or marked as changed since the list was restored, in order. */
  changed(): number[] {
    const old = [...this.#changed].toSorted((a, b) => a - b);
    return [...old, ...Array.from({ length: this.added }, (_, i) => this.#before + i)];
  }

  save(): SavedSlices<T> {
    const full = Math.floor(this.#items.length / this.size);
    return { full, open: this.#items.slice(full * this.size) };
  }

  /** Full slices that are not stored yet in their present form. */
  *changedSlices(): Generator<Slice<T>, void, undefined> {
    const first = Math.floor(this.#before / this.size);
    const changed = new Set([...this.#changed].map((index) => Math.floor(index / this.size)));
    for (let n = 0; (n + 1) * this.size <= this.#items.length; n++) {
      if (n < first && !changed.has(n)) continue;
      const items = this.#items.slice(n * this.size, (n + 1) * this.size);
      yield { n, items, names: items.map((item) => this.#nameOf(item)) };
    }
  }

  #load(slice: number): void {
    if (!this.#unloaded.delete(slice)) return;
    const from = slice * this.size;
    for (const [i, item] of (this.#stored?.load(slice) ?? []).entries()) {
      this.#items[from + i] = item;
      this.#name(item, from + i);
    }
  }

  #name(item: T, index: number): void {
    const name = this.#nameOf(item);
    // Slices are loaded in any order.
    if (name !== null && index >= (this.#byName.get(name) ?? 0)) this.#byName.set(name, index);
  }
}
