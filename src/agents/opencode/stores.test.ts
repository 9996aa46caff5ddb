import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../base/io/sqlite.ts";
import { opencode } from "./source.ts";
import { readSession } from "./read.ts";
import { bodies, prompts } from "../kit/testing.ts";
import {
  assistant,
  createTables,
  discover,
  FIXTURE,
  insertMessage,
  insertSession,
  insertV2,
  makeDatabase,
  readRef,
  scratch,
  T0,
  text,
  tokens,
  user,
  writeTree,
} from "./testing.ts";

const info = (id: string, extra = {}) => ({
  id,
  directory: "/w",
  title: "A title",
  version: "0.9.1",
  time: { created: T0, updated: T0 },
  ...extra,
});

/** A session in the layout of 0.6 to 1.1. */
function fileStore(root: string, id: string): string {
  return writeTree(root, {
    [`storage/session/proj/${id}.json`]: info(id),
    [`storage/message/${id}/msg_1.json`]: { id: "msg_1", sessionID: id, ...user(0) },
    [`storage/message/${id}/msg_2.json`]: { id: "msg_2", sessionID: id, ...assistant(10, { tokens: tokens(3, 4) }) },
    [`storage/part/msg_1/prt_1.json`]: { id: "prt_1", messageID: "msg_1", sessionID: id, ...text("from files") },
    [`storage/part/msg_2/prt_2.json`]: { id: "prt_2", messageID: "msg_2", sessionID: id, ...text("answer") },
    [`storage/session_diff/${id}.json`]: [],
  });
}

describe("stores before SQLite", () => {
  it("reads session, messages and parts from files", () => {
    const { refs, diagnostics } = discover([fileStore(scratch(), "ses_a")]);
    expect(diagnostics).toEqual([]);
    expect(refs).toMatchObject([{ key: "ses_a", container: "json" }]);
    const entries = refs.flatMap((ref) => readRef(ref));
    expect(entries.map((entry) => entry.native)).toEqual([
      "session",
      "message/user",
      "part/text",
      "message/assistant",
      "part/text",
    ]);
    expect(prompts(entries)).toEqual(["prompt: from files"]);
    expect(bodies(entries, "usage")[0]?.output_tokens).toBe(4);
    expect(bodies(entries, "session_meta")[0]?.title).toBe("A title");
    expect(refs.every((ref) => opencode.recognises(ref))).toBe(true);
  });

  it("changes the stamp if a part was rewritten", () => {
    const root = fileStore(scratch(), "ses_a");
    const before = discover([root]).refs[0]?.stamp;
    writeTree(root, { "storage/part/msg_2/prt_2.json": text("a longer answer") });
    expect(discover([root]).refs[0]?.stamp).not.toBe(before);
  });

  it("reads the first layout, where a message holds its own parts", () => {
    const call = { state: "result", toolCallId: "c1", toolName: "bash", args: { command: "ls" }, result: "a.txt" };
    const root = writeTree(scratch(), {
      "project/home-w/storage/session/info/ses_o.json": info("ses_o"),
      "project/home-w/storage/session/message/ses_o/msg_1.json": {
        id: "msg_1",
        role: "user",
        parts: [text("very old")],
        metadata: { time: { created: T0 }, sessionID: "ses_o", tool: {} },
      },
      "project/home-w/storage/session/message/ses_o/msg_2.json": {
        id: "msg_2",
        role: "assistant",
        parts: [{ type: "step-start" }, { type: "tool-invocation", toolInvocation: call }, text("listed")],
        metadata: {
          time: { created: T0 + 10, completed: T0 + 20 },
          tool: { c1: { title: "ls", time: { start: T0 + 11, end: T0 + 13 } } },
          assistant: { modelID: "m", providerID: "p", path: { cwd: "/w", root: "/w" }, cost: 0, tokens: tokens(5, 6) },
        },
      },
    });
    for (const roots of [[root], null]) {
      const data = join(scratch(), "opencode");
      cpSync(root, data, { recursive: true });
      const { refs } = discover(roots, { env: { XDG_DATA_HOME: join(data, "..") } });
      const entries = refs.flatMap((ref) => readRef(ref));
      expect(entries.map((entry) => entry.class)).toEqual(["session", "trigger", "reaction"]);
      expect(prompts(entries)).toEqual(["prompt: very old"]);
      expect(bodies(entries, "tool_finished")).toMatchObject([{ call_id: "c1", status: "ok", duration_ms: 2 }]);
      expect(bodies(entries, "usage")).toMatchObject([{ input_tokens: 5, output_tokens: 6, model: "m" }]);
      expect(bodies(entries, "assistant_finished").at(-1)?.turn_ended).toBe(true);
    }
  });

  it("reads an export", () => {
    const root = scratch();
    const path = join(root, "out.json");
    const messages = [{ info: { id: "msg_1", ...user(0) }, parts: [text("exported")] }];
    writeTree(root, { "out.json": { info: info("ses_e"), messages } });
    const { refs } = discover([path]);
    expect(refs.map((ref) => opencode.sessionId(ref))).toEqual(["ses_e"]);
    expect(prompts(refs.flatMap((ref) => readRef(ref)))).toEqual(["prompt: exported"]);
  });

  it("reports malformed files and reads the other messages", () => {
    const root = fileStore(scratch(), "ses_a");
    writeTree(root, { "storage/session/proj/ses_a.json": "{", "storage/part/msg_2/prt_2.json": "\0\0" });
    const entries = discover([root]).refs.flatMap((ref) => readRef(ref));
    expect(entries.map((entry) => entry.class)).toEqual(["corrupt", "trigger", "reaction", "reaction", "corrupt"]);
  });
});

