import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import { codex } from "../src/agents/codex/source.ts";
import type { Reading, SideFacts, Source } from "../src/agents/contract.ts";
import { answers, differences, open, scratch, type Roots } from "./store/fixture.ts";
import { nine } from "./nine.ts";

/** If one source throws, the answers of the other eight are the same as without it, and the failure is reported. */

function fail(): never {
  throw new RangeError("Maximum call stack size exceeded");
}

const READ = codex.read.bind(codex);
const FACTS = codex.facts?.bind(codex);
/** A `read` that is the real one with some methods replaced. */
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

/** Failures that lose the sessions of the source, by where they occur. */
const LOST: Readonly<Record<string, Partial<Source>>> = {
  discovery: { discover: fail },
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
  "the session id": { sessionId: fail, quickUsage: fail },
};

/** Failures in optional facts, which lose nothing. */
const HARMLESS: Readonly<Record<string, Partial<Source>>> = {
  "facts, mainCheckout and partOf": { facts: fail, mainCheckout: fail, partOf: fail },
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

function overrideCodex(overrides: Partial<Source>): void {
  for (const [name, value] of Object.entries(overrides))
    Object.defineProperty(codex, name, { value, configurable: true });
}

const ORIGINAL = Object.getOwnPropertyDescriptors(codex);
afterEach(() => {
  vi.restoreAllMocks();
  for (const name of Object.keys(Object.getOwnPropertyDescriptors(codex)))
    if (!(name in ORIGINAL)) Reflect.deleteProperty(codex, name);
  Object.defineProperties(codex, ORIGINAL);
});

let roots: Roots;
let others: Record<string, unknown>;
let all: Record<string, unknown>;

/** Answers without diagnostics, because reports list the failure of the broken source too. */
function withoutDiagnostics(answer: Record<string, unknown>): Record<string, unknown> {
  const dropDiagnostics = (key: string, value: unknown): unknown => (key === "diagnostics" ? undefined : value);
  return JSON.parse(JSON.stringify(answer, dropDiagnostics)) as Record<string, unknown>;
}

async function runCli(argv: readonly string[]): Promise<{ code: number; err: string; out: string }> {
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

describe.each(["directly", "through the book"])("a source that throws, beside eight others read %s", (how) => {
  const book = (): string | undefined => (how === "directly" ? undefined : scratch("home"));

  it.each(Object.entries(LOST))(
    "in %s does not change the answers of the others, and is reported",
    async (_, overrides) => {
      overrideCodex(overrides);
      const home = book();
      const answered = await answers(open(roots, home), 0);
      expect(differences(withoutDiagnostics(answered), withoutDiagnostics(others))).toEqual([]);
      const daybook = open(roots, home);
      await daybook.turns();
      const named = (await daybook.problems()).filter(({ message }) => message.includes("call stack"));
      expect(named.length).toBeGreaterThan(0);
      daybook.close();
    },
  );

  it.each(Object.entries(HARMLESS))("in %s changes no answer", async (_, overrides) => {
    overrideCodex(overrides);
    const answered = await answers(open(roots, book()), 0);
    expect(differences(withoutDiagnostics(answered), withoutDiagnostics(all))).toEqual([]);
  });

  it("while assembling one family loses only that family, and is reported", async () => {
    // Only the files of a fork and its origin are read a second time.
    overrideCodex({
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

it("a family that failed to assemble is retried by a full sync, which clears the problem", async () => {
  const home = scratch("home");
  overrideCodex({ read: (ref, cursor, ctx) => (ctx.inherited || ctx.identities ? fail() : READ(ref, cursor, ctx)) });
  const failing = open(roots, home);
  await failing.sync();
  // The problem is still reported later, without reading.
  expect((await failing.problems()).length).toBeGreaterThan(0);
  failing.close();
  const later = open(roots, home, { noSync: true });
  await later.sessions();
  expect((await later.problems()).map(({ code }) => code)).toContain("file_unreadable");
  later.close();
  overrideCodex({ read: READ });
  const mended = open(roots, home);
  await mended.sync({ full: true });
  expect(differences(await answers(mended, 0), all)).toEqual([]);
  expect(await open(roots, home).problems()).toEqual([]);
});

it("every command exits with code 3 and names the unreadable file", async () => {
  overrideCodex({ ...LOST["the third record"] });
  const rootFlags = Object.entries(roots).flatMap(([id, paths]) =>
    paths.flatMap((path) => ["--root", `${id}=${path}`]),
  );
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
      const ended = await runCli([...argv, ...rootFlags, "-z", "UTC", ...homeFlags]);
      const commandLine = `${argv.join(" ")} ${homeFlags.join(" ")}`;
      expect(`${commandLine}: ${ended.code}`).toBe(`${commandLine}: 3`);
      expect(ended.err, commandLine).toMatch(/unreadable: .*rollout-.*call stack/);
    }
});
