import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { assistant, record, result, tool, user } from "../../src/agents/claude-code/testing.ts";
import { growsAlone } from "../../src/index/sync/session-changes.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import type { SessionMeta } from "../../src/turns/model.ts";
import type { Session, Turn } from "../../src/turns/session.ts";
import { promptLine, at, ID, inSession, answerLine, Store, turn, usage, type Line } from "./small-store.ts";

// When a session with sub-agents is updated incrementally. Must be quick: `npm run mutate` runs these tests.

const CHILD = "a1";
const spawn = (second: number): Line[] => [
  assistant(
    [tool("t1", "Task", { prompt: "x", subagent_type: "y" })],
    { id: "m20", stop: "tool_use", usage: usage(7) as never },
    at(second) as never,
  ),
];
const resultLine = (second: number): Line =>
  user([result("t1", "done")], { ...(at(second) as object), toolUseResult: { agentId: CHILD } });
const inChild = (...lines: Line[]): Line[] =>
  lines.map((line) => ({ ...(line as object), isSidechain: true, agentId: CHILD }));

function childPath(store: Store): string {
  return join(dirname(store.path()), `${ID}1`, "subagents", `agent-${CHILD}.jsonl`);
}

/** A synced session that started a sub-agent. */
async function family(hasChild = true): Promise<Store> {
  const store = new Store();
  store.write([...turn(1), ...spawn(20), resultLine(25)]);
  if (hasChild) store.write(inChild(promptLine("x", 21), answerLine("y", 22, "mc1")), childPath(store));
  await store.sync();
  return store;
}

/** Appends lines, compares the index with a fresh one, and returns the sessions that were assembled whole. */
async function assembledAfter(store: Store, lines: readonly Line[]): Promise<string> {
  store.append(lines);
  await store.sync();
  expect(store.tables()).toEqual(await store.fromEmpty());
  return store.assembled;
}

describe("a grown session with a sub-agent", () => {
  it("is updated incrementally, with the usage of the sub-agent in its sums", async () => {
    const store = await family();
    const [, before] = sums(store);
    expect(await assembledAfter(store, [answerLine("a", 30, "m30")])).toBe("");
    const [own, all] = sums(store);
    expect(all).toBeGreaterThan(own ?? 0);
    expect(all).toBeGreaterThan(before ?? 0);
    expect(await assembledAfter(store, [answerLine("b", 31, "m31")])).toBe("");
  });

  it("is assembled whole after a new prompt, because the sub-agent might belong to that turn", async () => {
    const store = await family();
    expect(await assembledAfter(store, turn(4))).not.toBe("");
    // Incrementally again when the new line cannot affect the sub-agent.
    expect(await assembledAfter(store, [answerLine("a", 60, "m60")])).toBe("");
  });

  it("is assembled whole when it states its total usage", async () => {
    const store = await family();
    const stated = record("cost-state", {
      modelUsage: { m: { outputTokens: 99 } },
      startTime: 1,
      ...(at(40) as object),
    });
    expect(await assembledAfter(store, [stated])).not.toBe("");
  });

  it("is assembled whole when the sub-agent grew too, and incrementally the next time", async () => {
    const store = await family();
    store.append(inChild(answerLine("z", 41, "mc2")), childPath(store));
    expect(await assembledAfter(store, [answerLine("a", 42, "m42")])).not.toBe("");
    expect(await assembledAfter(store, [answerLine("b", 43, "m43")])).toBe("");
  });

  it("is assembled whole when the sub-agent is marked as stale", async () => {
    const store = await family();
    const index = IndexStore.openExisting(store.home);
    index?.transaction(() => void index.run("UPDATE file SET stale = 1 WHERE session_id LIKE ?", `%${CHILD}`));
    index?.close();
    expect(await assembledAfter(store, [answerLine("a", 42, "m42")])).not.toBe("");
  });

  it("is updated incrementally while the sub-agent it names is not in the book", async () => {
    const store = await family(false);
    expect(await assembledAfter(store, [answerLine("a", 30, "m30")])).toBe("");
    expect(await assembledAfter(store, turn(4))).toBe("");
    // The sub-agent's file appears later.
    store.write(inChild(promptLine("x", 21), answerLine("y", 22, "mc1")), childPath(store));
    await store.sync();
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(await assembledAfter(store, turn(5))).not.toBe("");
  });

  it("does not prevent unrelated sessions from being updated incrementally", async () => {
    const store = await family();
    store.write(inSession(2, turn(2)), store.path(2));
    await store.sync();
    store.append(inSession(2, turn(3)), store.path(2));
    await store.sync();
    expect(store.assembled).toBe("");
  });
});

/** Output tokens of the turn: its own, and including the sub-agent. */
function sums(store: Store): [number, number] {
  const index = IndexStore.openExisting(store.home);
  const sql =
    "SELECT view ->> '$.usage.output_tokens' AS own, view ->> '$.usage_with_children.output_tokens' AS both FROM turn";
  const row = index?.get(`${sql} WHERE ref = 'T0001' AND session LIKE ?`, `%${ID}1`);
  index?.close();
  return [Number(row?.["own"]), Number(row?.["both"])];
}

describe("growsAlone", () => {
  const META = { kind: "root", parent: null, forked_from: null } as unknown as SessionMeta;
  const one = (meta: object = {}, inherited = 0): Session =>
    ({ meta: { ...META, ...meta }, turns: [], delegations: [], records: { inherited } }) as unknown as Session;
  const parentOf = (...children: Session[]): Session => {
    const session = one();
    const cause = { children: children.map((child) => ({ relation: "subagent", session: child })) } as unknown as Turn;
    for (const child of children) child.cause = cause;
    session.turns = [cause];
    return session;
  };
  const OTHER = { source: "x", session_id: "y" };

  it("is true for a single session, and for one that started all others of its family", () => {
    const child = one({ kind: "subagent", parent: OTHER });
    const session = parentOf(child);
    const alone = one();
    expect(growsAlone(alone, { sessions: [alone], sharing: [] })).toBe(true);
    expect(growsAlone(session, { sessions: [session, child], sharing: [] })).toBe(true);
  });

  it.each<[string, meta: object]>([
    ["is a sub-agent", { kind: "subagent" }],
    ["has a parent", { parent: OTHER }],
    ["is a fork", { forked_from: OTHER }],
    ["is a copy", { copy_of: OTHER }],
  ])("is false for a session that %s", (_, meta) => {
    const session = one(meta);
    expect(growsAlone(session, { sessions: [session], sharing: [] })).toBe(false);
  });

  it("is false if a response is shared, or a session is not its child, a copy or inherits records", () => {
    const child = one({ kind: "subagent" });
    const session = parentOf(child);
    const among = (...others: Session[]): boolean =>
      growsAlone(session, { sessions: [session, ...others], sharing: [] });
    expect(growsAlone(session, { sessions: [session], sharing: [child] as never })).toBe(false);
    expect(among(child, one())).toBe(false);
    expect(among(one())).toBe(false);
    const copy = one({ kind: "subagent", copy_of: OTHER });
    const inheriting = one({ kind: "subagent" }, 1);
    for (const odd of [copy, inheriting]) {
      const parent = parentOf(child, odd);
      expect(growsAlone(parent, { sessions: [parent, child, odd], sharing: [] })).toBe(false);
    }
    const own = one({}, 1);
    expect(growsAlone(own, { sessions: [own], sharing: [] })).toBe(false);
  });
});
