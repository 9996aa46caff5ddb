import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/errors.ts";
import { LockedError } from "../../src/format/write-lock.ts";
import { DiskFullError, UnwritableError } from "../../src/io/disk.ts";
import type * as Library from "../../src/index.ts";
import { errorFrom, plainError } from "../../src/store/sync/plain-error.ts";
import { nine } from "../nine.ts";
import { answers, differences, open, scratch, type Roots } from "./fixture.ts";

/** Only the program as it is built has a process to start. */
const { Daybook } = (await import(new URL("../../dist/index.js", import.meta.url).href)) as typeof Library;

let roots: Roots;
beforeAll(() => void ({ roots } = nine()));

/** Processes that this one started for syncs and that live. */
function children(): string[] {
  const all = execFileSync("ps", ["-A", "-ww", "-o", "ppid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => Number.parseInt(line, 10) === process.pid && / [^Z]\S* .*bin\/sync\.js/.test(line));
}

describe("a sync in a process of its own", () => {
  it("does what one in this process does, and says how far it is", async () => {
    const [book, other] = [scratch("home"), scratch("home")];
    const seen: number[] = [];
    const daybook = new Daybook({
      roots,
      book,
      env: {},
      home: "/nowhere",
      timezone: "Asia/Kathmandu",
      now: Date.UTC(2026, 11, 31),
      inBackground: true,
      noSync: true,
      onProgress: ({ files }) => void seen.push(files),
    });
    const report = await daybook.sync();
    const here = open(roots, other);
    expect(report).toEqual(await here.sync());
    expect(Math.max(...seen)).toBe(report.files_read);
    expect(differences(await answers(daybook as never, 0), await answers(here, 0))).toEqual([]);
    expect(await daybook.sync()).toMatchObject({ files_read: 0 });
    daybook.close();
    here.close();
  });

  it("leaves no process behind when it took long or is let go of", async () => {
    const { roots: own } = nine();
    const daybook = new Daybook({ roots: own, book: scratch("home"), env: {}, home: "/nowhere", inBackground: true });
    const first = daybook.sync();
    await expect.poll(children, { timeout: 600_000 }).toHaveLength(1);
    await first;
    // Another may be asked for at once.
    expect(await daybook.sync()).toMatchObject({ files_read: 0 });
    daybook.close();
    await expect.poll(children, { timeout: 600_000 }).toEqual([]);
  });

  it("stops when it is told to", async () => {
    const daybook = new Daybook({ roots, book: scratch("home"), env: {}, home: "/nowhere", inBackground: true });
    const report = await daybook.sync({ signal: AbortSignal.abort() });
    expect(report).toMatchObject({ files_read: 0 });
    daybook.close();
  });
});

describe("an error of another process", () => {
  it.each([
    new LockedError("/home/lock", { pid: 4711, host: "here" }),
    new DiskFullError("/home", 4096),
    new UnwritableError("/home", null),
    new DaybookError("no", { code: "usage", op: "sync", path: "/x", hint: "do" }),
    new RangeError("too deep"),
  ])("is the same here: %s", (error) => {
    const received = errorFrom(structuredClone(plainError(error)));
    expect(received.message).toBe(error.message);
    if (!(error instanceof DaybookError)) return;
    expect(received).toBeInstanceOf(error.constructor);
    const { code, op, path, everywhere } = error;
    expect(received).toMatchObject({ code, op, path, everywhere });
  });
});
