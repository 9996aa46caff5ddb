import { appendFileSync, cpSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../base/io/sqlite.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import { goose } from "./source.ts";
import {
  FIXTURE,
  T0,
  createTables,
  discover,
  insertMessage,
  insertSession,
  makeDatabase,
  readRef,
  says,
  scratch,
  text,
  writeLines,
} from "./testing.ts";

const header = {
  working_dir: "/w",
  description: "An old one",
  message_count: 2,
  total_tokens: 5,
  accumulated_input_tokens: 20,
  accumulated_output_tokens: 9,
};
const line = (role: string, words: string, at: number) => ({ role, created: T0 + at, content: [text(words)] });

describe("old session files", () => {
  it("are read as a header and one message per line", () => {
    const path = writeLines(join(scratch(), "20250401_101010.jsonl"), [
      header,
      line("user", "hi", 0),
      line("assistant", "hello", 2),
    ]);
    const { refs } = discover([path]);
    expect(refs.map((ref) => [goose.sessionId(ref), ref.container, goose.recognises(ref)])).toEqual([
      ["20250401_101010", "jsonl", true],
    ]);
    const entries = refs.flatMap((ref) => readRef(ref));
    expect(entries.map((entry) => [entry.line, entry.class])).toEqual([
      [1, "session"],
      [2, "trigger"],
      [3, "reaction"],
    ]);
    expect(prompts(entries)).toEqual(["prompt: hi"]);
    expect(bodies(entries, "usage")).toMatchObject([
      { response_id: "goose/20250401_101010", input_tokens: 20, output_tokens: 9 },
    ]);
    expect(bodies(entries, "session_renamed")).toMatchObject([{ title: "An old one" }]);
  });

  it("are read without a header and with malformed lines, and can be resumed anywhere", () => {
    const path = writeLines(join(scratch(), "a.jsonl"), [
      line("user", "hi", 0),
      "{bad",
      line("assistant", "hello", 2),
      { odd: 1 },
    ]);
    const [ref] = discover([path]).refs;
    if (!ref) throw new Error("no session");
    const whole = readRef(ref);
    expect(whole.map((entry) => entry.class)).toEqual(["trigger", "corrupt", "reaction", "corrupt"]);
    for (let stop = 1; stop <= whole.length; stop++) {
      const reading = readSession(ref, null, { detail: "full" });
      for (const entry of reading) if (entry.line === stop) break;
      expect([...whole.slice(0, stop), ...readRef(ref, {}, reading.cursor())]).toEqual(whole);
    }
  });

  it("are read again at an incomplete last line once it is complete", () => {
    const path = writeLines(join(scratch(), "a.jsonl"), [header, line("user", "hi", 0)]);
    appendFileSync(path, '{"role":"assist');
    const [ref] = discover([path]).refs;
    if (!ref) throw new Error("no session");
    const reading = readSession(ref, null, { detail: "full" });
    expect([...reading].map((entry) => [entry.class, entry.tentative])).toEqual([
      ["session", false],
      ["trigger", false],
      ["corrupt", true],
    ]);
    appendFileSync(path, 'ant","created":1780000002,"content":[]}\n');
    expect(readRef(ref, {}, reading.cursor()).map((entry) => [entry.line, entry.class])).toEqual([[3, "reaction"]]);
  });

  it("are ignored if the database beside them has the session", () => {
    const directory = join(scratch(), "sessions");
    makeDatabase([{ id: "20250401_101010", messages: [] }], 13, join(directory, "sessions.db"));
    writeLines(join(directory, "20250401_101010.jsonl"), [header]);
    writeLines(join(directory, "20250402_101010.jsonl"), [header, line("user", "left over", 0)]);
    const { refs, diagnostics } = discover([directory]);
    expect(refs.map((ref) => goose.sessionId(ref))).toEqual(["20250402_101010", "20250401_101010"]);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(["file_duplicate"]);
  });
});

const found = (env: Record<string, string>, home = "/nowhere") =>
  discover(null, { env, home }).refs.map((ref) => ref.key);
const codes = (roots: string[]) => discover(roots).diagnostics.map((diagnostic) => diagnostic.code);

describe("discovery", () => {
  it("uses Goose's environment variables and default directories", () => {
    const root = scratch();
    makeDatabase([{ id: "a", messages: [] }], 17, join(root, "data/sessions/sessions.db"));
    makeDatabase([{ id: "b", messages: [] }], 17, join(root, "goose/sessions/sessions.db"));
    makeDatabase([{ id: "c", messages: [] }], 17, join(root, ".local/share/goose/sessions/sessions.db"));
    makeDatabase([{ id: "d", messages: [] }], 17, join(root, "Block/goose/data/sessions/sessions.db"));
    expect(found({ GOOSE_PATH_ROOT: root })).toEqual(["a"]);
    expect(found({ XDG_DATA_HOME: root })).toEqual(["b"]);
    expect(found({}, root)).toEqual(["c"]);
    expect(found({ APPDATA: root })).toEqual(["d"]);
  });

  it("reports missing and foreign roots, but not foreign files within a root", () => {
    const root = scratch();
    writeLines(join(root, "other.jsonl"), [{ type: "session_meta", payload: {} }]);
    expect(codes([join(root, "none")])).toEqual(["root_missing"]);
    expect(codes([join(root, "other.jsonl")])).toEqual(["file_foreign"]);
    expect(discover([root])).toEqual({ refs: [], diagnostics: [] });
  });
});

describe("reading the database of a running agent", () => {
  it("finds rows that are only in the WAL, and later changes", () => {
    const path = join(scratch(), "sessions.db");
    const db = openDatabase(path);
    db.exec("PRAGMA journal_mode = WAL");
    createTables(db, 17);
    insertSession(db, { id: "s", messages: [{ content: [text("live")] }] });
    const [before] = discover([path]).refs;
    if (!before) throw new Error("no session");
    const reading = readSession(before, null, { detail: "full" });
    expect(prompts([...reading])).toEqual(["prompt: live"]);
    insertMessage(db, "s", says("done"), 1);
    db.exec("UPDATE sessions SET accumulated_input_tokens = 7, accumulated_output_tokens = 3, name = 'Named'");
    expect(discover([path]).refs[0]?.stamp).not.toBe(before.stamp);
    const rest = readRef(before, {}, reading.cursor());
    expect(rest.map((entry) => entry.line)).toEqual([2, 3]);
    expect(bodies(rest, "usage")).toMatchObject([{ output_tokens: 3 }]);
    expect(bodies(rest, "session_renamed")).toMatchObject([{ title: "Named" }]);
    db.close();
  });

  it("creates no files beside a closed database, and leaves it unchanged", () => {
    const root = join(scratch(), "g");
    cpSync(FIXTURE, root, { recursive: true });
    const before = statSync(join(root, "sessions/sessions.db")).mtimeMs;
    for (const ref of discover([root]).refs) readRef(ref);
    expect(readdirSync(join(root, "sessions"))).toEqual(["sessions.db"]);
    expect(statSync(join(root, "sessions/sessions.db")).mtimeMs).toBe(before);
  });
});
