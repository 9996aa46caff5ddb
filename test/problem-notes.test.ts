import { appendFileSync, cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "./cases/workspace.ts";
import { scratch } from "./store/fixture.ts";
import { rootOfCorpus } from "./truth.ts";

const DAY = 24 * 3_600_000;
const NOON = Date.UTC(2026, 11, 30, 12);

/** Genuine sessions, with lines that cannot be read at the end of the first files. */
function sessionsWith(...counts: number[]): { root: string; files: string[] } {
  const dir = scratch("unreadable");
  cpSync(rootOfCorpus("pi-0.87.1"), dir, { recursive: true });
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .map((name) => join(dir, name));
  for (const [i, count] of counts.entries()) appendFileSync(files[i] ?? "", '{"type":"mess\n'.repeat(count));
  return { root: `pi=${dir}`, files };
}

describe("lines that cannot be read", () => {
  it("are one line with their number, once a day; the exit code always says it", async () => {
    const { root, files } = sessionsWith(4, 5);
    const home = join(scratch("home"), "h");
    const ask = async (now: number, ...args: string[]): Promise<[number, string]> => {
      const { code, err } = await run([...args, "--root", root, "--home", home, "-z", "UTC"], {}, now);
      return [code, err];
    };
    const note = "daybook: unreadable: 9 lines in 2 files; see daybook doctor\n";
    expect(await ask(NOON, "sessions", "--quiet")).toEqual([3, ""]);
    expect(await ask(NOON, "sessions")).toEqual([3, note]);
    expect(await ask(NOON + 1000, "turns", "--json")).toEqual([3, ""]);
    expect(await ask(NOON + 2000, "report")).toEqual([3, ""]);
    expect(await ask(NOON + DAY, "usage")).toEqual([3, note]);
    // More of them are news.
    appendFileSync(files[1] ?? "", "{\n");
    expect(await ask(NOON + DAY, "usage")).toEqual([3, note.replace("9", "10")]);
    expect(await ask(NOON + DAY, "sessions")).toEqual([3, ""]);
  });

  it("are listed by doctor with file and line", async () => {
    const { root, files } = sessionsWith(1, 1);
    const { out } = await run(["doctor", "--root", root, "--json"], {});
    const { sources } = JSON.parse(out) as { sources: { problems: { code: string; path: string; line: number }[] }[] };
    const found = sources.flatMap(({ problems }) => problems.filter(({ code }) => code === "line_corrupt"));
    expect(found.map(({ path }) => path).toSorted()).toEqual(files.slice(0, 2).toSorted());
    expect(found.every(({ line }) => line > 1)).toBe(true);
  });

  it("are noted by every command where there is no book to remember it in, a single one with its place", async () => {
    const { root, files } = sessionsWith(1);
    for (const command of ["sessions", "turns", "sessions"]) {
      const { code, err } = await run([command, "--root", root], {});
      expect(code).toBe(3);
      expect(err).toMatch(/^daybook: unreadable: .*\n$/);
      expect(err).toContain(`${files[0]}:`);
      expect(err.split("\n")).toHaveLength(2);
    }
  });
});

it.runIf(process.platform !== "win32")("a place that cannot be read is named by every command", async () => {
  const { root } = sessionsWith(2);
  const home = join(scratch("home"), "h");
  const place = "daybook: unreadable: /dev/zero: a device: sessions are in directories and files\n";
  const lines = "daybook: unreadable: 2 lines in 1 file; see daybook doctor\n";
  const asked = [];
  for (let i = 0; i < 2; i++)
    asked.push(await run(["sessions", "--root", root, "--root", "codex=/dev/zero", "--home", home], {}, NOON));
  expect(asked.map(({ err }) => err)).toEqual([place + lines, place]);
});
