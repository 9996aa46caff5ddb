import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { assistant, record, result, text, tool, user } from "../../src/sources/claude-code/testing.ts";
import type { SyncReport } from "../../src/store/sync/sync.ts";
import { open, scratch } from "./fixture.ts";
import { tablesOf, type Tables } from "./tables.ts";

/** What a sync reads on, reads anew, keeps and lets be, told by what it says it did; quick enough for `npm run mutate`. */
type Line = Record<string, unknown> | string;
type Did = Partial<SyncReport>;

const ID = "11111111-2222-4333-8444-55555555555";

class Store {
  readonly dir: string = scratch("decisions");
  readonly home: string = scratch("decisions-home");

  path(n = 1, folder = "p"): string {
    return join(this.dir, folder, `${ID}${n}.jsonl`);
  }

  write(lines: readonly Line[], path: string = this.path()): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map(told).join(""));
  }

  append(lines: readonly Line[], path: string = this.path()): void {
    appendFileSync(path, lines.map(told).join(""));
  }

  async sync(more: { full?: boolean; roots?: Record<string, string[]> } = {}): Promise<SyncReport> {
    const daybook = open(more.roots ?? { "claude-code": [this.dir] }, this.home);
    const report = await daybook.sync({ full: more.full });
    daybook.close();
    return report;
  }

  async prompts(): Promise<string[]> {
    const daybook = open({ "claude-code": [this.dir] }, this.home);
    const turns = await daybook.turns();
    expect((await daybook.audit()).balanced).toBe(true);
    daybook.close();
    return turns.map((turn) => turn.trigger.text).toSorted();
  }

  tables(): Tables {
    return tablesOf(this.home);
  }

  /** What an index says that was made of the files as they are now. */
  async fromEmpty(): Promise<Tables> {
    const home = scratch("decisions-fresh");
    const daybook = open({ "claude-code": [this.dir] }, home);
    await daybook.sync();
    daybook.close();
    return tablesOf(home);
  }
}

const told = (line: Line): string => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
const at = (second: number): Line => ({ timestamp: new Date(Date.UTC(2026, 4, 12, 8, 0, second)).toISOString() });
const usage = (output: number): Line => ({ input_tokens: 10, output_tokens: output });
const asked = (words: string, second: number, more: Line = {}): Line =>
  user(words, { ...(at(second) as object), sessionId: `${ID}1`, ...(more as object) });
/** The same lines as another session has them. */
const of = (n: number, lines: readonly Line[]): Line[] =>
  lines.map((line) => (typeof line === "string" ? line : { ...line, sessionId: `${ID}${n}` }));
const said = (words: string, second: number, id = `m${second}`): Line =>
  assistant(
    [text(words)],
    { id, stop: "end_turn", usage: usage(5) as never },
    {
      ...(at(second) as object),
      sessionId: `${ID}1`,
    },
  );
const turn = (n: number, words = `question ${n}`): Line[] => [asked(words, n * 10), said(`answer ${n}`, n * 10 + 1)];

function did({ files_read, entries, sessions_refreshed, gone, unreadable }: SyncReport): Did {
  return { files_read, entries, sessions_refreshed, gone, ...(unreadable.length > 0 ? { unreadable } : {}) };
}

const NOTHING: Did = { files_read: 0, entries: 0, sessions_refreshed: 0, gone: 0 };

