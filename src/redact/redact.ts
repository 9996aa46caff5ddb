import { apart, findSecrets } from "./find.ts";
import { isSecretValue, NAMED, SECRET_NAME, type Span } from "./named.ts";
import { ownSecrets, type OwnRules } from "./own-rules.ts";

/** Nothing shorter can hold a name and a value; most strings of a report are this short. */
const SHORTEST = 8;

const MOST_PASSES = 4;

/** A value written as JSON. */
export interface JsonValue {
  json: string;
  /** False when it is known that the rules of this folder hide nothing of it. */
  secret: boolean;
}

/** How many values written as JSON are looked through at once. */
const AT_ONCE = 64;

/** An escape that rules do not read through: what holds one is parsed. */
const ESCAPED = /\\[^n"]/;

/** Takes secrets out of texts and values, by the rules of this folder and by the user's own. */
export class Redactor {
  readonly #own: OwnRules;

  constructor(own: OwnRules = { rules: [], exceptions: [] }) {
    this.#own = own;
  }

  /** Two redactors of one name hide the same. */
  get name(): string {
    const { rules, exceptions } = this.#own;
    return JSON.stringify([rules.map(({ name, pattern }) => [name, String(pattern)]), exceptions.map(String)]);
  }

  /** Replaces secrets by `[redacted:kind]`. Pure, linear in the length of the text, and stable when repeated. */
  text(text: string): string {
    if (text.length < SHORTEST) return text;
    // What stood beside a secret may only now be seen for one.
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
    return own.length === 0 ? found : apart([...own, ...found]);
  }

  #isException(text: string, { start, end }: Span): boolean {
    const secret = text.slice(start, end);
    return this.#own.exceptions.some((pattern) => pattern.test(secret));
  }

  /**
   * The same for every text in a plain value, for its keys, and for what stands under a name that says secret; the shape
   * stays. What holds nothing to hide is given back as it is.
   */
  all<T>(value: T): T {
    if (typeof value === "string") return this.text(value) as T & string;
    if (typeof value !== "object" || value === null) return value;
    return new Plain(value, this).hidden() as T;
  }

  /**
   * The same for values written as JSON, some at a time, with `joint` between them. What holds nothing to hide is not even
   * parsed, and many are looked through at once.
   */
  *json(list: Iterable<JsonValue>, joint: `${string}\n${string}`): Generator<string, void, undefined> {
    let some: JsonValue[] = [];
    for (const value of list) {
      some.push(value);
      if (some.length < AT_ONCE) continue;
      yield this.#some(some, joint);
      some = [];
    }
    if (some.length > 0) yield this.#some(some, joint);
  }

  #some(list: readonly JsonValue[], joint: string): string {
    const doubtful = this.#own.rules.length === 0 ? list.filter(({ secret }) => secret) : list;
    const isClean = doubtful.length === 0 || this.isInnocent(doubtful.map(({ json }) => json).join(joint));
    const texts = isClean
      ? list
      : list.map((one) => ({ json: doubtful.includes(one) ? this.#one(one.json) : one.json }));
    return texts.map(({ json }) => json).join(joint);
  }

  #one(json: string): string {
    return this.isInnocent(json) ? json : JSON.stringify(this.all(JSON.parse(json)));
  }

  /** Never true of values written as JSON that hold something to hide; what is only suspected is not innocent either. */
  isInnocent(json: string): boolean {
    if (ESCAPED.test(json)) return false;
    // Where a value under a name ends is not known while its own quotes are escaped.
    if (json.includes('\\"') && json.search(NAMED) !== -1) return false;
    return this.places(unquoted(json)).length === 0;
  }

  /** Where something of the text is hidden, or may be when its lines are looked at one by one. */
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

export function holdsSecret(json: string): boolean {
  return !standard.isInnocent(json);
}

export function redactAll<T>(value: T): T {
  return standard.all(value);
}

interface Slot {
  holder: object;
  key: string;
  text: string;
}

/**
 * A value without its secrets, made without recursion: how deep it is nested is up to whoever wrote the session. Its texts are
 * looked at together, each on a line of its own: secrets are rare, and to ask every text by itself costs most of a report.
 */
class Plain {
  readonly #root: object;
  readonly #redactor: Redactor;
  readonly #slots: Slot[] = [];
  readonly #marked = new Set<number>();
  readonly #parents = new Map<object, { parent: object; key: string }[]>();
  readonly #copies = new Map<object, object>();
  readonly #renamed = new Set<object>();

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

  /** Where each text ends in all of them together. */
  #take(): { joined: string; ends: number[] } {
    const ends: number[] = [];
    let joined = "";
    const stack: object[] = [this.#root];
    this.#parents.set(this.#root, []);
    for (let holder = stack.pop(); holder; holder = stack.pop()) {
      const isList = Array.isArray(holder);
      if (isList) this.#takeCommand(holder as unknown[]);
      for (const key in holder) {
        if (!isList && nameOf(key, this.#redactor).hidden !== key) this.#renamed.add(holder);
        const inner = (holder as Record<string, unknown>)[key];
        if (typeof inner === "string") {
          if (!isList && nameOf(key, this.#redactor).isSecret) this.#marked.add(this.#slots.length);
          this.#slots.push({ holder, key, text: inner });
          joined += `${inner}\n`;
          ends.push(joined.length);
        } else if (typeof inner === "object" && inner !== null) {
          const known = this.#parents.get(inner);
          if (known) known.push({ parent: holder, key });
          else {
            this.#parents.set(inner, [{ parent: holder, key }]);
            stack.push(inner);
          }
        }
      }
    }
    return { joined, ends };
  }

  /** Words of a command, each a text of its own: a flag says what the word behind it is. */
  #takeCommand(list: readonly unknown[]): void {
    const words = list.filter((word) => typeof word === "string");
    if (words.length !== list.length || !words.some((word) => /^--?[A-Za-z]/.test(word))) return;
    const places = this.#redactor.places(words.join(" "));
    let start = 0;
    for (const [n, word] of words.entries()) {
      const hit = places.find((span) => span.start < start + word.length && span.end > start);
      start += word.length + 1;
      // What is a secret by itself is hidden with all other texts.
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
    const isField = !Array.isArray(holder) && nameOf(key, this.#redactor).isSecret && isSecretValue(text, "quoted");
    const hidden = isField ? "[redacted:secret]" : this.#redactor.text(text);
    if (hidden !== text) this.#put(holder, key, hidden);
  }

  /** Everything from the root to here is copied; what holds nothing to hide is shared with what was given. */
  #put(holder: object, key: string, value: unknown): void {
    // Not assigned: a field may have the name of the prototype's.
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

  /** Keys keep their order; two that would become one are told apart. */
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

/** The part of a word that a place of the whole command covers: of `mira:word` the word. */
function hidden(word: string, { start, end, kind }: Span, at: number): string {
  return `${word.slice(0, Math.max(0, start - at))}[redacted:${kind}]${word.slice(Math.max(0, end - at))}`;
}

interface FieldName {
  /** The name itself, without what is secret in it. */
  hidden: string;
  isSecret: boolean;
}

/** Names are few and come again with every element of a list. Maps of tools and files are values too: they must not pile up. */
const names = new WeakMap<Redactor, Map<string, FieldName>>();
const MOST_NAMES = 1000;

function nameOf(name: string, redactor: Redactor): FieldName {
  let own = names.get(redactor);
  if (!own) names.set(redactor, (own = new Map()));
  let known = own.get(name);
  if (!known) {
    if (own.size >= MOST_NAMES) own.clear();
    own.set(name, (known = { hidden: redactor.text(name), isSecret: SECRET_NAME.test(name) }));
  }
  return known;
}
