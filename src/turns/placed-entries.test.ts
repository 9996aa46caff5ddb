import { describe, expect, it } from "vitest";
import type { Entry } from "../agents/contract.ts";
import { placedEntries } from "./placed-entries.ts";
import { ask, header, placed, say, sessionsOf, unplaced, type File, type UnplacedEntry } from "./testing.ts";

describe("the records of a session", () => {
  const entriesOf = (files: readonly File[], path: string): Entry[] =>
    placed(files.find((file) => file.path === path)?.story ?? []);
  const setup = unplaced("setup", []);
  /** Each record as `path line turn`, in the order in which they are yielded. */
  const owners = (files: readonly File[]): string[] => {
    const [session] = sessionsOf(files);
    if (!session) throw new Error("a session");
    const found = [...placedEntries(session, ({ path }) => entriesOf(files, path))];
    for (const { entry, row } of found) expect(row).toMatchObject({ line: entry.line, class: entry.class });
    return found.map(({ part, entry, turn_ref: ref }) => `${part.path} ${entry.line} ${ref}`);
  };

  it("are listed in order, each with the turn that owns it or that it prepares", () => {
    const story = [setup, unplaced("session", []), ask("a"), setup, say("x"), setup, ask("b"), setup];
    expect(owners([{ path: "/a", story }])).toEqual([
      "/a 1 T0001",
      "/a 2 null",
      "/a 3 T0001",
      "/a 4 T0001",
      "/a 5 T0001",
      "/a 6 T0002",
      "/a 7 T0002",
      "/a 8 null",
    ]);
  });

  it("are listed file by file, with turns numbered across files", () => {
    const part = (path: string, time: number): File => ({ path, session: "s", story: [ask(path, { time }), say("x")] });
    expect(owners([part("/a", 1), part("/b", 2)])).toEqual(["/a 1 T0001", "/a 2 T0001", "/b 1 T0002", "/b 2 T0002"]);
  });

  it("have no turn if an agent wrote the prompt", () => {
    const task = unplaced("reaction", [{ type: "user", author: "agent", text: "do" }]);
    expect(owners([{ path: "/a", story: [header({ kind: "subagent" }), task, say("x")] }])).toEqual([
      "/a 1 null",
      "/a 2 null",
      "/a 3 null",
    ]);
  });

  it("are yielded as soon as their turn is certain", () => {
    const read: number[] = [];
    const story: UnplacedEntry[] = [ask("a"), setup, setup, ask("b")];
    const [session] = sessionsOf([{ path: "/a", story }]);
    if (!session) throw new Error("a session");
    function* reading(): Generator<Entry> {
      for (const entry of placed(story)) {
        read.push(entry.line);
        yield entry;
      }
    }
    const seen = [];
    for (const { entry } of placedEntries(session, reading)) seen.push([entry.line, read.length]);
    expect(seen).toEqual([
      [1, 1],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });
});
