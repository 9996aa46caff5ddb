import type { Span } from "./named.ts";

/** Private members of a JSON Web Key: the object that has `kty` may also have `d`, the primes, or the key itself as `k`. */
export const JWK_SIGN = '"kty';

const AROUND = 6000;
const MEMBER = /\\{0,7}"(?:d|p|q|dp|dq|qi|k|priv)\\{0,7}"\s{0,8}:\s{0,8}\\{0,7}"(?<value>[\w-]{16,4000}={0,2})/dg;

/** `end` is where the object ends. */
export function jwkSecrets(text: string, at: number): { found: Span[]; end: number } {
  const from = Math.max(0, at - AROUND);
  const before = text.slice(from, at);
  const start = from + before.lastIndexOf("{") + 1;
  const rest = text.slice(at, at + AROUND);
  const close = rest.indexOf("}");
  const end = close === -1 ? at + rest.length : at + close;
  const found = [...text.slice(start, end).matchAll(MEMBER)].flatMap(({ indices }) => {
    const place = indices?.groups?.["value"];
    return place ? [{ start: start + place[0], end: start + place[1], kind: "private-key" }] : [];
  });
  return { found, end };
}

/** The private members of a key that is an object. */
export function isPrivateMember(holder: object, key: string): boolean {
  return "kty" in holder && /^(?:d|p|q|dp|dq|qi|k|priv)$/.test(key);
}
