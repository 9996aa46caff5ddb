import { describe, expect, it } from "vitest";
import type { ToolFinishedBody } from "../record/record.ts";
import { ask, build, done, finish, say, start, type UnplacedEntry } from "./testing.ts";
import { isExpectedExit } from "./tool-ledger.ts";

describe("files of a turn", () => {
  const touched = (story: readonly UnplacedEntry[]): unknown =>
    build(story).turns.map(({ files }) => files.map(({ path, operation, line }) => `${operation} ${path} ${line}`));
  const changed = (call: string, operation: "created" | "modified" | "deleted", more: object = {}): UnplacedEntry =>
    finish(call, { files: [{ path: "f", operation }], ...more });

  it("are those a successful call touched, with the line of the call", () => {
    expect(touched([ask("a"), start("1"), changed("1", "modified")])).toEqual([["modified f 2"]]);
    expect(touched([ask("a"), start("1"), changed("1", "modified", { status: "failed" })])).toEqual([[]]);
    expect(touched([ask("a"), start("1"), changed("1", "created", { status: "denied" })])).toEqual([[]]);
    expect(touched([ask("a"), changed("never", "created")])).toEqual([["created f 2"]]);
  });

  it("belong to the turn of the call, not to the running turn", () => {
    expect(touched([ask("a"), start("1"), ask("b"), changed("1", "created")])).toEqual([["created f 2"], []]);
    expect(touched([start("1"), ask("b"), changed("1", "created")])).toEqual([["created f 1"]]);
    expect(touched([start("1"), changed("1", "created"), ask("b")])).toEqual([[]]);
  });

  it("have one operation each, which combines all operations of the turn", () => {
    const twice = (a: "created" | "modified" | "deleted", b: "created" | "modified" | "deleted"): unknown =>
      touched([ask("a"), start("1"), changed("1", a), start("2"), changed("2", b)]);
    expect(twice("created", "modified")).toEqual([["created f 2"]]);
    expect(twice("modified", "created")).toEqual([["modified f 2"]]);
    expect(twice("created", "deleted")).toEqual([["deleted f 2"]]);
    expect(twice("deleted", "created")).toEqual([["created f 2"]]);
    const other = finish("2", { files: [{ path: "g", operation: "deleted" }] });
    expect(touched([ask("a"), start("1"), changed("1", "created"), start("2"), other])).toEqual([
      ["created f 2", "deleted g 4"],
    ]);
  });
});

