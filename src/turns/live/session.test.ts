import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { followSession } from "./follow.ts";
import { logPath } from "../../record/log-path.ts";
import { listSessions } from "./listing.ts";
import type { LogRecord } from "../../record/record.ts";
import { openSession, type OpenSession } from "./session.ts";

const META = { source: "my-agent", cwd: "/repo", agent_version: "1.0" };

function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-session-"));
}

/** A clock that advances by a second with every call. */
function clock(): () => number {
  let now = Date.UTC(2026, 4, 11, 16);
  return () => (now += 1000);
}

function begin(dir = scratch(), id = "s"): OpenSession {
  return openSession(dir, id, { now: clock(), sync: "never", meta: META });
}

function turn(session: OpenSession, id: string, text: string, answer: string): void {
  session.append(id, { type: "user", text });
  session.append(
    id,
    { type: "tool_started", call_id: `${id}-c`, name: "ls", input: {} },
    { type: "tool_finished", call_id: `${id}-c`, status: "ok", output: "a b" },
    {
      type: "assistant_finished",
      message_id: `${id}-m`,
      text: answer,
      turn_ended: true,
      usage: { input: 10, output: 2 },
    },
  );
}

function texts(session: OpenSession): string[] {
  return session.state.messages.flatMap((one) => ("text" in one ? [one.text] : [`${one.role} ${one.call_id}`]));
}

