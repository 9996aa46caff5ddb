import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { assistant, record, result, tool, user } from "../../src/sources/claude-code/testing.ts";
import { growsAlone } from "../../src/store/sync/session-changes.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import type { SessionMeta } from "../../src/turns/model.ts";
import type { Session, Turn } from "../../src/turns/session.ts";
import { asked, at, ID, of, said, Store, turn, usage, type Line } from "./small-store.ts";

/** When a session that caused others is told by what became different; quick enough for `npm run mutate`. */

const CHILD = "a1";
const spawn = (second: number): Line[] => [
  assistant(
    [tool("t1", "Task", { prompt: "x", subagent_type: "y" })],
    { id: "m20", stop: "tool_use", usage: usage(7) as never },
    at(second) as never,
  ),
];
const came = (second: number): Line =>
  user([result("t1", "done")], { ...(at(second) as object), toolUseResult: { agentId: CHILD } });
const inChild = (...lines: Line[]): Line[] =>
  lines.map((line) => ({ ...(line as object), isSidechain: true, agentId: CHILD }));

function childPath(store: Store): string {
  return join(dirname(store.path()), `${ID}1`, "subagents", `agent-${CHILD}.jsonl`);
}

/** A session that had a sub-agent do something, in the book. */
async function family(hasChild = true): Promise<Store> {
  const store = new Store();
  store.write([...turn(1), ...spawn(20), came(25)]);
  if (hasChild) store.write(inChild(asked("x", 21), said("y", 22, "mc1")), childPath(store));
  await store.sync();
  return store;
}

/** Sessions put together whole for what was added; the rows must be those of an index made from empty either way. */
async function wholeAfter(store: Store, lines: readonly Line[]): Promise<string> {
  store.append(lines);
  await store.sync();
  expect(store.tables()).toEqual(await store.fromEmpty());
  return store.whole;
}

describe("a session that grew beside one it caused", () => {
  it("is written by what became different, with what the other spent in its sums", async () => {
    const store = await family();
    const [, before] = sums(store);
    expect(await wholeAfter(store, [said("a", 30, "m30")])).toBe("");
    const [own, all] = sums(store);
    expect(all).toBeGreaterThan(own ?? 0);
    expect(all).toBeGreaterThan(before ?? 0);
    expect(await wholeAfter(store, [said("b", 31, "m31")])).toBe("");
  });

  it("is put together whole when something is asked: whose the other is might change", async () => {
    const store = await family();
    expect(await wholeAfter(store, turn(4))).not.toBe("");
    // And by what became different again when nothing concerns the other.
    expect(await wholeAfter(store, [said("a", 60, "m60")])).toBe("");
  });

  it("is put together whole when it states what all spent together", async () => {
    const store = await family();
    const stated = record("cost-state", {
      modelUsage: { m: { outputTokens: 99 } },
      startTime: 1,
      ...(at(40) as object),
    });
    expect(await wholeAfter(store, [stated])).not.toBe("");
  });

  it("is put together whole when the other grew too, and by itself the time after", async () => {
    const store = await family();
    store.append(inChild(said("z", 41, "mc2")), childPath(store));
    expect(await wholeAfter(store, [said("a", 42, "m42")])).not.toBe("");
    expect(await wholeAfter(store, [said("b", 43, "m43")])).toBe("");
  });

  it("is put together whole when the other was read since and its rows are not of both", async () => {
    const store = await family();
    const index = IndexStore.openExisting(store.home);
    index?.transaction(() => void index.run("UPDATE unit SET stale = 1 WHERE session_id LIKE ?", `%${CHILD}`));
    index?.close();
    expect(await wholeAfter(store, [said("a", 42, "m42")])).not.toBe("");
  });

  it("needs none of what it names that is not in the book", async () => {
    const store = await family(false);
    expect(await wholeAfter(store, [said("a", 30, "m30")])).toBe("");
    expect(await wholeAfter(store, turn(4))).toBe("");
    // It comes later: now there are two.
    store.write(inChild(asked("x", 21), said("y", 22, "mc1")), childPath(store));
    await store.sync();
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(await wholeAfter(store, turn(5))).not.toBe("");
  });

  it("is no reason to put a session together that has nothing to do with them", async () => {
    const store = await family();
    store.write(of(2, turn(2)), store.path(2));
    await store.sync();
    store.append(of(2, turn(3)), store.path(2));
    await store.sync();
    expect(store.whole).toBe("");
  });
});

/** Output tokens of the turn: its own, and with those of the session it caused. */
function sums(store: Store): [number, number] {
  const index = IndexStore.openExisting(store.home);
  const sql =
    "SELECT view ->> '$.usage.output_tokens' AS own, view ->> '$.usage_with_children.output_tokens' AS both FROM turn";
  const row = index?.get(`${sql} WHERE ref = 'T0001' AND session LIKE ?`, `%${ID}1`);
  index?.close();
  return [Number(row?.["own"]), Number(row?.["both"])];
}

describe("whether what is added to a session concerns nobody else", () => {
  const META = { kind: "root", parent: null, forked_from: null } as unknown as SessionMeta;
  const one = (meta: object = {}, inherited = 0): Session =>
    ({ meta: { ...META, ...meta }, turns: [], delegations: [], records: { inherited } }) as unknown as Session;
  const above = (...below: Session[]): Session => {
    const session = one();
    const cause = { children: below.map((child) => ({ relation: "subagent", session: child })) } as unknown as Turn;
    for (const child of below) child.cause = cause;
    session.turns = [cause];
    return session;
  };
  const OTHER = { source: "x", session_id: "y" };

  it("is so for one that stands alone, and one that caused all others", () => {
    const child = one({ kind: "subagent", parent: OTHER });
    const session = above(child);
    const alone = one();
    expect(growsAlone(alone, { sessions: [alone], sharing: [] })).toBe(true);
    expect(growsAlone(session, { sessions: [session, child], sharing: [] })).toBe(true);
  });

  it.each<[string, meta: object]>([
    ["was caused by another", { kind: "subagent" }],
    ["has a parent", { parent: OTHER }],
    ["is a fork", { forked_from: OTHER }],
    ["is a copy", { copy_of: OTHER }],
  ])("is not so for one that %s", (_, meta) => {
    const session = one(meta);
    expect(growsAlone(session, { sessions: [session], sharing: [] })).toBe(false);
  });

  it("is not so where a response stands in two, where one was not caused by it, or repeats another", () => {
    const child = one({ kind: "subagent" });
    const session = above(child);
    const among = (...others: Session[]): boolean =>
      growsAlone(session, { sessions: [session, ...others], sharing: [] });
    expect(growsAlone(session, { sessions: [session], sharing: [child] as never })).toBe(false);
    expect(among(child, one())).toBe(false);
    expect(among(one())).toBe(false);
    const copy = one({ kind: "subagent", copy_of: OTHER });
    const repeating = one({ kind: "subagent" }, 1);
    for (const odd of [copy, repeating]) {
      const parent = above(child, odd);
      expect(growsAlone(parent, { sessions: [parent, child, odd], sharing: [] })).toBe(false);
    }
    const own = one({}, 1);
    expect(growsAlone(own, { sessions: [own], sharing: [] })).toBe(false);
  });
});