describe("a sync", () => {
  it("reads what is new, and of what grew only that", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    const first = await store.sync();
    expect(did(first)).toEqual({ files_read: 1, entries: 4, sessions_refreshed: 1, gone: 0 });
    expect(first.bytes_read).toBeGreaterThanOrEqual(readFileSync(store.path()).length);
    expect(first.rows_written).toBeGreaterThan(3);
    const again = await store.sync();
    expect(did(again)).toEqual(NOTHING);
    expect([again.files_seen, again.bytes_read, again.rows_written]).toEqual([1, 0, 0]);
    store.append(turn(3));
    expect(did(await store.sync())).toEqual({ files_read: 1, entries: 2, sessions_refreshed: 1, gone: 0 });
    store.write(of(2, turn(4)), store.path(2));
    expect(did(await store.sync())).toEqual({ files_read: 1, entries: 2, sessions_refreshed: 1, gone: 0 });
    expect(await store.prompts()).toEqual([1, 2, 3, 4].map((n) => `question ${n}`));
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(did(await store.sync({ full: true }))).toEqual({
      files_read: 2,
      entries: 8,
      sessions_refreshed: 2,
      gone: 0,
    });
    expect(await store.prompts()).toHaveLength(4);
  });

  it("compares a file that was touched and did not grow from its start, and keeps what is lost", async () => {
    const store = new Store();
    const first = turn(1);
    store.write([...first, ...turn(2)]);
    await store.sync();
    utimesSync(store.path(), 5, 5);
    expect(did(await store.sync())).toEqual({ files_read: 1, entries: 4, sessions_refreshed: 1, gone: 0 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    store.write([...first, ...turn(2, "qestion 2!")]);
    await store.sync();
    expect(await store.prompts()).toEqual(["qestion 2!", "question 1", "question 2"]);
    store.write(turn(5));
    await store.sync();
    expect(await store.prompts()).toEqual(["qestion 2!", "question 1", "question 2", "question 5"]);
    // Longer, and another story.
    store.write([...turn(6), ...turn(7), ...turn(8), ...turn(9)]);
    await store.sync();
    expect(await store.prompts()).toHaveLength(8);
    expect(did(await store.sync())).toEqual(NOTHING);
  });

  it("knows a file that moved, and one that only has the name of another", async () => {
    const store = new Store();
    store.write([...turn(1), ...turn(2)]);
    await store.sync();
    mkdirSync(join(store.dir, "q"));
    renameSync(store.path(), store.path(1, "q"));
    expect(did(await store.sync())).toEqual({ files_read: 1, entries: 0, sessions_refreshed: 1, gone: 0 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    rmSync(store.path(1, "q"));
    store.write(turn(3), store.path(1, "r"));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
  });

  it("notes what is gone, once, and what is back", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(of(2, turn(2)), store.path(2));
    await store.sync();
    const kept = readFileSync(store.path());
    rmSync(store.path());
    expect(did(await store.sync())).toEqual({ ...NOTHING, gone: 1 });
    expect(did(await store.sync())).toEqual(NOTHING);
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    writeFileSync(store.path(), kept);
    expect(await store.sync()).toMatchObject({ files_read: 1, gone: 0 });
    store.append(turn(3));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, gone: 0 });
    expect(await store.prompts()).toEqual(["question 1", "question 2", "question 3"]);
    // Not looked for is not gone, and there all the same is not gone.
    expect(did(await store.sync({ roots: { codex: [store.dir] } }))).toEqual(NOTHING);
    expect(did(await store.sync({ roots: { "claude-code": [scratch("elsewhere")] } }))).toEqual(NOTHING);
  });

  it("takes a last line back that was not whole", async () => {
    const store = new Store();
    const [question, answer] = turn(2).map(told);
    store.write([...turn(1), (question ?? "").slice(0, 40)]);
    await store.sync();
    expect(await store.prompts()).toEqual(["question 1"]);
    store.append([(question ?? "").slice(40), answer ?? ""]);
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2 });
    expect(await store.prompts()).toEqual(["question 1", "question 2"]);
    expect(store.tables()).toEqual(await store.fromEmpty());
    // Without its line break a whole record may yet go on.
    store.append([told(asked("question 3", 30)).trimEnd()]);
    await store.sync();
    expect(await store.prompts()).toHaveLength(3);
    store.append(["\n", said("answer 3", 31)]);
    await store.sync();
    expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("puts together what belongs together, and again when more of it comes", async () => {
    const store = new Store();
    const inherited = turn(1);
    store.write([...inherited, ...turn(2)]);
    store.write(of(2, [...inherited, asked("other 2", 25), said("other answer", 26)]), store.path(2));
    store.write(of(3, turn(4)), store.path(3));
    expect(await store.sync()).toMatchObject({ files_read: 3, sessions_refreshed: 3 });
    store.append(of(2, turn(3)), store.path(2));
    expect(await store.sync()).toMatchObject({ files_read: 1, entries: 2, sessions_refreshed: 2 });
    expect(await store.prompts()).toEqual(["other 2", "question 1", "question 2", "question 3", "question 4"]);
    store.append(of(3, [said("once more", 50, "m11")]), store.path(3));
    await store.sync();
    store.append(of(3, [said("and again", 51, "m26")]), store.path(3));
    await store.sync();
    const tables = store.tables();
    expect({ ...tables, link: 0 }).toEqual({ ...(await store.fromEmpty()), link: 0 });
  });
});

