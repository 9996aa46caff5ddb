import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Daybook } from "../answers/daybook.ts";
import * as opencode from "../agents/opencode/testing.ts";
import type { SessionView } from "../views/session-view.ts";

const FIXTURES = fileURLToPath(new URL("../../test/fixtures/", import.meta.url));

type Record = { [key: string]: unknown };

function daybook(source: string, root: string): Daybook {
  return new Daybook({ roots: { [source]: [root] }, timezone: "UTC", env: {}, home: "/nowhere" });
}

/** Writes files with the given lines, by path. */
function write(files: { [path: string]: readonly Record[] }): string {
  const root = mkdtempSync(join(tmpdir(), "daybook-lineage-"));
  for (const [name, lines] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  return root;
}

let clock = Date.UTC(2026, 4, 12, 8);

/** A prompt with its answer, as Claude Code writes them. */
function exchange(session: string, text: string, more: Record = {}): Record[] {
  const line = (type: string, message: Record): Record => {
    clock += 1000;
    const parent = type === "user" ? null : `u-${clock - 1000}`;
    const at = { timestamp: new Date(clock).toISOString(), uuid: `u-${clock}`, parentUuid: parent, isSidechain: false };
    return { ...at, type, sessionId: session, cwd: "/w", version: "1.0.64", message, ...more };
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  return [
    line("user", { role: "user", content: text }),
    line("assistant", { id: `m-${clock}`, role: "assistant", stop_reason: "end_turn", usage, content: text }),
  ];
}

async function lineageOf(book: Daybook): Promise<{ [session: string]: [string | null, string[]] }> {
  const turns = await book.turns();
  const list = (await book.sessions()).map((session: SessionView): [string, [string | null, string[]]] => [
    session.session_id,
    [
      session.forked_from,
      turns.filter((turn) => turn.session_id === session.session_id).map((turn) => turn.trigger.text ?? ""),
    ],
  ]);
  return Object.fromEntries(list);
}

describe("a fork of a fork", () => {
  it("has its direct parent as origin if only copied records show it (Claude Code 2.1.325, genuine)", async () => {
    const found = await lineageOf(daybook("claude-code", `${FIXTURES}corpus-2/claude-2.1.325-n2`));
    const [root, fork, second] = ["e3538009", "e5a94b36", "65b35706"].map((start) =>
      Object.keys(found).find((id) => id.startsWith(start)),
    );
    expect(found[root ?? ""]?.[0]).toBeNull();
    expect(found[fork ?? ""]?.[0]).toBe(root);
    expect(found[second ?? ""]?.[0]).toBe(fork);
  });

  it("is listed under the last turn it shares, though its first prompt is later than the next (Codex 0.169.0, genuine)", async () => {
    const turns = await daybook("codex", `${FIXTURES}forks/codex-0.169.0`).turns();
    expect(
      turns.map(({ trigger, children }) => [trigger.text, (children ?? []).map(({ relation }) => relation)]),
    ).toEqual([
      ["The first question. [lab:ls]", ["fork"]],
      ["The second question. [lab:hello]", []],
      ["A question in the fork. [lab:bye]", []],
    ]);
  });

  it("has its direct parent as origin if its first records are those of the oldest session", async () => {
    // Resumes up to 1.0 kept the ids of copied records: each file begins with the whole history.
    const [a, b, c] = [exchange("a", "one"), exchange("b", "two"), exchange("c", "three")];
    const files = { "p/a.jsonl": a, "p/b.jsonl": [...a, ...b], "p/c.jsonl": [...a, ...b, ...c] };
    expect(await lineageOf(daybook("claude-code", write(files)))).toEqual({
      a: [null, ["one"]],
      b: ["a", ["two"]],
      c: ["b", ["three"]],
    });
    // The copies still name their session if the other files are gone.
    const { "p/c.jsonl": alone } = files;
    expect((await lineageOf(daybook("claude-code", write({ "p/c.jsonl": alone }))))["c"]?.[0]).toBe("b");
  });

  it("is distinguished from a second fork of the same session", async () => {
    const a = exchange("a", "one");
    const copy = (session: string): Record[] => a.map((line) => ({ ...line, sessionId: session }));
    const late = exchange("a", "more");
    const found = await lineageOf(
      daybook(
        "claude-code",
        write({
          "p/a.jsonl": [
            { type: "queue-operation", operation: "enqueue", timestamp: a[0]?.["timestamp"], sessionId: "a" },
            ...a,
            ...late,
          ],
          "p/b.jsonl": [...copy("b"), ...exchange("b", "two")],
          "p/c.jsonl": [...copy("c"), ...exchange("c", "three")],
        }),
      ),
    );
    expect(found).toEqual({ a: [null, ["one", "more"]], b: ["a", ["two"]], c: ["a", ["three"]] });
  });
});

describe("a fork of a fork in a database", () => {
  it("has its direct parent as origin (OpenCode clones messages under new ids)", async () => {
    const said = (n: number): opencode.MadeMessage[] => [
      { data: opencode.user(n * 100), parts: [opencode.text(`ask ${n}`)] },
      { data: opencode.assistant(n * 100 + 10, { tokens: opencode.tokens(n, 1) }), parts: [opencode.text(`re ${n}`)] },
    ];
    const session = (id: string, created: number, ...numbers: number[]): opencode.MadeRows => ({
      id,
      info: { created: opencode.T0 + created },
      messages: numbers.flatMap(said),
    });
    const path = opencode.makeDatabase([
      session("ses_c", 500, 1, 2, 3, 6),
      session("ses_b", 250, 1, 2, 3),
      session("ses_a", 0, 1, 2, 7),
      session("ses_d", 800, 1, 2, 8),
    ]);
    expect(await lineageOf(daybook("opencode", path))).toEqual({
      ses_a: [null, ["ask 1", "ask 2", "ask 7"]],
      ses_b: ["ses_a", ["ask 3"]],
      ses_c: ["ses_b", ["ask 6"]],
      ses_d: ["ses_a", ["ask 8"]],
    });
  });
});

describe("a subagent started by a subagent", () => {
  // No genuine file is available; the field `parentAgentId` is known from public notes.
  const side = (agent: string, text: string): Record[] => exchange("s", text, { isSidechain: true, agentId: agent });

  it("has that subagent as parent, and its usage counts for the human's turn", async () => {
    const root = write({
      "p/s.jsonl": exchange("s", "go"),
      "p/s/subagents/agent-a1.jsonl": side("a1", "outer task"),
      "p/s/subagents/agent-a1.meta.json": [{ agentType: "general-purpose" }],
      "p/s/subagents/agent-a2.jsonl": side("a2", "inner task"),
      "p/s/subagents/agent-a2.meta.json": [{ agentType: "Explore", parentAgentId: "a1" }],
    });
    const book = daybook("claude-code", root);
    const parents = (await book.sessions()).map((session) => [session.session_id, session.parent?.session_id ?? null]);
    expect(Object.fromEntries(parents)).toEqual({ s: null, "agent-a1": "s", "agent-a2": "agent-a1" });
    const [turn] = await book.turns();
    expect(turn?.usage_with_children.output_tokens).toBe(3);
  });
});

describe("a subagent whose end only its parent recorded", () => {
  it("has its running call interrupted (Claude Code 2.1.325, killed with its session, genuine)", async () => {
    const tools = await daybook("claude-code", `${FIXTURES}corpus-2/claude-2.1.325-n2`).tools();
    expect(tools.find((call) => call.call_id === "toolu_01LsubsleepS0xu6qJzO1B0")).toMatchObject({
      session_id: "agent-a56eb6d562051a9c2",
      status: "interrupted",
      end_line: null,
    });
  });
});

describe("sessions that name each other as origin", () => {
  /** A Codex fork: the header, directly followed by the copied records with the same time. */
  const forked = (id: string, from: string, minute: number, ...prompts: string[]): Record[] => {
    const at = (second: number): string => new Date(Date.UTC(2026, 4, 12, 8, minute, second)).toISOString();
    const header = { id, timestamp: at(0), cwd: "/w", source: "cli", forked_from_id: from };
    const said = (text: string, i: number): Record[] => {
      // The first one has the same time as the header: without its origin it would look like a copy.
      const timestamp = at(i * 10);
      const item = (role: string, type: string): Record => ({
        timestamp,
        type: "response_item",
        payload: { type: "message", role, content: [{ type, text }] },
      });
      return [item("user", "input_text"), item("assistant", "output_text")];
    };
    return [{ timestamp: at(0), type: "session_meta", payload: header }, ...prompts.flatMap(said)];
  };

  it("keep all their turns, and the earliest has no origin", async () => {
    const root = write({
      "rollout-1.jsonl": forked("one", "two", 1, "first", "second"),
      "rollout-2.jsonl": forked("two", "one", 2, "third", "fourth"),
    });
    const book = daybook("codex", root);
    expect(await lineageOf(book)).toEqual({ one: [null, ["first", "second"]], two: ["one", ["third", "fourth"]] });
    expect((await book.audit()).balanced).toBe(true);
  });

  it("keep all their turns in a cycle of three with a fork outside of it", async () => {
    const root = write({
      "rollout-1.jsonl": forked("one", "three", 1, "a"),
      "rollout-2.jsonl": forked("two", "one", 2, "b"),
      "rollout-3.jsonl": forked("three", "two", 3, "c"),
      "rollout-0.jsonl": forked("zero", "three", 0, "d"),
    });
    expect(await lineageOf(daybook("codex", root))).toEqual({
      one: [null, ["a"]],
      two: ["one", ["b"]],
      three: ["two", ["c"]],
      zero: ["three", ["d"]],
    });
  });
});