describe("discovery", () => {
  it("prefers the database if both stores have a session, and reports the duplicate", () => {
    const root = fileStore(scratch(), "ses_a");
    fileStore(root, "ses_b");
    makeDatabase(
      [{ id: "ses_a", messages: [{ data: user(0), parts: [text("from the database")] }] }],
      join(root, "opencode.db"),
    );
    const { refs, diagnostics } = discover([root]);
    expect(refs.map((ref) => [ref.key, ref.container])).toEqual([
      ["ses_a", "sqlite"],
      ["ses_b", "json"],
    ]);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(["file_duplicate"]);
  });

  it("finds databases of release channels and the one OPENCODE_DB names", () => {
    const home = scratch();
    const data = join(home, ".local/share/opencode");
    makeDatabase([{ id: "ses_a", messages: [] }], join(data, "opencode.db"));
    makeDatabase([{ id: "ses_b", messages: [] }], join(data, "opencode-dev.db"));
    const elsewhere = makeDatabase([{ id: "ses_c", messages: [] }], join(scratch(), "mine.sqlite"));
    const { refs, diagnostics } = discover(null, { home, env: { OPENCODE_DB: elsewhere } });
    expect(refs.map((ref) => ref.key).toSorted((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1))).toEqual([
      "ses_a",
      "ses_b",
      "ses_c",
    ]);
    expect(diagnostics).toEqual([]);
    expect(discover(null, { home, env: { OPENCODE_DB: ":memory:" } }).refs).toHaveLength(2);
  });

  it("prefers the newer of two databases with the same session", () => {
    const root = scratch();
    makeDatabase([{ id: "ses_a", messages: [] }], join(root, "opencode.db"));
    makeDatabase([{ id: "ses_a", messages: [{ data: user(5), parts: [] }] }], join(root, "opencode-dev.db"));
    const { refs, diagnostics } = discover([root]);
    expect(refs.map((ref) => ref.path)).toEqual([join(root, "opencode-dev.db")]);
    expect(diagnostics[0]?.code).toBe("file_duplicate");
  });

  it("reports missing roots and files of other programs", () => {
    const root = writeTree(scratch(), { "a.json": { hello: 1 }, "b.db": "text" });
    const codes = discover([join(root, "none"), join(root, "a.json"), join(root, "b.db")]).diagnostics.map(
      ({ code }) => code,
    );
    expect(codes).toEqual(["root_missing", "file_foreign", "file_foreign"]);
  });
});

