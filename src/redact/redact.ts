import { ASSIGNMENT, isSecretValue, KEY_BLOCK, SECRET_NAME, SHAPES, SIGNS, unquoted } from "./patterns.ts";

/** Nothing shorter can hold a name and a value; most strings of a report are this short. */
const SHORTEST = 8;

/** Replaces well-known secret shapes by `[redacted:kind]`. Pure, linear in the length of the text, and stable when repeated. */
export function redact(text: string): string {
  if (text.length < SHORTEST) return text;
  const signs = SIGNS.filter((sign) => text.search(sign) !== -1);
  return signs.length === 0 ? text : replaceSecrets(text, signs);
}

/** Every pattern in turn that one of the signs stands for. */
export function replaceSecrets(text: string, signs: readonly RegExp[]): string {
  const [exact, anyCase] = [false, true].map((ignored) => signs.some((sign) => sign.ignoreCase === ignored));
  let out = exact ? privateKeys(text) : text;
  for (const { kind, pattern, accept } of SHAPES) {
    if (!(pattern.ignoreCase ? anyCase : exact)) continue;
    out = out.replace(pattern, (match) => (accept && !accept(match) ? match : mark(kind)));
  }
  if (!anyCase) return out;
  return out.replace(ASSIGNMENT, (whole: string, name: string, quote: string, joint: string, value: string) => {
    if (!isSecretValue(joint, value)) return whole;
    const { open, close } = unquoted(value);
    return `${name}${quote}${joint}${open}${mark("secret")}${close}`;
  });
}

/**
 * The same for every text in a plain value, and for what stands under a name that says secret; the shape stays. What holds
 * nothing to hide is given back as it is.
 */
export function redactAll<T>(value: T): T {
  return walk(value) as T;
}

/**
 * The same for values told as JSON, some at a time, with `joint` between them. What holds no sign of a secret is not even
 * parsed: signs read the same there, but for what is escaped beyond line breaks and quotes. They are rare, so many values are
 * looked through at once.
 */
export function* redactJson(list: Iterable<string>, joint: `${string}\n${string}`): Generator<string, void, undefined> {
  let some: string[] = [];
  for (const json of list) {
    some.push(json);
    if (some.length < AT_ONCE) continue;
    yield redactSome(some, joint);
    some = [];
  }
  if (some.length > 0) yield redactSome(some, joint);
}

const AT_ONCE = 64;
const ESCAPED = /\\[^n"]/;

function redactSome(list: readonly string[], joint: string): string {
  // No sign goes over the end of a line.
  const joined = list.join(joint);
  if (!ESCAPED.test(joined) && SIGNS.every((sign) => joined.search(sign) === -1)) return joined;
  if (list.length === 1) return JSON.stringify(walk(JSON.parse(joined)));
  return list.map((json) => redactSome([json], joint)).join(joint);
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== "object" || value === null) return value;
  const texts = new Texts();
  texts.take(value);
  return texts.areInnocent() ? value : texts.hidden(value);
}

/** The texts in a value, looked at together: signs of secrets are rare, and to ask every text by itself costs most of a report. */
class Texts {
  #joined = "";
  readonly #ends: number[] = [];
  /** Places of those that have a sign, or a name that says secret. */
  readonly #marked = new Set<number>();
  #at = 0;

  take(value: object): void {
    const isList = Array.isArray(value);
    for (const key in value) {
      const inner = (value as Record<string, unknown>)[key];
      if (typeof inner === "string") {
        if (!isList && saysSecret(key)) this.#marked.add(this.#ends.length);
        // Each on a line of its own: no sign goes over the end of one.
        this.#joined += `${inner}\n`;
        this.#ends.push(this.#joined.length);
      } else if (typeof inner === "object" && inner !== null) this.take(inner);
    }
  }

  areInnocent(): boolean {
    for (const sign of SIGNS) this.#mark(sign);
    return this.#marked.size === 0;
  }

  #mark(sign: RegExp): void {
    let place = 0;
    // Where a search without a find leaves it; with one it goes on behind the text that is marked.
    sign.lastIndex = 0;
    while (sign.test(this.#joined)) {
      while ((this.#ends[place] ?? Infinity) < sign.lastIndex) place++;
      this.#marked.add(place);
      sign.lastIndex = this.#ends[place] ?? this.#joined.length;
    }
  }

  /** The value without its secrets. Texts are met in the order they were taken; what holds none stays what it is. */
  hidden<T extends object>(value: T): T {
    let copy: T | null = null;
    const isList = Array.isArray(value);
    for (const key in value) {
      const inner = value[key];
      let other: unknown = inner;
      if (typeof inner === "string") {
        if (this.#marked.has(this.#at++)) other = !isList && isNamedSecret(key, inner) ? mark("secret") : redact(inner);
      } else if (typeof inner === "object" && inner !== null) other = this.hidden(inner);
      if (other === inner) continue;
      copy ??= (isList ? [...(value as unknown[])] : { ...value }) as T;
      // Not assigned: a field may have the name of the prototype's.
      Object.defineProperty(copy, key, { value: other, writable: true, enumerable: true, configurable: true });
    }
    return copy ?? value;
  }
}

/** Names are few and come again with every element of a list. */
const names = new Map<string, boolean>();
const MOST_NAMES = 1000;

function saysSecret(name: string): boolean {
  let says = names.get(name);
  if (says === undefined) {
    // Maps of tools and files are values too: their keys must not pile up.
    if (names.size >= MOST_NAMES) names.clear();
    names.set(name, (says = SECRET_NAME.test(name)));
  }
  return says;
}

function isNamedSecret(key: string, value: unknown): boolean {
  return typeof value === "string" && saysSecret(key) && isSecretValue(":", JSON.stringify(value));
}

function mark(kind: string): string {
  return `[redacted:${kind}]`;
}

/** Key blocks by hand: a search for an end that is not there must not be made again for every beginning. */
function privateKeys(text: string): string {
  let at = text.indexOf(KEY_BLOCK);
  if (at === -1) return text;
  let out = "";
  let done = 0;
  let endsLeft = true;
  for (; at !== -1; at = text.indexOf(KEY_BLOCK, Math.max(done, at + KEY_BLOCK.length))) {
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
