/** The last elements of a list at rest; those before them lie apart, in full slices. */
export interface SavedSlices<T> {
  full: number;
  open: T[];
}

/** A full slice, to be laid down. */
export interface Slice<T> {
  n: number;
  items: T[];
  names: (string | null)[];
}

/** Full slices at rest. */
export interface Sleeping<T> {
  wake(slice: number): T[];
  /** Slices that may hold an element of this name. */
  holding(name: string): Iterable<number>;
}

/**
 * A list that grows as long as its session does. To go on with it only the slices are woken that somebody asks for, and
 * only those that changed are laid down again: most of a long session is never touched any more.
 */
export class Slices<T> {
  readonly size: number;
  readonly #nameOf: (item: T) => string | null;
  /** With holes where slices sleep. */
  readonly #items: T[] = [];
  /** The latest of each name among those awake. */
  readonly #byName = new Map<string, number>();
  readonly #sleeping: Sleeping<T> | null;
  readonly #asleep = new Set<number>();
  readonly #changed = new Set<number>();
  /** Elements there were when the list was woken. */
  readonly #before: number;

  constructor(
    size: number,
    nameOf: (item: T) => string | null,
    rest?: { saved: SavedSlices<T>; sleeping: Sleeping<T> },
  ) {
    this.size = size;
    this.#nameOf = nameOf;
    this.#sleeping = rest?.sleeping ?? null;
    if (rest) {
      for (let slice = 0; slice < rest.saved.full; slice++) this.#asleep.add(slice);
      this.#items.length = rest.saved.full * size;
      for (const item of rest.saved.open) this.push(item);
    }
    this.#before = this.#items.length;
  }

  get length(): number {
    return this.#items.length;
  }

  /** How many are new since the list was woken. */
  get added(): number {
    return this.#items.length - this.#before;
  }

  /** To look at only. */
  at(index: number): T | undefined {
    if (this.#asleep.size > 0) this.#wake(Math.floor(index / this.size));
    return this.#items[index];
  }

  /** To be changed. */
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

  /** Where the latest element of this name stands. */
  find(name: string): number | undefined {
    if (this.#asleep.size > 0) for (const slice of this.#sleeping?.holding(name) ?? []) this.#wake(slice);
    return this.#byName.get(name);
  }

  /** Wakes everything. */
  all(): T[] {
    for (const slice of this.#asleep) this.#wake(slice);
    return this.#items;
  }

  /** Places of the elements that are new or were to be changed since the list was woken, in order. */
  changed(): number[] {
    const old = [...this.#changed].toSorted((a, b) => a - b);
    return [...old, ...Array.from({ length: this.added }, (_, i) => this.#before + i)];
  }

  save(): SavedSlices<T> {
    const full = Math.floor(this.#items.length / this.size);
    return { full, open: this.#items.slice(full * this.size) };
  }

  /** Full slices that do not lie at rest as they are now. */
  *renewed(): Generator<Slice<T>, void, undefined> {
    const first = Math.floor(this.#before / this.size);
    const changed = new Set([...this.#changed].map((index) => Math.floor(index / this.size)));
    for (let n = 0; (n + 1) * this.size <= this.#items.length; n++) {
      if (n < first && !changed.has(n)) continue;
      const items = this.#items.slice(n * this.size, (n + 1) * this.size);
      yield { n, items, names: items.map((item) => this.#nameOf(item)) };
    }
  }

  #wake(slice: number): void {
    if (!this.#asleep.delete(slice)) return;
    const from = slice * this.size;
    for (const [i, item] of (this.#sleeping?.wake(slice) ?? []).entries()) {
      this.#items[from + i] = item;
      this.#name(item, from + i);
    }
  }

  #name(item: T, index: number): void {
    const name = this.#nameOf(item);
    // Slices wake in any order.
    if (name !== null && index >= (this.#byName.get(name) ?? 0)) this.#byName.set(name, index);
  }
}
