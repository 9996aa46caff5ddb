/** The newest `limit` keys with a value each. */
export class RecentMap<V> {
  readonly #limit: number;
  readonly #items: Map<string, V>;

  constructor(limit: number, items: readonly (readonly [string, V])[] = []) {
    this.#limit = limit;
    this.#items = new Map(items);
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

  toJSON(): [string, V][] {
    return [...this.#items];
  }
}
