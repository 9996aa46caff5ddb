import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assistant, record, result, text, tool, user } from "../../src/agents/claude-code/testing.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { E, event, item, M, R, TS } from "../cases/build.ts";
import { promptLine, at, ID, lineOf, inSession, answerLine, Store, turn, usage, type Line } from "./small-store.ts";

// Which grown sessions are updated incrementally, and that their rows are the same as in a fresh index. Must be quick:
// `npm run mutate` runs these tests.

describe("a session that grew", () => {
  const call = (id: string, name: string, input: Line, second: number): Line =>
    assistant(
      [tool(id, name, input as never)],
      { id: `m${second}`, stop: "tool_use", usage: usage(7) as never },
      at(second) as never,
    );
  const done = (id: string, words: string, second: number, more: Line = {}): Line =>
    user([result(id, words, more as never)], at(second) as never);
  const grow = async (store: Store, assembled: string, steps: readonly Line[][]): Promise<void> => {
    await store.sync();
    const assembledPerStep: string[] = [];
    for (const step of steps) {
      store.append(step);
      expect(await store.sync()).toMatchObject({ files_read: 1, sessions_refreshed: expect.any(Number) as number });
      assembledPerStep.push(store.assembled || ".");
      expect(store.tables()).toEqual(await store.fromEmpty());
    }
    expect(assembledPerStep.join(" ")).toBe(assembled);
  };

  // `assembled`: for each step a dot if the session was updated incrementally, else the digits of the sessions that were
  // assembled whole.
  it.each<[string, assembled: string, ...Line[][]]>([
    ["by turns", ". .", turn(2), turn(3)],
    [
      "by calls and their results",
      ". .",
      [promptLine("go", 20), call("t1", "Bash", { command: "ls" }, 21)],
      [done("t1", "x", 22)],
    ],
    [
      "by a call that failed",
      ". .",
      [call("t1", "Bash", { command: "rm -rf x" }, 21)],
      [done("t1", "no", 22, { is_error: true }), answerLine("so", 23)],
    ],
    [
      "by a larger usage statement for the same response",
      ". .",
      [answerLine("a", 20, "m20")],
      [assistant([text("b")], { id: "m20", usage: usage(50) as never }, at(21) as never)],
    ],
    [
      "by usage that belongs to no turn",
      "1",
      [record("cost-state", { modelUsage: { m: { outputTokens: 99 } }, startTime: 1, ...(at(20) as object) })],
    ],
    [
      "by a title",
      ". .",
      [{ type: "custom-title", customTitle: "A title", sessionId: `${ID}1` }],
      [{ type: "summary", summary: "Another" }],
    ],
    // Settings that differ from the previous turn's are determined from all turns, so a change assembles the session whole.
    [
      "by a prompt in another directory",
      "1 1",
      [promptLine("go", 20, { cwd: "/v" }), answerLine("a", 21)],
      [promptLine("on", 30, { cwd: "/v" })],
    ],
    [
      "by another model",
      "1",
      [
        promptLine("go", 20),
        assistant([text("a")], { model: "claude-y", id: "m21", usage: usage(3) as never }, at(21) as never),
      ],
    ],
    [
      "by a prompt that branches off an earlier record",
      ". 1",
      [promptLine("b", 20, { parentUuid: "p" })],
      [promptLine("c", 30, { parentUuid: "p" })],
    ],
    [
      "by an interrupt",
      ". .",
      [promptLine("go", 20)],
      [user([text("[Request interrupted by user]")], at(21) as never)],
    ],
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
      "by a command line that is then answered",
      ". .",
      [user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [answerLine("a", 21)],
    ],
    [
      "by a command line that is then not answered",
      ". .",
      [user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [promptLine("x", 21)],
    ],
    ["by a prompt without a timestamp", ". 1", [promptLine("x", 20, { timestamp: undefined })], [answerLine("a", 21)]],
    [
      "by commits and files",
      ". .",
      [call("t1", "Bash", { command: "git commit -m 'A change'" }, 20), done("t1", "[main 1234567] A change", 21)],
      [call("t2", "Write", { file_path: "/w/a", content: "x" }, 22), done("t2", "ok", 23)],
    ],
  ])("%s has the same rows as in a fresh index", async (_, assembled, ...steps) => {
    const store = new Store();
    store.write(turn(1));
    await grow(store, assembled, steps);
  });

  it.each<[string, assembled: string, base: Line[], ...Line[][]]>([
    [
      "has an answer before its first prompt",
      ". .",
      [answerLine("a", 5, "m5"), ...turn(1)],
      turn(2),
      [answerLine("more", 31, "m31")],
    ],
    [
      "has a call before its first prompt",
      ". 1",
      inSession(1, [call("t1", "Bash", { command: "ls" }, 5)]),
      inSession(1, [done("t1", "x", 6)]),
      turn(1),
    ],
    [
      "ends in a statement of its total usage without a line break",
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
    ["has no directory", ". .", [promptLine("a", 10, { cwd: undefined }), answerLine("b", 11)], turn(2), turn(3)],
    [
      "has a pending call",
      ". .",
      [...turn(1), call("t1", "Bash", { command: "ls" }, 20)],
      [done("t1", "x", 22)],
      turn(3),
    ],
    [
      "has two pending calls",
      ". .",
      [...turn(1), call("t1", "Bash", { command: "ls" }, 20), call("t2", "Read", { file_path: "/w/a" }, 21)],
      [done("t2", "x", 22)],
      [done("t1", "no", 23, { is_error: true }), answerLine("so", 24)],
    ],
    [
      "has pending calls that are interrupted or rejected",
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
    ["has no response yet", ". 1", [promptLine("a", 10)], [promptLine("b", 20)], [answerLine("c", 31)]],
    [
      "has a response without usage",
      ".",
      [promptLine("a", 10), assistant([text("b")], { id: "x" }, at(11) as never)],
      turn(2),
    ],
    [
      "ends in the middle of a line",
      ". .",
      [...turn(1), lineOf(promptLine("b", 20)).slice(0, 60)],
      [lineOf(promptLine("b", 20)).slice(60)],
      turn(3),
    ],
    [
      "ends without a line break",
      ". .",
      [...turn(1), lineOf(promptLine("b", 20)).trimEnd()],
      ["\n", answerLine("c", 21)],
      turn(3),
    ],
    [
      "ends with a command line that is then answered",
      ". .",
      [...turn(1), user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20) as never)],
      [answerLine("a", 21)],
      turn(3),
    ],
  ])("that %s has the same rows as in a fresh index", async (_, assembled, base, ...steps) => {
    const store = new Store();
    store.write(base);
    await grow(store, assembled, steps);
  });

  it.each<[string, Line]>([
    ["a prompt", promptLine("b", 20)],
    ["an answer", answerLine("b", 20, "m20")],
    ["a call", call("t1", "Bash", { command: "ls" }, 20)],
    ["a question", call("t1", "AskUserQuestion", { questions: [{ question: "a or b?", options: [] }] }, 20)],
  ])("that ends in %s whose line turns out malformed when completed is assembled whole", async (_, line) => {
    const store = new Store();
    store.write([...turn(1), lineOf(line).trimEnd()]);
    await store.sync();
    store.append([" and more\n", ...turn(3)]);
    await store.sync();
    expect(store.assembled).toBe("1");
    // Surplus identities remain: they only say which sessions to compare.
    expect({ ...store.tables(), identity: 0 }).toEqual({ ...(await store.fromEmpty()), identity: 0 });
  });

  it.each<[string, assembled: string, base: Line[], ...Line[][]]>([
    [
      "has a last line that turns out malformed, followed by another call",
      ". .",
      [...turn(1), lineOf(call("t1", "Bash", { command: "rm -rf /" }, 20)).trimEnd()],
      [" and more\n", call("t2", "Bash", { command: "ls" }, 20)],
      [done("t2", "x", 23)],
    ],
    [
      "has a last line that turns out malformed, followed by a call of another tool",
      ".",
      [...turn(1), lineOf(call("t1", "Bash", { command: "rm -rf /" }, 20)).trimEnd()],
      [" and more\n", call("t2", "Read", { command: "rm -rf /" }, 20)],
    ],
    [
      "has a last line that turns out malformed, followed by the same answer",
      ".",
      [...turn(1), lineOf(answerLine("b", 20, "m20")).trimEnd()],
      [" and more\n", answerLine("b", 20, "m20"), answerLine("c", 21)],
    ],
    [
      "has only shell commands of the user before the first prompt",
      ". .",
      [promptLine("<bash-input>ls</bash-input>", 10)],
      [promptLine("<bash-input>pwd</bash-input>", 20), promptLine("a", 21)],
      [promptLine("<bash-input>pwd</bash-input>", 30)],
    ],
    [
      "changed its directory within its last turn",
      ". .",
      [...turn(1), promptLine("go", 20, { cwd: "/v" }), { ...(answerLine("a", 21) as object), cwd: "/v" }],
      [{ ...(answerLine("more", 22) as object), cwd: "/v" }],
      [{ ...(answerLine("more", 23) as object), cwd: "/v" }],
    ],
    ["gets a malformed line", ". .", turn(1), ["{ torn }\n", ...turn(2)], ["{ torn }\n"]],
  ])("that %s has the same rows as in a fresh index", async (_, assembled, base, ...steps) => {
    const store = new Store();
    store.write(base);
    await grow(store, assembled, steps);
  });

  it("by calls within a script counts only the script itself as a call in its totals", async () => {
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
      expect(store.assembled).toBe("");
      expect(store.tables()).toEqual(await store.fromEmpty());
    }
    const { tools } = JSON.parse(String(inIndex(store, "SELECT view FROM session")["view"])) as { tools: object };
    expect(tools).toMatchObject({ total: 1, ok: 1, failed: 0 });
    expect(inIndex(store, "SELECT count(*) AS n FROM call")).toEqual({ n: 3 });
  });

  it("is assembled whole with a session that turns out to share a record, a response or the id", async () => {
    const [first, second] = [turn(1), inSession(2, turn(2))];
    const assembledAfter = async (change: (store: Store) => void): Promise<string> => {
      const store = new Store();
      store.write(first);
      store.write(second, store.path(2));
      await store.sync();
      change(store);
      await store.sync();
      expect({ ...store.tables(), link: 0 }).toEqual({ ...(await store.fromEmpty()), link: 0 });
      return [...new Set(store.assembled)].toSorted().join("");
    };
    expect(await assembledAfter((store) => store.append(turn(3)))).toBe("");
    expect(await assembledAfter((store) => store.append([...turn(3), ...inSession(1, second.slice(0, 1))]))).toBe("12");
    expect(await assembledAfter((store) => store.append([...turn(3), answerLine("once more", 35, "m21")]))).toBe("12");
    expect(
      await assembledAfter((store) => {
        store.append(turn(3));
        store.write(turn(4), store.path(1, "q"));
      }),
    ).toBe("1");
  });

  it("loses its own cached facts, and no other session's", async () => {
    const store = new Store();
    store.write(turn(1));
    store.write(inSession(2, turn(2)), store.path(2));
    await store.sync();
    for (const n of [1, 2])
      run(store, `INSERT OR REPLACE INTO facts (session, found) VALUES ('claude-code/${ID}${n}', x'00')`);
    store.append([record("system", { subtype: "informational", content: "x", ...(at(22) as object) })]);
    await store.sync();
    expect(store.assembled).toBe("");
    expect(inIndex(store, "SELECT group_concat(session) AS s FROM facts")).toEqual({ s: `claude-code/${ID}2` });
  });

  it("writes and reads much less than the first sync", async () => {
    const store = new Store();
    store.write(Array.from({ length: 30 }, (_, n) => turn(n + 1)).flat());
    const first = await store.sync();
    store.append(turn(31));
    const grown = await store.sync();
    expect(grown.rows_written).toBeLessThan(first.rows_written / 5);
    expect(grown.bytes_read).toBeLessThan(first.bytes_read);
  });

  // Rows that do not fit the session must not be updated incrementally.
  it.each([
    ["another project", "UPDATE session SET project = 'x'"],
    ["another project key", "UPDATE session SET project_key = 'x'"],
    ["another place", "UPDATE session SET location = 'x'"],
    ["another directory", "UPDATE session SET cwd = 'x'"],
    ["another kind", "UPDATE session SET view = json_set(view, '$.kind', 'x')"],
    ["more turns", "UPDATE session SET view = json_set(view, '$.turns', 7)"],
    ["another file", "UPDATE session SET view = json_set(view, '$.session_paths[0]', 'x')"],
    ["more files", "UPDATE session SET view = json_insert(view, '$.session_paths[#]', 'x')"],
    ["an audit that does not balance", "UPDATE audit SET view = json_set(view, '$.balanced', json('false'))"],
    ["no audit", "DELETE FROM audit"],
    ["no session row", "DELETE FROM session"],
    ["another statement of its place", "UPDATE location SET stated = '{}'"],
  ])("whose index has %s is assembled whole", async (_, sql) => {
    const store = new Store();
    store.write(turn(1));
    await store.sync();
    run(store, sql);
    store.append(turn(2));
    await store.sync();
    expect(store.assembled).toBe("1");
    if (!sql.includes("location")) expect(store.tables()).toEqual(await store.fromEmpty());
  });

  it("has only the rows written that differ", async () => {
    const store = new Store();
    store.write([...turn(1), call("t1", "Bash", { command: "ls" }, 20), call("t2", "Bash", { command: "pwd" }, 21)]);
    await store.sync();
    const changes = (): number => Number(inIndex(store, "SELECT max(n) AS n FROM change")["n"]);
    const before = changes();
    const rows: number[] = [];
    // An empty line, a record without effect, a result, an answer, a turn, a malformed line.
    const system = record("system", { subtype: "informational", content: "x", ...(at(22) as object) });
    for (const lines of [["\n"], [system], [done("t1", "x", 23)], [answerLine("a", 24)], turn(3), ["{ torn }\n"]]) {
      store.append(lines);
      rows.push((await store.sync()).rows_written, changes() - before);
      expect(store.assembled).toBe("");
    }
    expect(store.tables()).toEqual(await store.fromEmpty());
    expect(rows).toEqual([3, 1, 4, 2, 7, 3, 10, 4, 11, 5, 5, 6]);
    // Deleted and restored unchanged.
    renameSync(store.path(), `${store.path()}.aside`);
    await store.sync();
    renameSync(`${store.path()}.aside`, store.path());
    expect([(await store.sync()).rows_written, changes() - before]).toEqual([1, 6]);
    expect(store.assembled).toBe("");
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
