import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Io } from "../src/cli/io.ts";
import { main } from "../src/cli/main.ts";
import { codex } from "../src/sources/codex/index.ts";
import type { Reading, SideFacts, Source } from "../src/sources/contract.ts";
import { answers, differences, open, scratch, type Roots } from "./store/fixture.ts";
import { nine } from "./nine.ts";

/** Whatever one source does wrong, the answers of the other eight are what they are without it, and the failure is named. */

function fail(): never {
  throw new RangeError("Maximum call stack size exceeded");
}

/** How a source may fail: at once, in the middle, at the end, or only when it is asked for the rarer things. */
const READ = codex.read.bind(codex);
const FACTS = codex.facts?.bind(codex);
const reading = (change: (real: Reading) => Partial<Reading>): Partial<Source> => ({
  read(ref, cursor, ctx) {
    const real = READ(ref, cursor, ctx);
    return {
      [Symbol.iterator]: () => real[Symbol.iterator](),
      cursor: () => real.cursor(),
      drift: () => real.drift(),
      ...change(real),
    };
  },
});

const LOST: Readonly<Record<string, Partial<Source>>> = {
  "looking for sessions": { discover: fail },
  "the third record": {
    ...reading((real) => ({
      *[Symbol.iterator]() {
        let n = 0;
        for (const entry of real)
          if (++n === 3) fail();
          else yield entry;
      },
    })),
    quickUsage: fail,
  },
  "the end of a file": { ...reading(() => ({ drift: fail })), quickUsage: fail },
  "the name of a session": { sessionId: fail, quickUsage: fail },
};

const HARMLESS: Readonly<Record<string, Partial<Source>>> = {
  "all that lies beside sessions": { facts: fail, mainCheckout: fail, partOf: fail },
  "titles, prompts and histories": {
    facts: (ctx) => ({
      ...(FACTS?.(ctx) as SideFacts),
      titles: fail,
      prompts: fail,
      get histories(): string[] {
        return fail();
      },
    }),
  },
};

function broken(ways: Partial<Source>): void {
  for (const [name, way] of Object.entries(ways))
    Object.defineProperty(codex, name, { value: way, configurable: true });
}

const SOUND = Object.getOwnPropertyDescriptors(codex);
afterEach(() => {
  vi.restoreAllMocks();
  for (const name of Object.keys(Object.getOwnPropertyDescriptors(codex)))
    if (!(name in SOUND)) Reflect.deleteProperty(codex, name);
  Object.defineProperties(codex, SOUND);
});

let roots: Roots;
let others: Record<string, unknown>;
let all: Record<string, unknown>;

/** What is said of the others: reports name every problem there is. */
function apart(given: Record<string, unknown>): Record<string, unknown> {
  const isProblem = (key: string, value: unknown): unknown => (key === "diagnostics" ? undefined : value);
  return JSON.parse(JSON.stringify(given, isProblem)) as Record<string, unknown>;
}

async function exit(argv: readonly string[]): Promise<{ code: number; err: string; out: string }> {
  let err = "";
  let out = "";
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { HOME: "/nowhere" },
    now: Date.UTC(2026, 11, 31),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  const code = await main(argv, io);
  return { code, err, out };
}

beforeAll(async () => {
  roots = nine().roots;
  const { codex: _, ...eight } = roots;
  others = await answers(open(eight), 0);
  all = await answers(open(roots), 0);
  expect(Object.keys(eight)).toHaveLength(8);
});

describe.each(["directly", "through the book"])("a source that fails beside eight good ones, %s", (how) => {
  const book = (): string | undefined => (how === "directly" ? undefined : scratch("home"));

  it.each(Object.entries(LOST))("at %s", async (_, ways) => {
    broken(ways);
    const home = book();
    const answered = await answers(open(roots, home), 0);
    expect(differences(apart(answered), apart(others))).toEqual([]);
    const daybook = open(roots, home);
    await daybook.turns();
    const named = (await daybook.problems()).filter(({ message }) => message.includes("call stack"));
    expect(named.length).toBeGreaterThan(0);
    daybook.close();
  });

  it.each(Object.entries(HARMLESS))("at %s", async (_, ways) => {
    broken(ways);
    const answered = await answers(open(roots, book()), 0);
    expect(differences(apart(answered), apart(all))).toEqual([]);
  });

  it("when one family is put together: the rest of it is answered", async () => {
    // Only a file that repeats another is read again.
    broken({
      read: (ref, cursor, ctx) => (ctx.inherited || ctx.identities ? fail() : READ(ref, cursor, ctx)),
    });
    const daybook = open(roots, book());
    const answered = await daybook.sessions();
    const everything = (all["sessions"] as typeof answered).filter(({ session_id }) => !/01a1de02-b/.test(session_id));
    expect(JSON.parse(JSON.stringify(answered))).toEqual(everything);
    expect(answered.some(({ source }) => source === "codex")).toBe(true);
    const named = (await daybook.problems()).filter(({ code }) => code === "file_unreadable");
    expect(named.map(({ path }) => path.slice(-15, -6)).toSorted()).toEqual(["1dfc36761", "c12a41bcc"]);
    expect((await daybook.audit()).balanced).toBe(true);
    daybook.close();
  });
});

it("a family that failed is tried again, and then it is no problem any more", async () => {
  const home = scratch("home");
  broken({ read: (ref, cursor, ctx) => (ctx.inherited || ctx.identities ? fail() : READ(ref, cursor, ctx)) });
  const failing = open(roots, home);
  await failing.sync();
  // Also to whoever asks later, and reads nothing.
  expect((await failing.problems()).length).toBeGreaterThan(0);
  failing.close();
  const later = open(roots, home, { noSync: true });
  await later.sessions();
  expect((await later.problems()).map(({ code }) => code)).toContain("file_unreadable");
  later.close();
  broken({ read: READ });
  const mended = open(roots, home);
  await mended.sync({ full: true });
  expect(differences(await answers(mended, 0), all)).toEqual([]);
  expect(await open(roots, home).problems()).toEqual([]);
});

it("every command ends with 3, and says which file", async () => {
  broken({ ...LOST["the third record"] });
  const where = Object.entries(roots).flatMap(([id, paths]) => paths.flatMap((path) => ["--root", `${id}=${path}`]));
  const home = scratch("home");
  const commands = [
    ...["sessions", "turns", "tools", "context", "decisions", "audit", "usage", "report", "export", "doctor"].map(
      (name) => [name],
    ),
    ["search", "lantern"],
    ["usage", "session"],
    ["usage", "turn"],
    ["show", "088b10c2"],
    ["explain", "088b10c2:1"],
  ];
  for (const homeFlags of [[], ["--home", home]])
    for (const argv of [...commands, ...(homeFlags.length > 0 ? [["sync"]] : [])]) {
      const ended = await exit([...argv, ...where, "-z", "UTC", ...homeFlags]);
      const asked = `${argv.join(" ")} ${homeFlags.join(" ")}`;
      expect(`${asked}: ${ended.code}`).toBe(`${asked}: 3`);
      expect(ended.err, asked).toMatch(/unreadable: .*rollout-.*call stack/);
    }
});