describe("a session that grew", () => {
  const call = (id: string, name: string, input: Line, second: number): Line =>
    assistant(
      [tool(id, name, input as never)],
      { id: `m${second}`, stop: "tool_use", usage: usage(7) as never },
      at(second) as never,
    );
  const done = (id: string, words: string, second: number, more: Line = {}): Line =>
    user([result(id, words, more as never)], at(second) as never);

  it.each<[string, ...Line[][]]>([
    ["by turns", turn(2), turn(3)],
    ["by calls and their results", [asked("go", 20), call("t1", "Bash", { command: "ls" }, 21)], [done("t1", "x", 22)]],
    [
      "by a call that failed",
      [call("t1", "Bash", { command: "rm -rf x" }, 21)],
      [done("t1", "no", 22, { is_error: true }), said("so", 23)],
    ],
    [
      "by a larger statement of a response",
      [said("a", 20, "m20")],
      [assistant([text("b")], { id: "m20", usage: usage(50) as never }, at(21) as never)],
    ],
    [
      "by usage of no turn",
      [record("cost-state", { modelUsage: { m: { outputTokens: 99 } }, startTime: 1, ...(at(20) as object) })],
    ],
    [
      "by a title",
      [{ type: "custom-title", customTitle: "A title", sessionId: `${ID}1` }],
      [{ type: "summary", summary: "Another" }],
    ],
    ["in another directory", [asked("go", 20, { cwd: "/v" }), said("a", 21)], [asked("on", 30, { cwd: "/v" })]],
    [
      "by another model",
      [
        asked("go", 20),
        assistant([text("a")], { model: "claude-y", id: "m21", usage: usage(3) as never }, at(21) as never),
      ],
    ],
    ["by going back", [asked("b", 20, { parentUuid: "p" })], [asked("c", 30, { parentUuid: "p" })]],
    ["by an interrupt", [asked("go", 20)], [user([text("[Request interrupted by user]")], at(21) as never)]],
    [
      "by a compaction",
      [record("system", { subtype: "compact_boundary", compactMetadata: { trigger: "auto" }, ...(at(20) as object) })],
      [user("so far", { isCompactSummary: true, ...(at(21) as object) })],
    ],
    [
      "by a question",
      [call("t1", "AskUserQuestion", { questions: [{ question: "a or b?", options: [] }] }, 20)],
      [done("t1", "a", 21)],
    ],
    [
      "by a sub-agent",
      [call("t1", "Task", { prompt: "x", subagent_type: "y" }, 20)],
      [user([result("t1", "done")], { ...(at(21) as object), toolUseResult: { agentId: "a1" } })],
    ],
    [
      "by what may change yet",
      [user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [said("a", 21)],
    ],
    [
      "by a command that was the client's",
      [user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [asked("x", 21)],
    ],
    ["by words of no time", [asked("x", 20, { timestamp: undefined })], [said("a", 21)]],
    [
      "by commits and files",
      [call("t1", "Bash", { command: "git commit -m 'A change'" }, 20), done("t1", "[main 1234567] A change", 21)],
      [call("t2", "Write", { file_path: "/w/a", content: "x" }, 22), done("t2", "ok", 23)],
    ],
  ])("%s has the rows of one made from empty", async (_, ...steps) => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    for (const step of steps) {
      store.append(step);
      expect(await store.sync()).toMatchObject({ files_read: 1 });
      expect(store.tables()).toEqual(await store.fromEmpty());
    }
  });

  it("costs what became different", async () => {
    const store = new Store();
    store.write(Array.from({ length: 30 }, (_, n) => turn(n + 1)).flat());
    const whole = await store.sync();
    store.append(turn(31));
    const grown = await store.sync();
    expect(grown.rows_written).toBeLessThan(whole.rows_written / 5);
    expect(grown.bytes_read).toBeLessThan(whole.bytes_read);
  });
});
