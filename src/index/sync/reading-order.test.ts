import { describe, expect, it } from "vitest";
import type { FileTimeCache } from "../../book/reading/file-times.ts";
import type { FileTimes, SourceRef } from "../../agents/contract.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { ReadingOrder } from "./reading-order.ts";

interface Task {
  job: { ref: SourceRef; bytes: number };
}

const DAY = 1000;
/** Nothing here asks the index. */
const NO_STORE = null as unknown as IndexStore;

/** Files by name, with the times of their first and last records. */
function orderOf(files: Readonly<Record<string, FileTimes>>): ReadingOrder<Task> {
  const tasks = Object.keys(files).map((path): Task => {
    const ref: SourceRef = { source: "log", path, size: 1, mtimeMs: 0, container: "jsonl" };
    return { job: { ref, bytes: 1 } };
  });
  const times = { of: ({ path }: SourceRef) => files[path] } as unknown as FileTimeCache;
  return new ReadingOrder(tasks, (time) => `day ${Math.floor(time / DAY)}`, times);
}

const paths = (tasks: readonly Task[]): string[] => tasks.map(({ job }) => job.ref.path);

describe("the files needed for some days", () => {
  it("are those with a record in them, including one at the very start and none at the end", () => {
    const order = orderOf({
      "ends just before": { first: 0, last: 999 },
      "ends with the first moment": { first: 0, last: 1000 },
      within: { first: 1200, last: 1300 },
      "begins with the last moment": { first: 1999, last: 5000 },
      "begins at the end": { first: 2000, last: 6000 },
    });
    const need = { least: 0, start: () => 1000, end: 2000 };
    expect(paths(order.needed(need, NO_STORE)).toSorted()).toEqual([
      "begins with the last moment",
      "ends with the first moment",
      "within",
    ]);
    // Nothing more is needed for these days; the rest waits.
    expect(order.needed(need, NO_STORE)).toEqual([]);
    expect(paths(order.all()).toSorted()).toEqual(["begins at the end", "ends just before"]);
  });

  it("are found from the end of the newest file that is not too late", () => {
    const order = orderOf({
      old: { first: 0, last: 500 },
      new: { first: 700, last: 1500 },
      late: { first: 2000, last: 9000 },
    });
    const asked: number[] = [];
    const need = { least: 0, start: (_: IndexStore, newest: number) => (asked.push(newest), newest), end: 2000 };
    expect(paths(order.needed(need, NO_STORE))).toEqual(["new"]);
    expect(paths(order.needed({ ...need, end: null }, NO_STORE))).toEqual(["late"]);
    expect(asked).toEqual([1500, 9000]);
  });
});

describe("the days that can be answered already", () => {
  it("are those after the newest day with an unread file", () => {
    const order = orderOf({ a: { first: 0, last: 3500 }, b: { first: 0, last: 2500 }, c: { first: 0, last: 2400 } });
    const all = order.all();
    expect(order.readable()).toEqual({ days: 0, of: 2, since: null });
    for (const [i, since] of ["day 3", "day 3", "day 2"].entries()) {
      const task = all[i];
      if (task) order.done(task);
      expect(order.readable()).toEqual({ days: i === 2 ? 2 : 1, of: 2, since });
    }
  });
});