describe("reading the database of a running agent", () => {
  it("finds rows that are only in the WAL, and a new stamp after more rows", () => {
    const path = join(scratch(), "opencode.db");
    const db = openDatabase(path);
    db.exec("PRAGMA journal_mode = WAL");
    createTables(db);
    insertSession(db, { id: "ses_1", messages: [{ id: "u", data: user(0), parts: [text("live")] }] });
    expect(existsSync(`${path}-wal`)).toBe(true);
    const [before] = discover([path]).refs;
    if (!before) throw new Error("no session");
    const reading = readSession(before, null, { detail: "full" });
    expect(prompts([...reading])).toEqual(["prompt: live"]);
    insertMessage(db, "ses_1", { id: "v", data: assistant(10, { parentID: "u" }), parts: [text("done")] }, 1);
    const [after] = discover([path]).refs;
    expect(after?.stamp).not.toBe(before.stamp);
    // The prompt was the last row and tentative, so it is read again with the rows after it.
    expect(readRef(before, {}, reading.cursor()).map((entry) => entry.line)).toEqual([2, 3, 4, 5]);
    db.close();
  });

  it("yields a new title with the next rows", () => {
    const path = makeDatabase([{ id: "ses_1", messages: [{ id: "u", data: user(0), parts: [text("hi")] }] }]);
    const [ref] = discover([path]).refs;
    if (!ref) throw new Error("no session");
    const reading = readSession(ref, null, { detail: "full" });
    for (const entry of reading) if (entry.line === 1) break;
    const db = openDatabase(path);
    db.exec("UPDATE session SET title = 'Named'");
    db.close();
    expect(bodies(readRef(ref, {}, reading.cursor()), "session_renamed")).toMatchObject([{ title: "Named" }]);
  });

  it("creates no files beside a closed database, and leaves it unchanged", () => {
    const root = scratch();
    mkdirSync(join(root, "s"));
    cpSync(FIXTURE, join(root, "s", "opencode.db"));
    for (const ref of discover([join(root, "s")]).refs) readRef(ref);
    expect(readdirSync(join(root, "s"))).toEqual(["opencode.db"]);
    expect(readFileSync(join(root, "s", "opencode.db")).equals(readFileSync(FIXTURE))).toBe(true);
  });
});

describe("the v2 projection", () => {
  it("is read for sessions that have no other rows", () => {
    const path = makeDatabase([{ id: "ses_v", messages: [] }]);
    const db = openDatabase(path);
    const rows: [string, unknown][] = [
      ["model-switched", { model: { id: "m2", providerID: "p" }, time: { created: T0 } }],
      ["user", { text: "go", time: { created: T0 + 1 } }],
      [
        "assistant",
        {
          model: { id: "m2", providerID: "p" },
          content: [
            { type: "text", text: "looking" },
            {
              type: "tool",
              id: "c1",
              name: "bash",
              state: { status: "completed", input: {}, content: [{ type: "text", text: "out" }] },
              time: { created: 1, ran: 2, completed: 5 },
            },
          ],
          finish: "stop",
          tokens: tokens(3, 4, 1),
          time: { created: T0 + 2, completed: T0 + 9 },
        },
      ],
      ["synthetic", { text: "reminder", time: { created: T0 + 10 } }],
      ["shell", { callID: "s1", command: "pwd", output: "/w", time: { created: T0 + 20, completed: T0 + 30 } }],
      ["compaction", { reason: "auto", summary: "short", time: { created: T0 + 40 } }],
      ["telepathy", { time: { created: T0 + 50 } }],
    ];
    insertV2(db, "ses_v", rows);
    db.close();
    const entries = discover([path]).refs.flatMap((ref) => readRef(ref));
    expect(entries.map((entry) => entry.class)).toEqual([
      "session",
      "setup",
      "trigger",
      "reaction",
      "reaction",
      "trigger",
      "reaction",
      "unknown",
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "shell: !pwd"]);
    expect(bodies(entries, "tool_finished").map((body) => [body.call_id, body.status, body.output])).toEqual([
      ["c1", "ok", "out"],
      ["s1", "ok", "/w"],
    ]);
    expect(bodies(entries, "usage")).toMatchObject([{ output_tokens: 5, model: "m2" }]);
    expect(bodies(entries, "compacted")).toMatchObject([{ trigger: "auto", summary: "short" }]);
  });
});
