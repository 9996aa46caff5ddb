import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DaybookError } from "../base/errors.ts";
import { readLog } from "./reader.ts";
import type { RecordBody } from "./record.ts";
import { LogWriter, type NewRecord } from "./writer.ts";

const META: RecordBody = {
  type: "session_meta",
  source: "x",
  kind: "root",
  cwd: null,
  started_at: null,
  agent_version: null,
};
const rec = (body: RecordBody): NewRecord => ({ time: "2026-01-01T00:00:00.000Z", origin: { line: 1 }, body });
const say = (text: string): NewRecord => rec({ type: "reasoning_finished", text });

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "daybook-writer-"));
  path = join(dir, "deep", "s.jsonl");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(...batches: NewRecord[][]): void {
  const writer = LogWriter.open(path, "s", { sync: "never" });
  for (const batch of batches) writer.append(batch);
  writer.close();
}

function caught(run: () => unknown): DaybookError {
  try {
    run();
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("LogWriter", () => {
  it("numbers records without gaps over batches and reopenings, and leaves no lock behind", () => {
    write([rec(META), say("a")], [], [say("b")]);
    const before = readFileSync(path);
    write([say("c")]);
    expect([...readLog(path)].map((r) => r.seq)).toEqual([0, 1, 2, 3]);
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before);
    expect(readdirSync(join(dir, "deep"))).toEqual(["s.jsonl"]);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it("returns the records as written, and the last one on reopening", () => {
    const writer = LogWriter.open(path, "s");
    const written = writer.append([rec(META), say("\u2028 \uD800 ünï\n")]);
    writer.close();
    expect([...readLog(path)]).toEqual(written);
    const reopened = LogWriter.open(path, "s");
    expect(reopened.recovery).toMatchObject({ last: written[1], nextSeq: 2, tornBytes: 0, completed: false });
    reopened.close();
  });

  it("recovers from truncation at any byte of the last batch and moves torn bytes to another file", () => {
    write([rec(META), say("first")]);
    const safe = statSync(path).size;
    write([say("äöü €"), say("two"), say("🙂")]);
    const full = readFileSync(path);
    for (let cut = safe; cut <= full.length; cut++) {
      const truncated = full.subarray(0, cut);
      writeFileSync(path, truncated);
      rmSync(`${path}.torn`, { force: true });
      const newlines = truncated.reduce((n, byte) => n + Number(byte === 0x0a), 0);
      const tail = truncated.subarray(truncated.lastIndexOf(0x0a) + 1);
      const isComplete = full[cut] === 0x0a && tail.length > 0;
      const writer = LogWriter.open(path, "s", { sync: "never" });
      expect(writer.nextSeq).toBe(newlines + Number(isComplete));
      expect(writer.recovery.completed).toBe(isComplete);
      writer.append([say("after")]);
      writer.close();
      const reading = readLog(path);
      expect([...reading].map((r) => r.seq)).toEqual([...Array(newlines + Number(isComplete) + 1).keys()]);
      expect(reading.diagnostics).toEqual([]);
      const end = isComplete ? cut + 1 : cut - tail.length;
      expect(readFileSync(path).subarray(0, end)).toEqual(full.subarray(0, end));
      if (!isComplete && tail.length > 0)
        expect(readFileSync(`${path}.torn`)).toEqual(Buffer.concat([tail, Buffer.from("\n")]));
      else expect(existsSync(`${path}.torn`)).toBe(false);
    }
  });

  it("recovers from truncation at any byte of the first record", () => {
    write([rec(META)]);
    const full = readFileSync(path);
    for (let cut = 0; cut < full.length - 1; cut++) {
      writeFileSync(path, full.subarray(0, cut));
      const writer = LogWriter.open(path, "s", { sync: "never" });
      expect(writer.nextSeq).toBe(0);
      writer.append([rec(META)]);
      writer.close();
      expect(readFileSync(path)).toEqual(full);
    }
  });

  it("appends after damaged lines and zero bytes without changing them", () => {
    write([rec(META), say("a".repeat(200_000))]);
    appendFileSync(
      path,
      Buffer.concat([Buffer.from("{broken\n"), Buffer.alloc(4096), Buffer.from("\n"), Buffer.alloc(100)]),
    );
    const before = readFileSync(path);
    write([say("b")]);
    const reading = readLog(path);
    expect([...reading].map((r) => r.seq)).toEqual([0, 1, 2]);
    expect(reading.counts).toEqual({ line_corrupt: 2 });
    expect(readFileSync(path).subarray(0, before.length - 100)).toEqual(before.subarray(0, -100));
    expect(statSync(`${path}.torn`).size).toBe(101);
  });

  it("continues after a record of an unknown type or with an invalid body", () => {
    write([rec(META)]);
    appendFileSync(path, `{"schema_version":1,"seq":1,"time":null,"type":"later","session_id":"s","origin":{}}\n`);
    write([say("b")]);
    const invalid = { type: "reasoning_finished", text: 5, session_id: "s", origin: {} };
    appendFileSync(path, `${JSON.stringify({ schema_version: 1, seq: 3, time: null, ...invalid })}\n`);
    write([say("c")]);
    const reading = readLog(path);
    expect([...reading].map((r) => r.seq)).toEqual([0, 2, 4]);
    expect(reading.counts).toEqual({ type_unknown: 1, record_invalid: 1 });
  });

  it("refuses a log of another session or of a later version, and files that are not logs", () => {
    write([rec(META)]);
    expect(caught(() => LogWriter.open(path, "other")).message).toContain("belongs to session s");
    appendFileSync(path, `{"schema_version":2,"seq":1,"session_id":"s"}\n`);
    expect(caught(() => LogWriter.open(path, "s")).message).toContain("schema version 2");
    for (const text of ["hello\n", "hello", "{}", "{}\n"]) {
      writeFileSync(path, text);
      expect(caught(() => LogWriter.open(path, "s")).code).toBe("invalid");
      expect(readFileSync(path, "utf8")).toBe(text);
    }
    expect(caught(() => LogWriter.open(`${path}.zst`, "s")).code).toBe("usage");
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("refuses an invalid record before anything of its batch is written", () => {
    write([rec(META)]);
    const before = readFileSync(path);
    const writer = LogWriter.open(path, "s");
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const bad: unknown[] = [
      rec({ type: "unreadable", reason: "x", bytes: Number.NaN, hint: "" }),
      rec({ type: "tool_started", call_id: "c", name: "n", input: undefined }),
      rec({ type: "tool_started", call_id: "c", name: "n", input: cycle }),
      { ...say("x"), time: "yesterday" },
      rec({ type: "reasoning_finished", text: "x", seq: 9 } as RecordBody),
      rec({ type: "nonsense" } as unknown as RecordBody),
    ];
    for (const one of bad) expect(caught(() => writer.append([say("good"), one as NewRecord])).code).toBe("invalid");
    expect(readFileSync(path)).toEqual(before);
    expect(writer.append([say("good")])[0]?.seq).toBe(1);
    writer.close();
    expect(caught(() => writer.append([say("late")])).message).toContain("closed");
  });

  it("refuses a first record other than session_meta", () => {
    const writer = LogWriter.open(path, "s");
    expect(caught(() => writer.append([say("x")])).message).toContain("begins with session_meta");
    writer.close();
  });

  it("stops if another program changes or removes the file", () => {
    const writer = LogWriter.open(path, "s");
    writer.append([rec(META)]);
    appendFileSync(path, "x");
    expect(caught(() => writer.append([say("x")])).message).toContain("changed by somebody else");
    expect(caught(() => writer.append([say("x")])).message).toContain("broken");
    writer.close();
    const second = LogWriter.open(path, "s");
    expect(second.recovery.tornBytes).toBe(1);
    rmSync(path);
    expect(() => second.append([say("x")])).toThrow(DaybookError);
    second.close();
  });
});
