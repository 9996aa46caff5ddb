import { ASSIGNMENT, isSecretValue, SECRET_NAME, SHAPES, unquoted } from "./patterns.ts";

/** Replaces well-known secret shapes by `[redacted:kind]`. Pure, linear in the length of the text, and stable when repeated. */
export function redact(text: string): string {
  // Nothing shorter can hold a name and a value; most strings of a report are this short.
  if (text.length < 8) return text;
  let out = privateKeys(text);
  for (const { kind, pattern, accept } of SHAPES) {
    out = out.replace(pattern, (match) => (accept && !accept(match) ? match : mark(kind)));
  }
  return out.replace(ASSIGNMENT, (whole: string, name: string, quote: string, joint: string, value: string) => {
    if (!isSecretValue(joint, value)) return whole;
    const { open, close } = unquoted(value);
    return `${name}${quote}${joint}${open}${mark("secret")}${close}`;
  });
}

/** The same for every text in a plain value, and for what stands under a name that says secret; the shape stays. */
export function redactAll<T>(value: T): T {
  return walk(value) as T;
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      isNamedSecret(key, inner) ? mark("secret") : walk(inner),
    ]),
  );
}

function isNamedSecret(key: string, value: unknown): boolean {
  return typeof value === "string" && SECRET_NAME.test(key) && isSecretValue(":", JSON.stringify(value));
}

function mark(kind: string): string {
  return `[redacted:${kind}]`;
}

const BEGIN = "-----BEGIN ";

/** Key blocks by hand: a search for an end that is not there must not be made again for every beginning. */
function privateKeys(text: string): string {
  let at = text.indexOf(BEGIN);
  if (at === -1) return text;
  let out = "";
  let done = 0;
  let endsLeft = true;
  for (; at !== -1; at = text.indexOf(BEGIN, Math.max(done, at + BEGIN.length))) {
    const head = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(at, at + 90))?.[0];
    if (head === undefined) continue;
    const end = endsLeft ? text.indexOf("-----END ", at + head.length) : -1;
    if (end === -1) endsLeft = false;
    // A block cut off before its end: everything after it that can still be key material goes.
    const stop = end === -1 ? keyMaterialEnd(text, at + head.length) : closing(text, end);
    out += text.slice(done, at) + mark("private-key");
    done = stop;
  }
  return out + text.slice(done);
}

function closing(text: string, end: number): number {
  const tail = /^-----END [A-Z0-9 ]{0,60}-----/.exec(text.slice(end, end + 90))?.[0];
  return end + (tail?.length ?? 0);
}

function keyMaterialEnd(text: string, from: number): number {
  const material = /[A-Za-z0-9+/=\s\\:,.-]*/y;
  material.lastIndex = from;
  return from + (material.exec(text)?.[0].length ?? 0);
}
