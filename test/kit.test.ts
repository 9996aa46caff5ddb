import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error a plain JavaScript file without types
import { talk as untyped } from "../examples/source.mjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Entry, Source } from "../src/agents/contract.ts";
import { pi } from "../src/agents/pi/source.ts";
import { testSource } from "../src/book/reading/test-source.ts";
import { Daybook, registerSource } from "../src/index.ts";
import { toy } from "./conformance/toy/toy-source.ts";
import { rootOfCorpus } from "./truth.ts";

// The example imports `agent-daybook/kit` as users do: the package in dist.
const talk = untyped as Source;

const dir = mkdtempSync(join(tmpdir(), "daybook-kit-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const at = (second: number): string => new Date(Date.UTC(2026, 10, 18, 7, 0, second)).toISOString();
const CALL = { type: "tool_use", id: "c", name: "shell", input: { command: "ls; exit 3" } };

beforeAll(() => {
  const lines = [
    { role: "user", id: "1", at: at(1), content: "List the files" },
    { role: "assistant", id: "2", at: at(2), model: "m", content: [CALL], usage: { in: 120, cached: 100, out: 7 } },
    { role: "tool", id: "3", at: at(3), call: "c", text: "README.md", code: 3 },
    { role: "assistant", id: "4", at: at(4), model: "m", content: "One file.", usage: { in: 130, out: 4 } },
    { role: "user", id: "5", at: at(5), content: "Again" },
    { role: "error", id: "6", at: at(6), text: "the model is overloaded" },
  ];
  writeFileSync(join(dir, "s1.talk.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  writeFileSync(join(dir, "s1.json"), '{"title":"Files"}');
});

describe("the example of a reader for another agent", () => {
  it("is read like a built-in one", async () => {
    registerSource(talk);
    const daybook = new Daybook({ roots: { talk: [dir] }, env: {}, timezone: "UTC" });
    const [session] = await daybook.sessions();
    expect(session).toMatchObject({ source: "talk", session_id: "s1", title: "Files" });
    const turns = await daybook.turns();
    expect(turns.map(({ trigger, outcome }) => [trigger.text, outcome])).toEqual([
      ["List the files", "completed"],
      ["Again", "failed"],
    ]);
    expect(turns[0]).toMatchObject({
      usage: { input_tokens: 150, cached_input_tokens: 100, output_tokens: 11 },
      tools: { total: 1, failed: 1 },
    });
    daybook.close();
  });

  it("fulfils the contract", () => {
    expect(testSource(talk, dir)).toEqual([]);
  });
});

describe("testSource", () => {
  const toys = new URL("./conformance/toy/", import.meta.url).pathname;
  const checks = (source: Source): string[] => testSource(source, toys).map(({ check }) => check);
  /** The toy with each of its entries changed. */
  const changed = (change: (entry: Entry, i: number) => Entry | null): Source => ({
    ...toy,
    read(ref, cursor, ctx) {
      const reading = toy.read(ref, cursor, ctx);
      return {
        *[Symbol.iterator]() {
          let i = 0;
          for (const entry of reading) {
            const made = change(entry, i++);
            if (made) yield made;
          }
        },
        cursor: () => reading.cursor(),
        drift: () => reading.drift(),
      };
    },
  });

  it("finds nothing wrong with readers that fulfil the contract", () => {
    expect(checks(toy)).toEqual([]);
    expect(testSource(pi, rootOfCorpus("pi-0.87.1"))).toEqual([]);
  });

  it.each<[string, Source]>([
    ["finds sessions", { ...toy, discover: () => [] }],
    ["recognises what it finds", { ...toy, recognises: () => false }],
    ["yields one entry per line", changed((entry, i) => (i === 1 ? null : entry))],
    ["names its rules `agent.rule`", changed((entry) => ({ ...entry, reason: "because" }))],
    ["reads the same every time", changed((entry) => ({ ...entry, time: performance.now() }))],
    [
      "resumes after any entry",
      { ...toy, read: (ref, cursor, ctx) => toy.read(ref, cursor && { ...cursor, line: 0, offset: 0 }, ctx) },
    ],
    [
      "decides the same in `lean` detail",
      {
        ...toy,
        read: (ref, cursor, ctx) =>
          (ctx.detail === "lean" ? changed((entry) => ({ ...entry, reason: "toy.other" })) : toy).read(
            ref,
            cursor,
            ctx,
          ),
      },
    ],
    [
      "reads damaged files without throwing",
      changed((entry) => {
        if (entry.class === "corrupt") throw new Error("no");
        return entry;
      }),
    ],
  ])("notices that a reader does not do this: %s", (check, source) => {
    expect(checks(source)).toContain(check);
  });
});
