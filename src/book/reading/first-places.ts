const EMPTY = -1;
const LEAST = 1024;

/**
 * Maps a number to the place where it was first seen: like a `Map`, but for numbers only, which makes filling it ten
 * times faster.
 */
export class FirstPlaces {
  #ids = new Float64Array(LEAST);
  #places = new Int32Array(LEAST).fill(EMPTY);
  #size = 0;

  /** The place where the integer was first seen: `place` itself if it is new. */
  firstPlaceOf(id: number, place: number): number {
    const at = this.#slotOf(id);
    const known = this.#places[at] as number;
    if (known !== EMPTY) return known;
    this.#ids[at] = id;
    this.#places[at] = place;
    this.#size++;
    // Half of the slots stay empty, which keeps probe sequences short.
    if (this.#size * 2 > this.#ids.length) this.#grow();
    return place;
  }

  /** The slot that holds the id, or where it would be inserted. */
  #slotOf(id: number): number {
    const last = this.#ids.length - 1;
    // Ids are hashes, so any bits will do, but the low bits of many ids may be equal: mix in the high ones.
    let at = (id ^ Math.floor(id / 0x100000000)) & last;
    while (this.#places[at] !== EMPTY && this.#ids[at] !== id) at = (at + 1) & last;
    return at;
  }

  #grow(): void {
    const [ids, places] = [this.#ids, this.#places];
    this.#ids = new Float64Array(ids.length * 2);
    this.#places = new Int32Array(places.length * 2).fill(EMPTY);
    for (const [i, place] of places.entries()) {
      if (place === EMPTY) continue;
      const at = this.#slotOf(ids[i] as number);
      this.#ids[at] = ids[i] as number;
      this.#places[at] = place;
    }
  }
}
