import type { Random } from "./random.ts";

/** Texts that programs may mishandle: property names, times, paths, markup, control characters, very long texts. */
const WORDS: readonly string[] = [
  "",
  " ",
  "\0",
  "\uFFFD",
  "\uD800",
  "\uDC00x",
  "\u202e",
  "\u200b",
  "\u001b[2J\u0007",
  "\r\n",
  "\u2028",
  "a\nb",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "length",
  "null",
  "undefined",
  "NaN",
  "true",
  "{}",
  "[]",
  "0000-00-00T00:00:00Z",
  "9999-12-31T23:59:60.999Z",
  "+275760-09-13T00:00:00.001Z",
  "-271821-04-19T23:59:59Z",
  "1970-01-01T00:00:00Z",
  "2026-02-30",
  "12:00",
  "1e400",
  "-1",
  "0",
  "9007199254740993",
  "/",
  "..",
  "../../../../etc/passwd",
  "C:\\",
  "/dev/zero",
  "//",
  "\\\\host\\share",
  "~",
  "file:///",
  "user",
  "assistant",
  "system",
  "tool",
  "developer",
  "error",
  "completed",
  "session_meta",
  "unknown",
  "$(rm -rf /)",
  "`x`",
  "| | |",
  "<<EOF",
  "'",
  '"',
  "\\",
  "(".repeat(3000),
  "$(".repeat(2000),
  "<a>".repeat(500),
  "x".repeat(70_000),
  "ab ".repeat(30_000),
  "🙂".repeat(5000),
  `{"a":`.repeat(400),
  "```\n".repeat(300),
  "*** Begin Patch\n*** Update File: a\n",
  "<command-name>/x</command-name>",
  "<environment_context>",
  "#### ",
];

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e9,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  1e21,
  1e308,
  -1e308,
  5e-324,
  8.64e15,
  8.64e15 + 1,
  -8.64e15 - 1,
  1_700_000_000,
  1_700_000_000_000,
];

type Holder = Record<string, unknown> | unknown[];

interface Place {
  holder: Holder;
  key: string;
}

/** A JSON value changed in `n` places. Changes depend on the old value, because random noise rarely finds bugs. */
export function mutateValue(value: unknown, random: Random, others: readonly unknown[], n: number): unknown {
  const root: { it: unknown } = { it: structuredClone(value) };
  for (let i = 0; i < n; i++) {
    const places = placesIn(root);
    const place = random.pick(places);
    try {
      change(place, random, others, places);
    } catch {
      // Too deeply nested to be cloned; it is left as it is.
    }
  }
  return root.it;
}

/** Limited in depth and number, because mutations nest values deeply. */
function placesIn(root: Holder): Place[] {
  const out: Place[] = [];
  const stack: [Holder, number][] = [[root, 0]];
  for (let next = stack.pop(); next && out.length < 2000; next = stack.pop()) {
    const [holder, depth] = next;
    for (const [key, inner] of Object.entries(holder)) {
      out.push({ holder, key });
      if (typeof inner === "object" && inner !== null && depth < 40) stack.push([inner as Holder, depth + 1]);
    }
  }
  return out;
}

function get({ holder, key }: Place): unknown {
  return (holder as Record<string, unknown>)[key];
}

function put({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

function change(place: Place, random: Random, others: readonly unknown[], places: readonly Place[]): void {
  const { holder, key } = place;
  const old = get(place);
  switch (random.below(12)) {
    case 0:
      put(place, newValue(random));
      return;
    case 1:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else if (key !== "it") Reflect.deleteProperty(holder, key);
      else put(place, null);
      return;
    case 2:
      put(place, structuredClone(get(random.pick(places))));
      return;
    case 3: {
      const far = placesIn({ it: random.pick(others) });
      put(place, structuredClone(get(random.pick(far))));
      return;
    }
    case 4:
      if (Array.isArray(holder)) holder.push(structuredClone(old));
      else put({ holder, key: random.pick(WORDS.slice(0, 24)) }, structuredClone(old));
      return;
    case 5:
      put(place, random.chance(0.5) ? [old] : { text: old, type: "text" });
      return;
    case 6:
      put(place, random.chance(0.5) ? JSON.stringify(old) : String(old));
      return;
    case 7: {
      const other = random.pick(places);
      // Objects are not swapped: one might contain the other.
      if (typeof old === "object" || typeof get(other) === "object") return;
      put(place, get(other));
      put(other, old);
      return;
    }
    case 8:
      put(
        place,
        Array.from({ length: random.pick([0, 2, 50, 1000]) }, () => (typeof old === "object" ? {} : old)),
      );
      return;
    default:
      put(place, tweaked(old, random));
  }
}

function newValue(random: Random): unknown {
  switch (random.below(6)) {
    case 0:
      return null;
    case 1:
      return random.pick(NUMBERS);
    case 2:
      return random.chance(0.5);
    case 3:
      return random.pick([[], {}, [[]], [{}], [null], { "": 0 }]);
    case 4:
      return random.chance(0.2) ? deep(random) : random.pick(WORDS);
    default:
      return random.pick(WORDS);
  }
}

function deep(random: Random): unknown {
  let value: unknown = 1;
  for (let i = random.pick([100, 255, 256, 257, 3000]); i > 0; i--) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

function tweaked(old: unknown, random: Random): unknown {
  if (typeof old === "number") {
    return random.pick([old + 1, old - 1, -old, old * 1e6, old / 7, String(old), random.pick(NUMBERS)]);
  }
  if (typeof old === "boolean") return !old;
  if (typeof old !== "string") return newValue(random);
  const at = random.below(old.length + 1);
  switch (random.below(7)) {
    case 0:
      return old.slice(0, at);
    case 1:
      return old.slice(at);
    case 2:
      return old.slice(0, at) + random.pick(WORDS) + old.slice(at);
    case 3:
      return (old + random.pick(["", "\n", " "])).repeat(random.pick([2, 3, 20]));
    case 4:
      return random.chance(0.5) ? old.toUpperCase() : old.toLowerCase();
    case 5:
      return old.slice(0, at) + String.fromCharCode(random.below(0x10000)) + old.slice(at + 1);
    default:
      return random.pick(WORDS);
  }
}
