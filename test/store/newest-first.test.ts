import { cpSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { Daybook, type DaybookOptions } from "../../src/daybook.ts";
import { fileTimes } from "../../src/sources/kit/file-times.ts";
import type { DayReport } from "../../src/report/model.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { DAYS } from "../report/month.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));
const ROOTS = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };

/** However little is new, only what a report needs is read. */
function open(book: string, more: DaybookOptions = {}): Daybook {
  const given = { roots: ROOTS, env: {}, home: "/nowhere", now: Date.UTC(2026, 11, 31), timezone: "Europe/Berlin" };
  return new Daybook({ ...given, book, readFirst: 0, ...more });
}

function filesIn(book: string): { path: string; size: number }[] {
  const store = IndexStore.openExisting(book);
  const files = store?.units().map(({ ref: { path, size } }) => ({ path, size })) ?? [];
  store?.close();
  return files;
}

const bytes = (files: readonly { size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** What no other day's sessions can change: not whether a program asks the same every day. */
function ofTheDay({ span, totals, balance, projects, decisions, loose_ends }: DayReport): unknown {
  const compared = { span, totals, balance, projects, decisions, loose_ends };
  return JSON.parse(JSON.stringify(compared), (key, value: unknown) =>
    key === "entry" || key === "reason" ? null : value,
  );
}

const whole = scratch("whole");

let bytesOfAll = 0;

beforeAll(async () => {
  const all = open(whole);
  bytesOfAll = (await all.sync()).bytes_read;
  all.close();
});

describe("a report where much is new", () => {
  it("reads the files that can hold its day, and is the same as when everything is read", async () => {
    const all = open(whole);
    const total = bytes(filesIn(whole));
    for (const date of DAYS.filter((_, i) => i % 3 === 0)) {
      const book = scratch("day");
      const first = open(book);
      const day = await first.report({ date });
      expect(ofTheDay(day)).toEqual(ofTheDay(await all.report({ date })));
      const read = bytes(filesIn(book));
      expect(read).toBeLessThan(total / 2);
      expect(day.diagnostics[0]?.code).toBe("files_unread");
      expect(day.diagnostics[0]?.message).toContain("still to be read");
      expect(first.isBookIncomplete).toBe(true);

      // The rest is read by whoever needs it, and nothing twice.
      const { bytes_read, files_left } = await first.sync();
      expect(files_left).toBe(0);
      expect(bytes_read).toBeLessThan(bytesOfAll * (1 - read / total) * 1.1);
      expect(await first.report({ date })).toEqual(await all.report({ date }));
      expect(first.isBookIncomplete).toBe(false);
      first.close();
    }
    all.close();
  });

  it("finds the newest day with work from the newest files, and the one before it", async () => {
    const book = scratch("newest");
    const daybook = open(book);
    const newest = DAYS.at(-1) ?? "";
    expect((await daybook.report()).span.since).toBe(newest);
    expect(bytes(filesIn(book))).toBeLessThan(bytes(filesIn(whole)) / 2);
    expect(await daybook.lastWorkDay(newest)).toBe(DAYS.at(-2));
    daybook.close();
  });

  it("looks on where the newest files tell of no work", async () => {
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
    // Hand-written: a session that was opened and left.
    writeFileSync(join(day, `rollout-2026-12-30T08-00-00-${id}.jsonl`), `${JSON.stringify(header)}\n`);
    const options = { roots: { codex: [join(dir, "codex")] } };
    const [some, all] = [open(scratch("some"), options), open(scratch("all"), options)];
    await all.sync();
    expect((await some.report()).totals).toEqual((await all.report()).totals);
    for (const one of [some, all]) one.close();
  });

  it("reads everything for a question that has no days, after a report that had one", async () => {
    const [daybook, all] = [open(scratch("lists")), open(whole)];
    await daybook.report({ date: DAYS[0] });
    expect(await daybook.sessions()).toEqual(await all.sessions());
    for (const one of [daybook, all]) one.close();
  });

  it("takes no session for lost whose file was left for later", async () => {
    const [daybook, all] = [open(scratch("lost")), open(whole)];
    for (const date of DAYS.slice(0, 2)) {
      const lost = (report: DayReport): unknown => report.diagnostics.filter(({ code }) => code === "prompt_lost");
      expect(lost(await daybook.report({ date }))).toEqual(lost(await all.report({ date })));
    }
    for (const one of [daybook, all]) one.close();
  });
});

describe("a sync of much", () => {
  it("reads the newest files first, and says which days can be asked about", async () => {
    const book = scratch("order");
    const said: string[] = [];
    const daybook = open(book, { onProgress: ({ readable }) => void said.push(readable?.since ?? "") });
    // Only a question says from how many bytes on it is much; a need that takes in everything is a whole sync.
    await daybook.report({ until: "2026-12-30" });
    expect(
      said
        .filter((day) => day !== "")
        .toSorted()
        .toReversed(),
    ).toEqual(said.filter((day) => day !== ""));
    expect(filesIn(book)).toHaveLength(filesIn(whole).length);
    const ends = filesIn(book).map(({ path, size }) => {
      const times = fileTimes({ source: "codex", path, size, mtimeMs: 0, container: "jsonl" });
      return times?.last ?? 0;
    });
    expect(ends).toEqual(ends.toSorted((a, b) => b - a));
    daybook.close();
  });

  it("that is stopped keeps what it read, and the next goes on with the rest", async () => {
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
    const all = open(whole);
    expect(await next.turns()).toEqual(await all.turns());
    for (const one of [next, all]) one.close();
  });
});

describe("when a file was written", () => {
  const dir = scratch("times");
  const path = join(dir, "some.jsonl");
  const times = (text: string): unknown => {
    writeFileSync(path, text);
    return fileTimes({ source: "codex", path, size: statSync(path).size, mtimeMs: 0, container: "jsonl" });
  };
  const [early, late] = [Date.parse("2026-05-01T10:00:00Z"), Date.parse("2026-05-03T10:00:00Z")];
  const line = (time: string, text = ""): string => `${JSON.stringify({ text, timestamp: time })}\n`;

  it("is told by its ends", () => {
    const middle = line("2026-05-02T10:00:00Z", "x".repeat(200_000));
    expect(times(line("2026-05-01T10:00:00Z") + middle + line("2026-05-03T10:00:00Z"))).toEqual({
      first: early,
      last: late,
    });
  });

  it("is told of a last line that is longer than what is looked at first", () => {
    expect(times(line("2026-05-01T10:00:00Z") + line("2026-05-03T10:00:00Z", "x".repeat(500_000)))).toEqual({
      first: early,
      last: late,
    });
  });

  it("may have begun at any time where the header goes on for long", () => {
    expect(times(line("2026-05-03T10:00:00Z", "x".repeat(100_000)))).toEqual({ first: -Infinity, last: late });
    expect(times(`{"a":"${"x".repeat(100_000)}"}\n${line("2026-05-03T10:00:00Z")}`)).toEqual({
      first: -Infinity,
      last: late,
    });
  });

  it("is not told by what somebody quotes, by lines without times, by nothing", () => {
    const quoting = JSON.stringify({ text: JSON.stringify({ timestamp: "2030-01-01T00:00:00Z" }) });
    expect(times(`${quoting}\n`)).toBeNull();
    expect(times("{}\n")).toBeNull();
    expect(times("")).toBeNull();
  });
});
