/** Pseudo-random numbers, the same for the same seed, so that a seed is enough to reproduce a failure. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** At most `most` random elements of a list, in the order of the list. */
  some<T>(list: readonly T[], most: number): T[] {
    const left = [...list.keys()];
    const taken = Array.from({ length: Math.min(most, list.length) }, () => left.splice(this.below(left.length), 1)[0]);
    return taken.toSorted((a = 0, b = 0) => a - b).map((at = 0) => list[at] as T);
  }
}
