/**
 * Seeded random numbers (sfc32) and the ids made from them. The generator must give the same bytes for the
 * same seed on every machine, so nothing here may look at the clock or at Math.random.
 */

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX_BYTE = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));

/** @param {number} value */
const hex32 = (value) =>
  HEX_BYTE[value >>> 24] + HEX_BYTE[(value >>> 16) & 255] + HEX_BYTE[(value >>> 8) & 255] + HEX_BYTE[value & 255];

export class Rng {
  #a;
  #b;
  #c;
  #counter = 1;

  /** @param {number} seed */
  constructor(seed) {
    this.#a = (seed ^ 0x9e3779b9) >>> 0;
    this.#b = (Math.imul(seed, 0x85ebca6b) ^ 0xc2b2ae35) >>> 0;
    this.#c = 0x27d4eb2f;
    // The first outputs of sfc32 are correlated with the seed.
    for (let i = 0; i < 20; i += 1) this.u32();
  }

  /** @returns {number} an unsigned 32-bit integer */
  u32() {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** @returns {number} in [0, 1) */
  float() {
    return this.u32() / 4294967296;
  }

  /**
   * @param {number} low inclusive
   * @param {number} high inclusive
   */
  int(low, high) {
    return low + Math.floor(this.float() * (high - low + 1));
  }

  /** @param {number} probability */
  chance(probability) {
    return this.float() < probability;
  }

  /**
   * @template T
   * @param {readonly T[]} items
   * @returns {T}
   */
  pick(items) {
    return items[Math.floor(this.float() * items.length)];
  }

  /**
   * @param {number} median
   * @param {number} sigma
   */
  logNormal(median, sigma) {
    const u = 1 - this.float();
    const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.float());
    return median * Math.exp(sigma * normal);
  }

  /** @param {number} digits */
  hex(digits) {
    let text = "";
    while (text.length < digits) text += hex32(this.u32());
    return text.slice(0, digits);
  }

  /** @param {number} length */
  base62(length) {
    let text = "";
    for (let i = 0; i < length; i += 1) text += BASE62[this.u32() % 62];
    return text;
  }

  uuid4() {
    const h = hex32(this.u32()) + hex32(this.u32()) + hex32(this.u32()) + hex32(this.u32());
    const variant = "89ab"[this.u32() & 3];
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-${variant}${h.slice(17, 20)}-${h.slice(20)}`;
  }

  /** @param {number} ms the time to put in front, as Codex does */
  uuid7(ms) {
    const t = Math.floor(ms).toString(16).padStart(12, "0");
    const h = hex32(this.u32()) + hex32(this.u32()) + hex32(this.u32());
    const variant = "89ab"[this.u32() & 3];
    return `${t.slice(0, 8)}-${t.slice(8)}-7${h.slice(0, 3)}-${variant}${h.slice(3, 6)}-${h.slice(6, 18)}`;
  }
}
