/** A fast 64-bit hash for short-lived lookups ("was this text seen a moment ago"), never for stored identities. */
export function quickHash(text: string): string {
  const [a, b] = hash64(text);
  return a.toString(36) + b.toString(36);
}

/** The same hash as two 32-bit numbers, for compact tables of ids. */
export function hash64(text: string): [number, number] {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ c, 0x5bd1e995) + 0x27d4eb2f;
  }
  a = Math.imul(a ^ (a >>> 16), 0x45d9f3b);
  b = Math.imul(b ^ (b >>> 15), 0x2c1b3c6d);
  return [(a ^ text.length) >>> 0, (b ^ (a >>> 11)) >>> 0];
}
