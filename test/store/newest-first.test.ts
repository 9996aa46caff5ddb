import { cpSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { Daybook, type DaybookOptions, inside } from "../../src/answers/daybook.ts";
import { fileTimes } from "../../src/agents/kit/sniff.ts";
import type { DayReport } from "../../src/answers/report/model.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { cases } from "../nightly.ts";
import { DAYS } from "../report/month.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));
const ROOTS = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };

/** With `readFirst: 0`, a report reads only the files it needs, however little is new. */
function open(book: string, more: DaybookOptions = {}): Daybook {
  const options = { roots: ROOTS, env: {}, home: "/nowhere", now: Date.UTC(2026, 11, 31), timezone: "Europe/Berlin" };
  return new Daybook({ ...options, book, readFirst: 0, ...more });
}

function filesIn(book: string): { path: string; size: number }[] {
  const store = IndexStore.openExisting(book);
  const files = store?.files().map(({ ref: { path, size } }) => ({ path, size })) ?? [];
  store?.close();
  return files;
}

const bytes = (files: readonly { size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** The parts of a report that sessions of other days cannot change; whether a prompt recurs daily is left out. */
function ofTheDay({ span, totals, balance, projects, decisions, loose_ends }: DayReport): unknown {
  const compared = { span, totals, balance, projects, decisions, loose_ends };
  return JSON.parse(JSON.stringify(compared), (key, value: unknown) =>
    key === "entry" || key === "reason" ? null : value,
  );
}

const fullBook = scratch("whole");

let bytesOfAll = 0;

beforeAll(async () => {
  const all = open(fullBook);
  bytesOfAll = (await all.sync()).bytes_read;
  all.close();
});

describe("a report when many files are new", () => {
  it("reads only the files that may contain its day, and is the same as when all are read", async () => {
    const all = open(fullBook);
    const total = bytes(filesIn(fullBook));
    for (const date of DAYS.filter((_, i) => i % cases(6, 3) === 0)) {
      const book = scratch("day");
      const first = open(book);
      const day = await first.report({ date });
      expect(ofTheDay(day)).toEqual(ofTheDay(await all.report({ date })));
      const read = bytes(filesIn(book));
      expect(read).toBeLessThan(total / 2);
      expect(day.diagnostics[0]?.code).toBe("files_unread");
      expect(day.diagnostics[0]?.message).toContain("still to be read");
      expect(inside(first).isBookIncomplete).toBe(true);

      // The next sync reads the rest, and nothing twice.
      const { bytes_read, files_left } = await first.sync();
      expect(files_left).toBe(0);
      expect(bytes_read).toBeLessThan(bytesOfAll * (1 - read / total) * 1.1);
      expect(await first.report({ date })).toEqual(await all.report({ date }));
      expect(inside(first).isBookIncomplete).toBe(false);
      first.close();
    }
    all.close();
  });

  it("finds the newest day with work and the one before it from the newest files", async () => {
    const book = scratch("newest");
    const daybook = open(book);
    const newest = DAYS.at(-1) ?? "";
    expect((await daybook.report()).span.since).toBe(newest);
    expect(bytes(filesIn(book))).toBeLessThan(bytes(filesIn(fullBook)) / 2);
    expect(await inside(daybook).lastWorkDay(newest)).toBe(DAYS.at(-2));
    daybook.close();
  });

  it("reads older files if the newest contain no work, and reports since which day all is read", async () => {
    const dir = scratch("idle");
    cpSync(join(MONTH, "codex"), join(dir, "codex"), { recursive: true });
    const day = join(dir, "codex/sessions/2026/12/30");
    const id = "019e0000-0000-7000-8000-000000000000";
    const header = {
      timestamp: "2026-12-30T08:00:00.000Z",
      type: "session_meta",
      payload: { id, cwd: "/home/dev/idle" },
    };
    mkdirSync(day, { recursive: true });
    // Synthetic: a session that was opened and left.
    writeFileSync(join(day, `rollout-2026-12-30T08-00-00-${id}.jsonl`), `${JSON.stringify(header)}\n`);
    const options = { roots: { codex: [join(dir, "codex")] } };
    const days: string[] = [];
    const onProgress: DaybookOptions["onProgress"] = ({ readable }) => void days.push(readable?.since ?? "");
    const [partial, all] = [open(scratch("some"), { ...options, onProgress }), open(scratch("all"), options)];
    await all.sync();
    expect((await partial.report()).totals).toEqual((await all.report()).totals);
    // Nothing while the newest file is read, then its day.
    expect([...new Set(days)]).toEqual(["", "2026-12-30"]);
    for (const one of [partial, all]) one.close();
  });

  it("is followed by reading everything for a query without a date", async () => {
    const [daybook, all] = [open(scratch("lists")), open(fullBook)];
    await daybook.report({ date: DAYS[0] });
    expect(await daybook.sessions()).toEqual(await all.sessions());
    for (const one of [daybook, all]) one.close();
  });

  it("does not report prompts as lost whose files are still unread", async () => {
    const [daybook, all] = [open(scratch("lost")), open(fullBook)];
    for (const date of DAYS.slice(0, 2)) {
      const lost = (report: DayReport): unknown => report.diagnostics.filter(({ code }) => code === "prompt_lost");
      expect(lost(await daybook.report({ date }))).toEqual(lost(await all.report({ date })));
    }
    for (const one of [daybook, all]) one.close();
  });
});

describe("a sync of many files", () => {
  it("reads the newest files first", async () => {
    const book = scratch("order");
    const daybook = open(book);
    // A report of all days, because only a query applies `readFirst`.
    await daybook.report({ until: "2026-12-30" });
    expect(filesIn(book)).toHaveLength(filesIn(fullBook).length);
    const ends = filesIn(book).map(({ path, size }) => {
      const times = fileTimes({ source: "codex", path, size, mtimeMs: 0, container: "jsonl" });
      return times?.last ?? 0;
    });
    expect(ends).toEqual(ends.toSorted((a, b) => b - a));
    daybook.close();
  });

  it("keeps what it read when it is aborted, and the next sync reads the rest", async () => {
    const book = scratch("stopped");
    const stop = new AbortController();
    const first = open(book, { onProgress: ({ files }) => void (files === 4 && stop.abort()) });
    const stopped = await first.sync({ signal: stop.signal });
    expect([stopped.files_read, stopped.files_left > 0]).toEqual([4, true]);
    expect(filesIn(book)).toHaveLength(4);
    expect((await first.problems()).filter(({ code }) => code === "file_unreadable")).toEqual([]);
    first.close();

    const next = open(book);
    const { files_read, bytes_read, pages_rebuilt } = await next.sync();
    expect([files_read, pages_rebuilt]).toEqual([stopped.files_left, 0]);
    expect(stopped.bytes_read + bytes_read).toBeLessThan(bytesOfAll * 1.05);
    const all = open(fullBook);
    expect(await next.turns()).toEqual(await all.turns());
    for (const one of [next, all]) one.close();
  });
});

describe("fileTimes", () => {
  const dir = scratch("times");
  const path = join(dir, "some.jsonl");
  const times = (text: string): unknown => {
    writeFileSync(path, text);
    return fileTimes({ source: "codex", path, size: statSync(path).size, mtimeMs: 0, container: "jsonl" });
  };
  const [early, late] = [Date.parse("2026-05-01T10:00:00Z"), Date.parse("2026-05-03T10:00:00Z")];
  const line = (time: string, text = ""): string => `${JSON.stringify({ text, timestamp: time })}\n`;

  it("returns the times of the first and last line", () => {
    const middle = line("2026-05-02T10:00:00Z", "x".repeat(200_000));
    expect(times(line("2026-05-01T10:00:00Z") + middle + line("2026-05-03T10:00:00Z"))).toEqual({
      first: early,
      last: late,
    });
  });

  it("finds the time of a very long last line", () => {
    expect(times(line("2026-05-01T10:00:00Z") + line("2026-05-03T10:00:00Z", "x".repeat(500_000)))).toEqual({
      first: early,
      last: late,
    });
  });

  it("leaves the first time open if the first line is very long", () => {
    expect(times(line("2026-05-03T10:00:00Z", "x".repeat(100_000)))).toEqual({ first: -Infinity, last: late });
    expect(times(`{"a":"${"x".repeat(100_000)}"}\n${line("2026-05-03T10:00:00Z")}`)).toEqual({
      first: -Infinity,
      last: late,
    });
  });

  it("returns null for quoted timestamps, lines without a timestamp, and an empty file", () => {
    const quoted = JSON.stringify({ text: JSON.stringify({ timestamp: "2030-01-01T00:00:00Z" }) });
    expect(times(`${quoted}\n`)).toBeNull();
    expect(times("{}\n")).toBeNull();
    expect(times("")).toBeNull();
  });
});
