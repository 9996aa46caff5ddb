/** What readers remember: small, and plain JSON when it is part of a cursor. */
import type { Cursor } from "../contract.ts";
import { obj } from "./native.ts";

/**
 * The reader's state from a cursor: collections are rebuilt from their items, fields missing in the cursor keep their
 * initial value. If a collection has an unexpected form, reading starts with a fresh state.
 */
export function restoreState<State extends object>(fresh: State, cursor: Pick<Cursor, "state"> | null): State {
  const saved = obj(cursor?.state);
  if (!saved) return fresh;
  const out: Record<string, unknown> = { ...fresh, ...structuredClone(saved) };
  for (const [name, empty] of Object.entries(fresh)) {
    if (!(empty instanceof Recent || empty instanceof RecentMap || empty instanceof SavedMap)) continue;
    const items = out[name];
    if (!Array.isArray(items)) return fresh;
    out[name] = empty.withItems(items);
  }
  return out as State;
}

/** The newest `limit` strings: enough to notice repeats, which are close together, without remembering a whole file. */
export class Recent {
  readonly #limit: number;
  readonly #items: Set<string>;

  constructor(limit: number, items: readonly string[] = []) {
    this.#limit = limit;
    this.#items = new Set(items);
  }

  has(item: string): boolean {
    return this.#items.has(item);
  }

  /** False when the item was already there. */
  add(item: string): boolean {
    if (this.#items.has(item)) return false;
    this.#items.add(item);
    if (this.#items.size > this.#limit) for (const oldest of this.#items) return this.#items.delete(oldest);
    return true;
  }

  delete(item: string): boolean {
    return this.#items.delete(item);
  }

  withItems(items: readonly string[]): Recent {
    return new Recent(this.#limit, items);
  }

  toJSON(): string[] {
    return [...this.#items];
  }
}

/** The newest `limit` keys with their values. */
export class RecentMap<V> {
  readonly #limit: number;
  readonly #items: Map<string, V>;

  constructor(limit: number, items: readonly (readonly [string, V])[] = []) {
    this.#limit = limit;
    this.#items = new Map(items);
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: string): V | undefined {
    return this.#items.get(key);
  }

  /** Setting a key makes it the newest. */
  set(key: string, value: V): void {
    this.#items.delete(key);
    this.#items.set(key, value);
    if (this.#items.size <= this.#limit) return;
    for (const oldest of this.#items.keys()) {
      this.#items.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#items.delete(key);
  }

  clear(): void {
    this.#items.clear();
  }

  values(): IterableIterator<V> {
    return this.#items.values();
  }

  withItems(items: readonly (readonly [string, V])[]): RecentMap<V> {
    return new RecentMap(this.#limit, items);
  }

  toJSON(): [string, V][] {
    return [...this.#items];
  }
}

/** A map without a limit that can be part of a cursor. */
export class SavedMap<V> extends Map<string, V> {
  withItems(items: readonly (readonly [string, V])[]): SavedMap<V> {
    return new SavedMap(items);
  }

  toJSON(): [string, V][] {
    return [...this];
  }
}