describe("an open session", () => {
  it("provides its messages in order, pending calls, settings and open turns", () => {
    const session = begin();
    session.append(null, { type: "context", model: "m-1", sources: [{ kind: "instructions", error: "no such file" }] });
    session.append("t1", { type: "user", text: "look" }, { type: "user", author: "source", text: "it is monday" });
    session.append("t1", { type: "reasoning_finished", text: "hm" });
    session.append("t1", { type: "tool_started", call_id: "c", name: "ls", input: { dir: "." } });
    const { messages, tools, context, turns } = session.state;
    expect(messages).toMatchObject([
      { role: "user", author: "human", text: "look" },
      { role: "user", author: "source", text: "it is monday" },
      { role: "reasoning", text: "hm" },
      { role: "tool_call", call_id: "c", name: "ls", input: { dir: "." } },
    ]);
    expect(tools).toMatchObject([{ call_id: "c", status: "pending", settled: false }]);
    expect(context).toMatchObject({ model: "m-1", sources: [{ kind: "instructions", error: "no such file" }] });
    expect(turns).toMatchObject([{ turn_id: "t1", outcome: "open" }]);
    session.close();
  });

  it("begins its messages with the summary after a compaction", () => {
    const session = begin();
    turn(session, "t1", "one", "first");
    session.append("t2", { type: "compacted", trigger: "auto", summary: "so far", retained: ["one"] });
    turn(session, "t2", "two", "second");
    expect(session.state.messages[0]).toEqual({ role: "summary", seq: 5, text: "so far", retained: ["one"] });
    expect(texts(session)).toEqual(["so far", "two", "tool_call t2-c", "tool_result t2-c", "second"]);
    session.close();
  });

  it("continues after a crash without the torn line", () => {
    const dir = scratch();
    const session = begin(dir);
    turn(session, "t1", "one", "first");
    const before = session.state;
    session.close();
    appendFileSync(session.path, `{"schema_version":1,"seq":5,"ti`);
    const reopened = openSession(dir, "s", { now: clock(), sync: "never" });
    expect(reopened.recovery.tornBytes).toBe(31);
    expect(reopened.state).toEqual(before);
    turn(reopened, "t2", "two", "second");
    expect(reopened.state.turns.map(({ turn_id, outcome }) => [turn_id, outcome])).toEqual([
      ["t1", "completed"],
      ["t2", "completed"],
    ]);
    reopened.close();
  });

  it("names a damaged line, and the turn whose end it may have been", () => {
    const dir = scratch();
    const session = begin(dir);
    turn(session, "t1", "one", "first");
    const damaged = session.nextSeq - 1;
    turn(session, "t2", "two", "second");
    expect([session.diagnostics, session.state.turns.map(({ outcome_detail }) => outcome_detail)]).toEqual([
      [],
      [null, null],
    ]);
    session.close();
    const lines = readFileSync(session.path, "utf8").split("\n");
    lines[damaged] = `${lines[damaged]?.slice(0, 40)}\0\0`;
    writeFileSync(session.path, lines.join("\n"));
    const reopened = openSession(dir, "s", { now: clock(), sync: "never" });
    const why = `record ${damaged} is missing: its end may have been there`;
    expect(reopened.diagnostics).toMatchObject([
      { code: "line_corrupt", line: damaged + 1, path: session.path },
      { code: "seq_gap", line: damaged + 2, missing: { from: damaged, to: damaged } },
    ]);
    const ends = (): unknown[] =>
      reopened.state.turns.map(({ outcome, outcome_stated, outcome_detail }) => [
        outcome,
        outcome_stated,
        outcome_detail,
      ]);
    expect(ends()).toEqual([
      ["aborted", false, why],
      ["completed", true, null],
    ]);
    turn(reopened, "t3", "three", "third");
    expect(ends()).toHaveLength(3);
    reopened.close();
    expect(listSessions(dir)).toMatchObject([{ session_id: "s", turns: 3, problems: 2 }]);
    const parent = openSession(dir, "s");
    const fork = parent.fork("f");
    parent.close();
    expect(fork.diagnostics.map(({ code }) => code)).toEqual(["line_corrupt", "seq_gap"]);
    expect(fork.state.turns[0]?.outcome_detail).toBe(why);
    fork.close();
  });

  it("can be reopened if its log has a record out of order", () => {
    const dir = scratch();
    const head = { schema_version: 1, time: null, session_id: "s" };
    const rows = [
      { ...head, seq: 0, type: "session_meta" },
      { ...head, seq: 2, type: "user", turn_id: "t", text: "go" },
      { ...head, seq: 1, type: "context", model: "late" },
    ];
    writeFileSync(logPath(dir, "s"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const session = openSession(dir, "s");
    expect([session.state.records, session.state.turns.length]).toEqual([2, 1]);
    session.close();
  });

  it("has the same state while it is written as after reopening", () => {
    const dir = scratch();
    const session = begin(dir);
    expect(session.state.turns).toEqual([]);
    turn(session, "t1", "one", "first");
    session.rename("Ones");
    const current = session.state;
    session.close();
    const reopened = openSession(dir, "s");
    expect(reopened.state).toEqual(current);
    reopened.close();
  });

  it("cannot be opened while another writer has it open", () => {
    const dir = scratch();
    const session = begin(dir);
    expect(() => openSession(dir, "s")).toThrow("is being written by process");
    session.close();
  });

  it("rewinds turns, which stay listed and counted", () => {
    const session = begin();
    for (const n of [1, 2, 3]) turn(session, `t${n}`, `ask ${n}`, `say ${n}`);
    session.rewind("t2");
    turn(session, "t4", "ask 4", "say 4");
    expect(texts(session).filter((text) => !text.startsWith("tool"))).toEqual(["ask 1", "say 1", "ask 4", "say 4"]);
    const { turns, usage } = session.state;
    expect(turns.map(({ taken_back }) => taken_back)).toEqual([null, "rewound", "rewound", null]);
    expect(usage.totals.output_tokens).toBe(8);
    expect(() => session.rewind("t2")).toThrow("there is no turn t2");
    session.close();
  });

  it("can be renamed, archived and unarchived", () => {
    const session = begin();
    session.rename("Mine");
    session.rename("Its own", "agent");
    session.archive();
    expect(session.state).toMatchObject({ title: "Mine", archived: true });
    session.unarchive();
    expect(session.state.archived).toBe(false);
    session.close();
  });

  it("stores equal attachments once, and returns none whose file was changed", () => {
    const session = begin();
    const picture = session.attach(Buffer.from("PNG"), "image/png", "a.png");
    expect(session.attach(Buffer.from("PNG"), "image/png")).toEqual({ ...picture, name: null });
    session.append("t1", { type: "user", text: "see", attachments: 1, attached: [picture] });
    expect(session.state.messages[0]).toMatchObject({ attached: [picture] });
    expect(Buffer.from(session.attachment(picture) ?? []).toString()).toBe("PNG");
    expect(readdirSync(join(session.dir, "attachments"))).toEqual([picture.hash]);
    writeFileSync(join(session.dir, "attachments", picture.hash), "changed");
    expect(session.attachment(picture)).toBeNull();
    session.close();
  });

  it("notifies subscribers until they unsubscribe", () => {
    const session = begin();
    const received: string[] = [];
    const stop = session.subscribe(({ type }) => void received.push(type));
    session.append(null, { type: "context", model: "m" });
    stop();
    session.append(null, { type: "context", model: "n" });
    expect(received).toEqual(["context"]);
    session.close();
  });

  it("may have any id, without special characters in its file name", () => {
    const dir = scratch();
    for (const id of ["../up", ".hidden", "a/b", "天気", "x*?"]) {
      const session = begin(dir, id);
      expect(join(dir, session.path.slice(dir.length + 1))).toBe(session.path);
      expect(session.path.slice(dir.length + 1)).not.toMatch(/^\.|[/*?]/);
      session.close();
    }
    expect(listSessions(dir).map(({ session_id }) => session_id)).toHaveLength(5);
  });
});

describe("a fork", () => {
  it("continues from a record of its parent without copying records", () => {
    const session = begin();
    turn(session, "t1", "one", "first");
    const point = session.nextSeq - 1;
    turn(session, "t2", "two", "second");
    const fork = session.fork("f", point, { sync: "never" });
    expect(readFileSync(fork.path, "utf8").trim().split("\n")).toHaveLength(1);
    turn(fork, "t3", "three", "third");
    const spoken = (one: OpenSession): string[] => texts(one).filter((text) => !text.startsWith("tool"));
    expect(spoken(fork)).toEqual(["one", "first", "three", "third"]);
    expect(spoken(session)).toEqual(["one", "first", "two", "second"]);
    expect(fork.state).toMatchObject({ session_id: "f", meta: { forked_from: "s", forked_at: point, cwd: "/repo" } });
    const header = readFileSync(fork.path, "utf8").split("\n")[0] ?? "";
    expect(fork.state.meta?.started_at).toBe((JSON.parse(header) as { started_at: string }).started_at);
    // Usage of the parent counts for the parent only.
    expect(fork.state.usage.totals.output_tokens).toBe(2);
    const second = fork.fork("g", undefined, { sync: "never" });
    expect(spoken(second)).toEqual(["one", "first", "three", "third"]);
    second.rewind("t1");
    expect(spoken(second)).toEqual([]);
    for (const one of [session, fork, second]) one.close();
  });

  it("rewinds by its own record numbers, not by those of its parent", () => {
    const session = begin();
    turn(session, "t1", "one", "first");
    const fork = session.fork("f", undefined, { sync: "never" });
    turn(fork, "t2", "two", "second");
    turn(fork, "t3", "three", "third");
    const prompts = fork.state.turns.map(({ turn_id, first_seq }) => [turn_id, first_seq]);
    // The header is the fork's record 0 and its first request record 1; all records of its parent come before.
    expect(prompts).toEqual([
      ["t1", 1],
      ["t2", 6],
      ["t3", 10],
    ]);
    fork.append(null, { type: "cancelled", reason: "rewound", from_seq: 5 });
    const takenBack = (one: OpenSession): (string | null)[] => one.state.turns.map(({ taken_back }) => taken_back);
    expect(takenBack(fork)).toEqual([null, null, "rewound"]);
    fork.close();
    const reopened = openSession(session.dir, "f");
    expect(takenBack(reopened)).toEqual([null, null, "rewound"]);
    for (const one of [session, reopened]) one.close();
  });

  it("reports that its parent is missing", () => {
    const session = begin();
    turn(session, "t1", "one", "first");
    const fork = session.fork("f", undefined, { sync: "never" });
    expect(fork.missingParent).toBeNull();
    fork.close();
    session.close();
    rmSync(logPath(session.dir, "s"));
    const reopened = openSession(session.dir, "f");
    expect([reopened.missingParent, texts(reopened)]).toEqual(["s", []]);
    reopened.close();
  });

  it("cannot begin at a missing record or use an existing id", () => {
    const session = begin();
    expect(() => session.fork("f", 9)).toThrow("no record 9");
    expect(() => session.fork("s", 0)).toThrow("is there already");
    session.close();
  });
});

describe("followSession", () => {
  it("yields the records from a given one on, once their lines are complete", async () => {
    const session = begin();
    const stop = new AbortController();
    const received: LogRecord[] = [];
    const following = (async () => {
      for await (const record of followSession(session.dir, "s", { from: 1, every: 5, signal: stop.signal })) {
        received.push(record);
        if (received.length === 1) {
          // Half a line first: a reader must not read it as a record.
          const line = JSON.stringify({ ...record, seq: 2, text: "two" });
          appendFileSync(session.path, line.slice(0, 30));
          setTimeout(() => appendFileSync(session.path, `${line.slice(30)}\n`), 20);
        } else stop.abort();
      }
    })();
    session.append("t1", { type: "user", text: "one" });
    await following;
    expect(received.map((record) => [record.seq, record.type === "user" && record.text])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
    session.close();
  });
});

describe("listSessions", () => {
  it("lists the logs from an index, which is updated if a log changes or the index is damaged", () => {
    const dir = scratch();
    const [a, b] = [begin(dir, "a"), begin(dir, "b")];
    turn(a, "t1", "one", "first");
    a.rename("A");
    const listed = listSessions(dir);
    expect(listed.map(({ session_id, title, turns }) => [session_id, title, turns])).toEqual([
      ["b", null, 0],
      ["a", "A", 1],
    ]);
    const index = statSync(join(dir, "sessions.index")).mtimeMs;
    expect(listSessions(dir)).toEqual(listed);
    expect(statSync(join(dir, "sessions.index")).mtimeMs).toBe(index);
    b.archive();
    expect(listSessions(dir).find(({ session_id }) => session_id === "b")?.archived).toBe(true);
    writeFileSync(join(dir, "sessions.index"), "torn");
    expect(listSessions(dir)).toHaveLength(2);
    for (const one of [a, b]) one.close();
  });
});