describe("tool calls", () => {
  const settled = (story: readonly UnplacedEntry[]): unknown[] =>
    build(story).tools.map(({ call_id: id, status, turn }) => `${id} ${status} ${turn}`);

  it("are matched with results by id, also with results in a later turn", () => {
    expect(
      settled([ask("a"), start("1"), start("2"), finish("2"), ask("b"), finish("1", { status: "failed" })]),
    ).toEqual(["1 failed 0", "2 ok 0"]);
    const [call] = build([
      ask("a"),
      start("1", { time: 5 }, { name: "Edit", input: { a: 1 }, parent_call_id: "0" }),
      finish("1", { exit_code: 3, duration_ms: 8, error: "e" }, { time: 9 }),
    ]).tools;
    expect(call).toMatchObject({
      call_id: "1",
      parent_call_id: "0",
      name: "Edit",
      input: { a: 1 },
      status: "ok",
      settled: true,
      exit_code: 3,
      duration_ms: 8,
      started_at: 5,
      ended_at: 9,
      start_line: 2,
      end_line: 3,
      error: "e",
    });
  });

  it("that searched without a match exit as expected, unless any result reports an error", () => {
    const expected = (command: string, ...ends: Parameters<typeof finish>[1][]): boolean[] =>
      build([
        ask("a"),
        start("1", {}, { input: { command } }),
        ...ends.map((end) => finish("1", { status: "failed", exit_code: 1, ...end })),
      ]).tools.map(isExpectedExit);
    const [pending, failure] = [{ status: "pending", exit_code: null } as const, { output: "grep: x: Is a directory" }];
    expect(expected("grep a b", {})).toEqual([true]);
    expect(expected("make", {})).toEqual([false]);
    expect(expected("grep a b", { exit_code: 2 })).toEqual([false]);
    expect(expected("grep a b", failure)).toEqual([false]);
    // An error reported before the end, or reported only once, still counts as an error.
    expect(expected("grep a b", { ...pending, ...failure }, {})).toEqual([false]);
    expect(expected("grep a b", failure, { output: "" })).toEqual([false]);
    // Longer than the part of an input that is kept: the whole command is checked, not its shortened form.
    expect(expected(`cat <<EOF\n${"x\n".repeat(10_000)}EOF\ngrep a b`, {})).toEqual([true]);
  });

  it("take the status of the latest result and keep fields it does not state", () => {
    const story = [
      start("1"),
      finish("1", { status: "failed", exit_code: 3, duration_ms: 8, error: "e" }, { time: 4 }),
      finish("1", { status: "ok" }),
    ];
    expect(build(story).tools[0]).toMatchObject({
      status: "ok",
      exit_code: 3,
      duration_ms: 8,
      error: "e",
      ended_at: 4,
      end_line: 3,
    });
    expect(build([...story, finish("1", { error: null })]).tools[0]?.error).toBeNull();
    expect(build([start("1"), finish("1", { status: "pending" }), ask("b")]).tools[0]).toMatchObject({
      status: "pending",
      settled: false,
      end_line: 2,
    });
  });

  it("are interrupted once no result can follow", () => {
    expect(settled([ask("a"), start("1")])).toEqual(["1 pending 0"]);
    expect(settled([ask("a"), start("1"), ask("b")])).toEqual(["1 interrupted 0"]);
    expect(settled([ask("a"), start("1"), done()])).toEqual(["1 interrupted 0"]);
    expect(settled([start("1"), ask("b"), done()])).toEqual(["1 pending null"]);
    // Only calls of the newest turn are pending, although a turn followed by a queued prompt is open as well.
    expect(settled([ask("a"), start("1"), ask("b", {}, { kind: "queued" })])).toEqual(["1 interrupted 0"]);
    // A result that itself says pending is believed.
    expect(settled([ask("a"), start("1"), finish("1", { status: "pending" }), ask("b")])).toEqual(["1 pending 0"]);
    expect(build([ask("a"), start("1")]).tools[0]?.settled).toBe(false);
  });

  it("are settled by a result that was written before them", () => {
    const story = [ask("a"), finish("1", { status: "failed", exit_code: 2 }, { time: 7 }), start("1", { time: 9 })];
    expect(build(story).tools).toMatchObject([
      { call_id: "1", status: "failed", exit_code: 2, started_at: 9, ended_at: 7, start_line: 3, end_line: 2 },
    ]);
    expect(build(story, { withoutTraces: true }).tools).toMatchObject([{ status: "failed" }]);
    // Only once: a repeated call with the same id is another call.
    expect(settled([...story, start("1")])).toEqual(["1 failed 0", "1 pending 0"]);
    expect(settled([ask("a"), finish("1"), start("2"), ask("b")])).toEqual(["2 interrupted 0"]);
  });

  it("exit as expected only if a search failed with code 1 and no error text", () => {
    const expected = (body: Partial<ToolFinishedBody>, command = "grep -n word file.txt"): boolean => {
      const story = [ask("a"), start("1", {}, { input: { command } }), finish("1", body)];
      return build(story).tools.every(isExpectedExit);
    };
    const failed = { status: "failed", exit_code: 1 } as const;
    expect(expected(failed)).toBe(true);
    expect(expected({ ...failed, output: "" })).toBe(true);
    expect(expected({ ...failed, exit_code: 2 })).toBe(false);
    expect(expected({ ...failed, status: "ok" })).toBe(false);
    expect(expected(failed, "make")).toBe(false);
    expect(expected({ ...failed, output: "grep: file.txt: No such file or directory" })).toBe(false);
    expect(expected({ ...failed, error: "grep: file.txt: No such file or directory" })).toBe(false);
    // Without the input there is no command to check.
    expect(build([start("1", {}, { input: null }), finish("1", failed)]).tools.every(isExpectedExit)).toBe(false);
  });

  it("repeated before a result with the same id and name are one call, otherwise two", () => {
    const again = (name: string): UnplacedEntry => start("1", {}, { name });
    expect(settled([ask("a"), start("1"), again("Bash"), finish("1")])).toEqual(["1 ok 0"]);
    expect(settled([ask("a"), start("1"), again("Other"), finish("1")])).toEqual(["1 pending 0", "1 ok 0"]);
    expect(settled([ask("a"), start("1"), finish("1"), again("Bash")])).toEqual(["1 ok 0", "1 pending 0"]);
  });

  it("made inside a script do not reopen a completed turn", () => {
    const inner = start("2", {}, { parent_call_id: "1" });
    expect(build([ask("a"), say("x"), inner, finish("2"), say("y")]).turns[0]?.outcome).toBe("completed");
    expect(build([ask("a"), done(), inner]).turns[0]?.outcome).toBe("completed");
  });

  it("keep their input, with strings over 16 KiB cut", () => {
    const long = "x".repeat(16 * 1024);
    const inputs = { short: long, long: `${long}yz`, deep: [{ text: `${long}!` }, 7, null, true] };
    const cut = (n: number): string => `${long} …[${n} characters left out]`;
    expect(build([start("1", {}, { input: inputs })]).tools[0]?.input).toEqual({
      short: long,
      long: cut(2),
      deep: [{ text: cut(1) }, 7, null, true],
    });
    expect(build([start("1", {}, { input: inputs })], { toolDetail: false }).tools[0]?.input).toBeNull();
    for (const [input, stored] of [
      [`${long}yz`, cut(2)],
      [
        ["a", `${long}yz`],
        ["a", cut(2)],
      ],
    ])
      expect(build([start("1", {}, { input })]).tools[0]?.input).toEqual(stored);
  });

  it("keep their whole input and result if all tool details are requested", () => {
    const long = "x".repeat(20_000);
    const input = { text: long };
    const again = finish("1", { status: "failed", exit_code: 1, files: [{ path: "f", operation: "created" }] });
    const story = [ask("a"), start("1", {}, { input }), finish("1", { output: long, exit_code: 0 }), again];
    const [call] = build(story, { toolDetail: "whole" }).tools;
    expect(call).toMatchObject({
      input,
      status: "failed",
      answers: null,
      result: { output: long, status: "failed", exit_code: 1, files: [{ path: "f", operation: "created" }] },
    });
    // Also if the result was written first.
    const early = [ask("a"), finish("1", { output: long }), start("1", {}, { input })];
    expect(build(early, { toolDetail: "whole" }).tools[0]?.result?.output).toBe(long);
    expect(build(story).tools[0]).not.toHaveProperty("result");
  });
});
