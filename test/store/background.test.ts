import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/base/errors.ts";
import { LockedError } from "../../src/record/write-lock.ts";
import { DiskFullError, UnwritableError } from "../../src/base/io/disk.ts";
import type * as Library from "../../src/index.ts";
import { errorFrom, plainError } from "../../src/index/sync/plain-error.ts";
import { nine } from "../nine.ts";
import { answers, differences, open, scratch, type Roots } from "./fixture.ts";

/** The built library: only there is a script for the sync process. */
const { Daybook } = (await import(new URL("../../dist/index.js", import.meta.url).href)) as typeof Library;

let roots: Roots;
beforeAll(() => void ({ roots } = nine()));

/** The running sync processes that this process started. */
function syncProcesses(): string[] {
  const all = execFileSync("ps", ["-A", "-ww", "-o", "ppid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => Number.parseInt(line, 10) === process.pid && / [^Z]\S* .*bin\/sync\.js/.test(line));
}

describe("a sync in a separate process", () => {
  it("gives the same report and answers as one in this process, and reports its progress", async () => {
    const [book, otherBook] = [scratch("home"), scratch("home")];
    const progress: number[] = [];
    const daybook = new Daybook({
      roots,
      book,
      env: {},
      home: "/nowhere",
      timezone: "Asia/Kathmandu",
      now: Date.UTC(2026, 11, 31),
      inBackground: true,
      noSync: true,
      onProgress: ({ files }) => void progress.push(files),
    });
    const report = await daybook.sync();
    const inProcess = open(roots, otherBook);
    expect(report).toEqual(await inProcess.sync());
    expect(Math.max(...progress)).toBe(report.files_read);
    // The book that the other process made, read here: doors ask more than the published library offers.
    const made = open(roots, book);
    expect(differences(await answers(made, 0), await answers(inProcess, 0))).toEqual([]);
    made.close();
    expect(await daybook.sync()).toMatchObject({ files_read: 0 });
    daybook.close();
    inProcess.close();
  });

  it("leaves no process running after close()", async () => {
    const { roots: own } = nine();
    const daybook = new Daybook({ roots: own, book: scratch("home"), env: {}, home: "/nowhere", inBackground: true });
    const first = daybook.sync();
    await expect.poll(syncProcesses, { timeout: 600_000 }).toHaveLength(1);
    await first;
    // Another sync may follow at once.
    expect(await daybook.sync()).toMatchObject({ files_read: 0 });
    daybook.close();
    await expect.poll(syncProcesses, { timeout: 600_000 }).toEqual([]);
  });

  it("reads nothing if its signal is already aborted", async () => {
    const daybook = new Daybook({ roots, book: scratch("home"), env: {}, home: "/nowhere", inBackground: true });
    const report = await daybook.sync({ signal: AbortSignal.abort() });
    expect(report).toMatchObject({ files_read: 0 });
    daybook.close();
  });
});

describe("an error of a sync in a separate process", () => {
  it.each([
    new LockedError("/home/lock", { pid: 4711, host: "here" }),
    new DiskFullError("/home", 4096),
    new UnwritableError("/home", null),
    new DaybookError("no", { code: "usage", op: "sync", path: "/x", hint: "do" }),
    new RangeError("too deep"),
  ])("keeps its message, and its class and fields if it is a DaybookError: %s", (error) => {
    const received = errorFrom(structuredClone(plainError(error)));
    expect(received.message).toBe(error.message);
    if (!(error instanceof DaybookError)) return;
    expect(received).toBeInstanceOf(error.constructor);
    const { code, op, path, everywhere } = error;
    expect(received).toMatchObject({ code, op, path, everywhere });
  });
});
