import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assistant, record, result, text, tool, user } from "../../src/sources/claude-code/testing.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { E, event, item, M, R, TS } from "../cases/build.ts";
import { asked, at, ID, lineOf, of, said, Store, turn, usage, type Line } from "./small-store.ts";

/** Which session that grew is told by what became different, and that it has the same rows then; quick enough for `npm run mutate`. */

describe("a session that grew", () => {
  const call = (id: string, name: string, input: Line, second: number): Line =>
    assistant(
      [tool(id, name, input as never)],
      { id: `m${second}`, stop: "tool_use", usage: usage(7) as never },
      at(second) as never,
    );
  const done = (id: string, words: string, second: number, more: Line = {}): Line =>
    user([result(id, words, more as never)], at(second) as never);
  const grow = async (store: Store, ways: string, steps: readonly Line[][]): Promise<void> => {
    await store.sync();
    const taken: string[] = [];
    for (const step of steps) {
      store.append(step);
      expect(await store.sync()).toMatchObject({ files_read: 1, sessions_refreshed: expect.any(Number) as number });
      taken.push(store.whole || ".");
      expect(store.tables()).toEqual(await store.fromEmpty());
    }
    expect(taken.join(" ")).toBe(ways);
  };

  // A dot for a step that is told by what became different, a digit for a session put together whole.
  it.each<[string, ways: string, ...Line[][]]>([
    ["by turns", ". .", turn(2), turn(3)],
    [
      "by calls and their results",
      ". .",
      [asked("go", 20), call("t1", "Bash", { command: "ls" }, 21)],
      [done("t1", "x", 22)],
    ],
    [
      "by a call that failed",
      ". .",
      [call("t1", "Bash", { command: "rm -rf x" }, 21)],
      [done("t1", "no", 22, { is_error: true }), said("so", 23)],
    ],
    [
      "by a larger statement of a response",
      ". .",
      [said("a", 20, "m20")],
      [assistant([text("b")], { id: "m20", usage: usage(50) as never }, at(21) as never)],
    ],
    [
      "by usage of no turn",
      "1",
      [record("cost-state", { modelUsage: { m: { outputTokens: 99 } }, startTime: 1, ...(at(20) as object) })],
    ],
    [
      "by a title",
      ". .",
      [{ type: "custom-title", customTitle: "A title", sessionId: `${ID}1` }],
      [{ type: "summary", summary: "Another" }],
    ],
    // What rules a turn that did not rule the one before takes all turns to tell: where it changes, they are put together.
    ["in another directory", "1 1", [asked("go", 20, { cwd: "/v" }), said("a", 21)], [asked("on", 30, { cwd: "/v" })]],
    [
      "by another model",
      "1",
      [
        asked("go", 20),
        assistant([text("a")], { model: "claude-y", id: "m21", usage: usage(3) as never }, at(21) as never),
      ],
    ],
    ["by going back", ". 1", [asked("b", 20, { parentUuid: "p" })], [asked("c", 30, { parentUuid: "p" })]],
    ["by an interrupt", ". .", [asked("go", 20)], [user([text("[Request interrupted by user]")], at(21) as never)]],
    [
      "by a compaction",
      ". .",
      [record("system", { subtype: "compact_boundary", compactMetadata: { trigger: "auto" }, ...(at(20) as object) })],
      [user("so far", { isCompactSummary: true, ...(at(21) as object) })],
    ],
    [
      "by a question",
      "1 1",
      [call("t1", "AskUserQuestion", { questions: [{ question: "a or b?", options: [] }] }, 20)],
      [done("t1", "a", 21)],
    ],
    [
      "by a sub-agent",
      ". 11",
      [call("t1", "Task", { prompt: "x", subagent_type: "y" }, 20)],
      [user([result("t1", "done")], { ...(at(21) as object), toolUseResult: { agentId: "a1" } })],
    ],
    [
      "by what may change yet",
      ". .",
      [user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [said("a", 21)],
    ],
    [
      "by a command that was the client's",
      ". .",
      [user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [asked("x", 21)],
    ],
    ["by words of no time", ". 1", [asked("x", 20, { timestamp: undefined })], [said("a", 21)]],
    [
      "by commits and files",
      ". .",
      [call("t1", "Bash", { command: "git commit -m 'A change'" }, 20), done("t1", "[main 1234567] A change", 21)],
      [call("t2", "Write", { file_path: "/w/a", content: "x" }, 22), done("t2", "ok", 23)],
    ],
  ])("%s has the rows of one made from empty", async (_, ways, ...steps) => {
    const store = new Store();
    store.write(turn(1));
    await grow(store, ways, steps);
  });

  it.each<[string, ways: string, base: Line[], ...Line[][]]>([
    ["answered before it was asked", ". .", [said("a", 5, "m5"), ...turn(1)], turn(2), [said("more", 31, "m31")]],
    [
      "called before it was asked",
      ". 1",
      of(1, [call("t1", "Bash", { command: "ls" }, 5)]),
      of(1, [done("t1", "x", 6)]),
      turn(1),
    ],
    [
      "ends in a statement of all it spent, without a line break",
      "1 .",
      [
        ...turn(1),
        lineOf(
          record("cost-state", { modelUsage: { m: { outputTokens: 99 } }, startTime: 1, ...(at(20) as object) }),
        ).trimEnd(),
      ],
      ["\n", ...turn(3)],
      turn(4),
    ],
    ["works nowhere", ". .", [asked("a", 10, { cwd: undefined }), said("b", 11)], turn(2), turn(3)],
    ["has called", ". .", [...turn(1), call("t1", "Bash", { command: "ls" }, 20)], [done("t1", "x", 22)], turn(3)],
    [
      "has called twice",
      ". .",
      [...turn(1), call("t1", "Bash", { command: "ls" }, 20), call("t2", "Read", { file_path: "/w/a" }, 21)],
      [done("t2", "x", 22)],
      [done("t1", "no", 23, { is_error: true }), said("so", 24)],
    ],
    [
      "has called, and its call is stopped or refused",
      ". 1",
      [...turn(1), call("t1", "Bash", { command: "ls" }, 20), call("t2", "Bash", { command: "rm x" }, 21)],
      [done("t1", "[Request interrupted by user for tool use]", 22, { is_error: true })],
      [
        done("t2", "The user doesn't want to proceed with this tool use. The tool use was rejected.", 23, {
          is_error: true,
        }),
      ],
    ],
    // The first response names the model.
    ["spent nothing yet", ". 1", [asked("a", 10)], [asked("b", 20)], [said("c", 31)]],
    [
      "spent nothing and is asked on",
      ".",
      [asked("a", 10), assistant([text("b")], { id: "x" }, at(11) as never)],
      turn(2),
    ],
    [
      "ends in the middle of a line",
      ". .",
      [...turn(1), lineOf(asked("b", 20)).slice(0, 60)],
      [lineOf(asked("b", 20)).slice(60)],
      turn(3),
    ],
    [
      "ends without a line break",
      ". .",
      [...turn(1), lineOf(asked("b", 20)).trimEnd()],
      ["\n", said("c", 21)],
      turn(3),
    ],
    [
      "ends with what may change yet",
      ". .",
      [...turn(1), user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [said("a", 21)],
      turn(3),
    ],
  ])("that %s has them too", async (_, ways, base, ...steps) => {
    const store = new Store();
    store.write(base);
    await grow(store, ways, steps);
  });

  it.each<[string, Line]>([
    ["a prompt", asked("b", 20)],
    ["an answer", said("b", 20, "m20")],
    ["a call", call("t1", "Bash", { command: "ls" }, 20)],
    ["a question", call("t1", "AskUserQuestion", { questions: [{ question: "a or b?", options: [] }] }, 20)],
  ])("that ends in %s which is none when its line is whole is put together whole", async (_, line) => {
    const store = new Store();
    store.write([...turn(1), lineOf(line).trimEnd()]);
    await store.sync();
    store.append([" and more\n", ...turn(3)]);
    await store.sync();
    expect(store.whole).toBe("1");
    // Names that were met stay known: they only say who may belong together.
    expect({ ...store.tables(), identity: 0 }).toEqual({ ...(await store.fromEmpty()), identity: 0 });
  });

  it.each<[string, ways: string, base: Line[], ...Line[][]]>([
    [
      "had another call there than it has now",
      ". .",
      [...turn(1), lineOf(call("t1", "Bash", { command: "rm -rf /" }, 20)).trimEnd()],
      [" and more\n", call("t2", "Bash", { command: "ls" }, 20)],
      [done("t2", "x", 23)],
    ],
    [
      "had a call of another tool there",
      ".",
      [...turn(1), lineOf(call("t1", "Bash", { command: "rm -rf /" }, 20)).trimEnd()],
      [" and more\n", call("t2", "Read", { command: "rm -rf /" }, 20)],
    ],
    [
      "had another answer there than it has now",
      ".",
      [...turn(1), lineOf(said("b", 20, "m20")).trimEnd()],
      [" and more\n", said("b", 20, "m20"), said("c", 21)],
    ],
    [
      "only ran commands of its user, and is asked",
      ". .",
      [asked("<bash-input>ls</bash-input>", 10)],
      [asked("<bash-input>pwd</bash-input>", 20), asked("a", 21)],
      [asked("<bash-input>pwd</bash-input>", 30)],
    ],
    [
      "was moved to another directory in a turn that goes on",
      ". .",
      [...turn(1), asked("go", 20, { cwd: "/v" }), { ...(said("a", 21) as object), cwd: "/v" }],
      [{ ...(said("more", 22) as object), cwd: "/v" }],
      [{ ...(said("more", 23) as object), cwd: "/v" }],
    ],
    ["has a broken line", ". .", turn(1), ["{ torn }\n", ...turn(2)], ["{ torn }\n"]],
  ])("that %s has them too", async (_, ways, base, ...steps) => {
    const store = new Store();
    store.write(base);
    await grow(store, ways, steps);
  });

  it("by what a script ran counts its own calls, and none of those within", async () => {
    const store = new Store("codex");
    const path = join(store.dir, "sessions", "rollout-2026-05-01T00-00-00-019e0000-0000-7000-8000-000000000001.jsonl");
    const ran = (id: string, exit: number): Line =>
      event("item_completed", {
        turn_id: "t",
        item: { type: "CommandExecution", id, command: ["bash", "-lc", "x"], source: "agent", exit_code: exit },
      });
    const script = { type: "custom_tool_call", name: "exec", call_id: "s", input: "tools.exec_command()" };
    const passed = { internal_chat_message_metadata_passthrough: { turn_id: "t" } };
    const end = { type: "input_text", text: "Script completed\nWall time 0.1 seconds\nOutput:\n" };
    store.write(
      [M("019e0000-0000-7000-8000-000000000001"), TS("t"), R("go"), E("go"), item({ ...script, ...passed })] as Line[],
      path,
    );
    await store.sync();
    const steps: Line[][] = [
      [ran("exec-1", 0), ran("exec-2", 7)],
      [item({ type: "custom_tool_call_output", call_id: "s", output: [end] })],
    ];
    for (const step of steps) {
      store.append(step, path);
      await store.sync();
      expect(store.whole).toBe("");
      expect(store.tables()).toEqual(await store.fromEmpty());
    }
    const { tools } = JSON.parse(String(inIndex(store, "SELECT view FROM session")["view"])) as { tools: object };
    expect(tools).toMatchObject({ total: 1, ok: 1, failed: 0 });
    expect(inIndex(store, "SELECT count(*) AS n FROM call")).toEqual({ n: 3 });
  });

  it("is put together with whoever turns out to have to do with it", async () => {
    const [first, second] = [turn(1), of(2, turn(2))];
    const whole = async (change: (store: Store) => void): Promise<string> => {
      const store = new Store();
      store.write(first);
      store.write(second, store.path(2));
      await store.sync();
      change(store);
      await store.sync();
      expect({ ...store.tables(), link: 0 }).toEqual({ ...(await store.fromEmpty()), link: 0 });
      return [...new Set(store.whole)].toSorted().join("");
    };
    expect(await whole((store) => store.append(turn(3)))).toBe("");
    expect(await whole((store) => store.append([...turn(3), ...of(1, second.slice(0, 1))]))).toBe("12");
    expect(await whole((store) => store.append([...turn(3), said("once more", 35, "m21")]))).toBe("12");
    expect(
      await whole((store) => {
        store.append(turn(3));
        store.write(turn(4), store.path(1, "q"));
      }),
    ).toBe("1");
  });

  it("is told anew by whoever asks what was found in it", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(of(2, turn(2)), store.path(2));
    await store.sync();
    for (const n of [1, 2]) run(store, `INSERT INTO facts (session, found) VALUES ('claude-code/${ID}${n}', x'00')`);
    store.append([record("system", { subtype: "informational", content: "x", ...(at(22) as object) })]);
    await store.sync();
    expect(store.whole).toBe("");
    expect(inIndex(store, "SELECT group_concat(session) AS s FROM facts")).toEqual({ s: `claude-code/${ID}2` });
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

  // Nobody should have written there; what is told by differences would be told of something else.
  it.each([
    ["another project", "UPDATE session SET project = 'x'"],
    ["another key of its project", "UPDATE session SET project_key = 'x'"],
    ["another place", "UPDATE session SET place = 'x'"],
    ["another directory", "UPDATE session SET cwd = 'x'"],
    ["another kind", "UPDATE session SET view = json_set(view, '$.kind', 'x')"],
    ["more turns", "UPDATE session SET view = json_set(view, '$.turns', 7)"],
    ["another file", "UPDATE session SET view = json_set(view, '$.session_paths[0]', 'x')"],
    ["more files", "UPDATE session SET view = json_insert(view, '$.session_paths[#]', 'x')"],
    ["sums that do not fit", "UPDATE audit SET view = json_set(view, '$.balanced', json('false'))"],
    ["no sums", "DELETE FROM audit"],
    ["no rows", "DELETE FROM session"],
    ["another place of that name", "UPDATE place SET stated = '{}'"],
  ])("whose rows say %s is put together whole", async (_, sql) => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    run(store, sql);
    store.append(turn(2));
    await store.sync();
    expect(store.whole).toBe("1");
    if (!sql.includes("place")) expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("has no more rows written than became different", async () => {
    const store = new Store();
    store.write([...turn(1), call("t1", "Bash", { command: "ls" }, 20), call("t2", "Bash", { command: "pwd" }, 21)]);
    await store.sync();
    const changes = (): number => Number(inIndex(store, "SELECT max(n) AS n FROM change")["n"]);
    const before = changes();
    const rows: number[] = [];
    // A line that is empty; a record that says nothing of anybody; a result; an answer; a turn; a broken line.
    const system = record("system", { subtype: "informational", content: "x", ...(at(22) as object) });
    for (const lines of [["\n"], [system], [done("t1", "x", 23)], [said("a", 24)], turn(3), ["{ torn }\n"]]) {
      store.append(lines);
      rows.push((await store.sync()).rows_written, changes() - before);
      expect(store.whole).toBe("");
    }
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(rows).toEqual([3, 1, 4, 2, 7, 3, 10, 4, 11, 5, 5, 6]);
    // Gone, and back as it was.
    renameSync(store.path(), `${store.path()}.aside`);
    await store.sync();
    renameSync(`${store.path()}.aside`, store.path());
    expect([(await store.sync()).rows_written, changes() - before]).toEqual([1, 6]);
    expect(store.whole).toBe("");
  });
});

function run(store: Store, sql: string): void {
  const index = IndexStore.openExisting(store.home);
  index?.transaction(() => void index.run(sql));
  index?.close();
}

function inIndex(store: Store, sql: string): Record<string, unknown> {
  const index = IndexStore.openExisting(store.home);
  const row = index?.get(sql) ?? {};
  index?.close();
  return row;
}
