import { createHash, createHmac, hash } from "node:crypto";

/** Hex digits of 16 bytes: the length of fingerprints and ids. */
const DIGITS = 32;

/** The id of a session or response, derived from its agent's id: equal on every machine that has a copy. */
export function uuidOf(source: string, id: string): string {
  const hex = digest(`${source}\0${id}`);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** 16 bytes of SHA-256, in hex. */
export function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, DIGITS);
}

/** The same with a key: without the key the text cannot be guessed. */
export function keyedDigest(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex").slice(0, DIGITS);
}

/** One fingerprint over many rows, in the given order. */
export class Fingerprint {
  readonly #hash = createHash("sha256");

  add(digestOfRow: string): void {
    this.#hash.update(digestOfRow);
  }

  digest(): string {
    return this.#hash.digest("hex").slice(0, DIGITS);
  }
}
