import { withoutOverlaps, findSecrets } from "./find.ts";
import { isSecretField, type Span } from "./named.ts";
import { isCookieSecret } from "./cookies.ts";
import { isPrivateMember } from "./jwk.ts";
import { nameKind } from "./names.ts";
import { pairIn } from "./pairs.ts";
import { mayHoldPair } from "./redact-pairs.ts";
import { ownSecrets, type OwnRules } from "./own-rules.ts";
import { isPlaceholder } from "./values.ts";

/** Shorter texts cannot contain a name and a value; most strings of a report are shorter. */
const SHORTEST = 8;

const MOST_PASSES = 4;

/** A value written as JSON. */
export interface JsonValue {
  json: string;
  /** False when the rules of this folder are known to hide nothing in it. */
  secret: boolean;
}

/** Number of JSON values that are scanned together. */
const BATCH = 64;

/** An escape that the rules do not handle: a value that contains one is parsed before scanning. */
const ESCAPED = /\\[^n"]/;

/** Fields of objects whose other fields are secret: keys, cookies, secrets of Kubernetes. */
const OBJECTS = /"(?:kty|httpOnly|sameSite)"|"kind"\s{0,4}:\s{0,4}"Secret"/;

/** Not the names of counts and of projects, which every row has. */
const NAME_IN_JSON = /pass|pwd|secret|token(?!s)|(?<!project_)key|cred|auth|pw/i;

/** Hides secrets in texts and values, by the rules of this folder and by the user's own. */
export class Redactor {
  readonly #own: OwnRules;

  constructor(own: OwnRules = { rules: [], exceptions: [] }) {
    this.#own = own;
  }

  /** The user's own rules. */
  get own(): OwnRules {
    return this.#own;
  }

  /** Redactors with equal names hide the same. */
  get name(): string {
    const { rules, exceptions } = this.#own;
    return JSON.stringify([rules.map(({ name, pattern }) => [name, String(pattern)]), exceptions.map(String)]);
  }

  /** Replaces secrets by `[redacted:kind]`. Pure, linear in the length of the text, and idempotent. */
  text(text: string): string {
    if (text.length < SHORTEST) return text;
    // After a replacement, neighbouring text may be recognisable as a secret.
    for (let before = text, n = 0; ; n++) {
      const after = this.#once(before);
      if (after === before || n === MOST_PASSES) return after;
      before = after;
    }
  }

  #once(text: string): string {
    let out = "";
    let done = 0;
    for (const { start, end, kind } of this.#find(text)) {
      out += `${text.slice(done, start)}[redacted:${kind}]`;
      done = end;
    }
    return done === 0 ? text : out + text.slice(done);
  }

  #find(text: string): Span[] {
    const found = findSecrets(text).filter((span) => !this.#isException(text, span));
    const own = ownSecrets(text, this.#own);
    return own.length === 0 ? found : withoutOverlaps([...own, ...found]);
  }

  #isException(text: string, { start, end }: Span): boolean {
    const secret = text.slice(start, end);
    return this.#own.exceptions.some((pattern) => pattern.test(secret));
  }

  /**
   * Hides secrets in every text and key of a plain value, and texts in fields with secret names; keeps the structure.
   * Returns the same object when there is nothing to hide.
   */
  all<T>(value: T): T {
    if (typeof value === "string") return this.text(value) as T & string;
    if (typeof value !== "object" || value === null) return value;
    return new ValueRedaction(value, this).hidden() as T;
  }

  /**
   * Hides secrets in JSON values and yields them in batches, joined by `joint`. A batch is scanned as one text, and a
   * value without anything to hide is not even parsed.
   */
  *json(list: Iterable<JsonValue>, joint: `${string}\n${string}`): Generator<string, void, undefined> {
    let batch: JsonValue[] = [];
    for (const value of list) {
      batch.push(value);
      if (batch.length < BATCH) continue;
      yield this.#redactBatch(batch, joint);
      batch = [];
    }
    if (batch.length > 0) yield this.#redactBatch(batch, joint);
  }

  #redactBatch(list: readonly JsonValue[], joint: string): string {
    const doubtful = this.#own.rules.length === 0 ? list.filter(({ secret }) => secret) : list;
    const isClean = doubtful.length === 0 || this.isInnocent(doubtful.map(({ json }) => json).join(joint));
    const texts = isClean
      ? list
      : list.map((one) => ({ json: doubtful.includes(one) ? this.#redactJson(one.json) : one.json }));
    return texts.map(({ json }) => json).join(joint);
  }

  #redactJson(json: string): string {
    return this.isInnocent(json) ? json : JSON.stringify(this.all(JSON.parse(json)));
  }

  /** True when JSON certainly contains nothing to hide; false when it does or may. */
  isInnocent(json: string): boolean {
    if (ESCAPED.test(json)) return false;
    // With escaped quotes, the end of a named value cannot be determined here.
    if (json.includes('\\"') && NAME_IN_JSON.test(json)) return false;
    if (mayHoldPair(json) || OBJECTS.test(json)) return false;
    return this.places(unquoted(json)).length === 0;
  }

  /** The parts of the text that are hidden, or may be when its lines are redacted one by one. */
  places(text: string): readonly Span[] {
    return this.#find(text);
  }
}

function unquoted(json: string): string {
  return json.includes("\\") ? json.replaceAll("\\n", "\n").replaceAll('\\"', '"') : json;
}

const standard = new Redactor();

export function redact(text: string): string {
  return standard.text(text);
}

export function mayHoldSecret(json: string): boolean {
  return !standard.isInnocent(json);
}

export function redactAll<T>(value: T): T {
  return standard.all(value);
}

interface Slot {
  holder: object;
  key: string;
  text: string;
  /** What the value is the value of: the name beside it, if there is one, else its own key; null in a list. */
  name: string | null;
}

/**
 * Redacts one value. Not recursive, because the nesting depth is up to whoever wrote the session. All texts are scanned
 * as one, each on its own line: secrets are rare, and scanning every text separately would take most of the time of a
 * report.
 */
class ValueRedaction {
  readonly #root: object;
  readonly #redactor: Redactor;
  readonly #slots: Slot[] = [];
  readonly #marked = new Set<number>();
  readonly #parents = new Map<object, { parent: object; key: string }[]>();
  readonly #copies = new Map<object, object>();
  readonly #renamed = new Set<object>();
  /** The values of a Kubernetes Secret. */
  readonly #secretMaps = new Set<object>();

  constructor(root: object, redactor: Redactor) {
    this.#root = root;
    this.#redactor = redactor;
  }

  hidden(): object {
    const ends = this.#take();
    this.#mark(ends);
    for (const n of this.#marked) this.#hide(this.#slots[n]);
    for (const holder of this.#renamed) this.#rename(holder);
    return this.#copies.get(this.#root) ?? this.#root;
  }

  /** Collects all texts of the value into one; `ends` are the end offsets of each. */
  #take(): { joined: string; ends: number[] } {
    const ends: number[] = [];
    let joined = "";
    const stack: object[] = [this.#root];
    this.#parents.set(this.#root, []);
    for (let holder = stack.pop(); holder; holder = stack.pop()) {
      const isList = Array.isArray(holder);
      if (isList) this.#takeCommand(holder as unknown[]);
      const pair = pairIn(holder);
      for (const key in holder) {
        if (!isList && nameOf(key, this.#redactor).hidden !== key) this.#renamed.add(holder);
        const inner = (holder as Record<string, unknown>)[key];
        if (typeof inner === "string") {
          const name = pair?.valueKey === key ? pair.name : isList ? null : key;
          if (name !== null && (nameOf(name, this.#redactor).isTelling || this.#isMember(holder, key)))
            this.#marked.add(this.#slots.length);
          this.#slots.push({ holder, key, text: inner, name });
          joined += `${inner}\n`;
          ends.push(joined.length);
        } else if (typeof inner === "object" && inner !== null) {
          const known = this.#parents.get(inner);
          if (known) known.push({ parent: holder, key });
          else {
            this.#parents.set(inner, [{ parent: holder, key }]);
            stack.push(inner);
          }
          if (/^(?:data|stringData)$/.test(key) && (holder as Record<string, unknown>)["kind"] === "Secret")
            this.#secretMaps.add(inner);
        }
      }
    }
    return { joined, ends };
  }

  /** A command as a list of words: scanned as one text, because a flag tells what the next word is. */
  #takeCommand(list: readonly unknown[]): void {
    const words = list.filter((word) => typeof word === "string");
    if (words.length !== list.length || !words.some((word) => /^--?[A-Za-z]/.test(word))) return;
    const places = this.#redactor.places(words.join(" "));
    let start = 0;
    for (const [n, word] of words.entries()) {
      const hit = places.find((span) => span.start < start + word.length && span.end > start);
      start += word.length + 1;
      // A word that is a secret by itself is handled with all other texts.
      if (hit && this.#redactor.text(word) === word)
        this.#put(list, String(n), hidden(word, hit, start - word.length - 1));
    }
  }

  #mark({ joined, ends }: { joined: string; ends: readonly number[] }): void {
    if (joined === "") return;
    let n = 0;
    for (const { start, end } of this.#redactor.places(joined)) {
      while (n < ends.length && (ends[n] ?? 0) <= start) n++;
      for (let m = n; m < ends.length && (m === n || (ends[m - 1] ?? 0) < end); m++) this.#marked.add(m);
    }
  }

  #hide(slot: Slot | undefined): void {
    if (!slot) return;
    const { holder, key, text } = slot;
    const hidden = this.#hidden(slot);
    if (hidden !== text) this.#put(holder, key, hidden);
  }

  #hidden({ holder, key, text, name }: Slot): string {
    if (this.#isMember(holder, key) && text.length >= 4 && !isPlaceholder(text)) return "[redacted:secret]";
    if (name === null) return this.#redactor.text(text);
    if (isSecretField(name, text)) return "[redacted:secret]";
    if (!isHeader(name)) return this.#redactor.text(text);
    // What a header's value means depends on its name.
    const line = this.#redactor.text(`${name}: ${text}`);
    return line.startsWith(`${name}: `) ? line.slice(name.length + 2) : this.#redactor.text(text);
  }

  /** A private member of a key, the value of a cookie or of a Kubernetes Secret: secret whatever its name is. */
  #isMember(holder: object, key: string): boolean {
    return isPrivateMember(holder, key) || isCookieValue(holder, key) || this.#secretMaps.has(holder);
  }

  /** Copies the path from the root to the holder; unchanged parts are shared with the original. */
  #put(holder: object, key: string, value: unknown): void {
    // Not by assignment: the key may be `__proto__`.
    Object.defineProperty(this.#copyOf(holder), key, { value, writable: true, enumerable: true, configurable: true });
  }

  #copyOf(holder: object): object {
    const known = this.#copies.get(holder);
    if (known) return known;
    const copy: object = Array.isArray(holder) ? [...(holder as unknown[])] : { ...holder };
    this.#copies.set(holder, copy);
    const waiting: [object, object][] = [[holder, copy]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [old, fresh] = next;
      for (const { parent, key } of this.#parents.get(old) ?? []) {
        let above = this.#copies.get(parent);
        if (!above) {
          above = Array.isArray(parent) ? [...(parent as unknown[])] : { ...parent };
          this.#copies.set(parent, above);
          waiting.push([parent, above]);
        }
        Object.defineProperty(above, key, { value: fresh, writable: true, enumerable: true, configurable: true });
      }
    }
    return copy;
  }

  /** Keeps the order of keys; adds a number to keys that would become equal. */
  #rename(holder: object): void {
    const copy = this.#copyOf(holder) as Record<string, unknown>;
    const fields = Object.entries(copy);
    const taken = new Set<string>();
    for (const [key] of fields) delete copy[key];
    for (const [key, value] of fields) {
      const { hidden } = nameOf(key, this.#redactor);
      let name = hidden;
      for (let n = 2; taken.has(name); n++) name = `${hidden} (${n})`;
      taken.add(name);
      Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
    }
  }
}

function isCookieValue(holder: object, key: string): boolean {
  if (key !== "value" || !("httpOnly" in holder || "sameSite" in holder || "hostOnly" in holder)) return false;
  const { name, value } = holder as { name?: unknown; value?: unknown };
  return typeof value === "string" && isCookieSecret(typeof name === "string" ? name : "", value);
}

/** Hides the part of a word that a span of the whole command covers: of `mira:word` only `word`. */
function hidden(word: string, { start, end, kind }: Span, at: number): string {
  return `${word.slice(0, Math.max(0, start - at))}[redacted:${kind}]${word.slice(Math.max(0, end - at))}`;
}

interface FieldName {
  /** The name with any secrets in it hidden. */
  hidden: string;
  /** Says what its value is: a secret, or a header that contains one. */
  isTelling: boolean;
}

function isHeader(name: string): boolean {
  return /^(?:(?:proxy-|x-)?authorization|(?:set-)?cookies?)$/i.test(name);
}

/**
 * Cache of field names, which repeat in every list element. Bounded, because keys can also be file names and the like.
 */
const names = new WeakMap<Redactor, Map<string, FieldName>>();
const MOST_NAMES = 1000;

function nameOf(name: string, redactor: Redactor): FieldName {
  let own = names.get(redactor);
  if (!own) names.set(redactor, (own = new Map()));
  let known = own.get(name);
  if (!known) {
    if (own.size >= MOST_NAMES) own.clear();
    own.set(name, (known = { hidden: redactor.text(name), isTelling: nameKind(name) !== null || isHeader(name) }));
  }
  return known;
}
