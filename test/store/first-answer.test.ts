import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";
import { Daybook, inside } from "../../src/daybook.ts";

const SAMPLES = fileURLToPath(new URL("../../samples", import.meta.url));
const ROOTS = { codex: [join(SAMPLES, "codex")], "claude-code": [join(SAMPLES, "claude-code")] };
const FLAGS = Object.entries(ROOTS).flatMap(([id, [path = ""]]) => ["--root", `${id}=${path}`]);

function emptyHome(): string {
  return join(mkdtempSync(join(tmpdir(), "daybook-first-")), "home");
}

describe("the first answer", () => {
  it("comes from the files if the book is empty and much is to be read, and equals the book's answer", async () => {
    const home = emptyHome();
    const options = { roots: ROOTS, book: home, timezone: "UTC", now: Date.UTC(2026, 2, 20) };
    const first = new Daybook({ ...options, answerFirst: { least: 0, most: Number.MAX_SAFE_INTEGER } });
    // No report: for that, only the few files of its day are read, and they go into the book.
    const answers = [await first.sessions(), await first.turns(), await first.decisions()];
    expect(inside(first).isBookIncomplete).toBe(true);
    expect(existsSync(home)).toBe(false);

    const withBook = new Daybook(options);
    expect([await withBook.sessions(), await withBook.turns(), await withBook.decisions()]).toEqual(answers);
    expect(inside(withBook).isBookIncomplete).toBe(false);
    withBook.close();
  });

  it("comes from the book if less than `least` or more than `most` bytes are to be read", async () => {
    for (const answerFirst of [
      { least: 1e9, most: 2e9 },
      { least: 0, most: 10 },
    ]) {
      const daybook = new Daybook({ roots: ROOTS, book: emptyHome(), answerFirst });
      await daybook.sessions();
      expect(inside(daybook).isBookIncomplete).toBe(false);
      daybook.close();
    }
  });

  it("comes from the book for a search", async () => {
    const answerFirst = { least: 0, most: Number.MAX_SAFE_INTEGER };
    const daybook = new Daybook({ roots: ROOTS, book: emptyHome(), answerFirst });
    expect((await daybook.search("test")).length).toBeGreaterThan(0);
    expect(inside(daybook).isBookIncomplete).toBe(false);
    daybook.close();
  });
});

describe("the program on a terminal", () => {
  async function run(words: readonly string[], terminal: boolean): Promise<{ rerun: string[][]; printed: string }> {
    const rerun: string[][] = [];
    let printed = "";
    const io: Io = {
      out: (text) => void (printed += text),
      err: (text) => void (printed += text),
      env: {},
      now: 0,
      columns: 100,
      outIsTerminal: terminal,
      errIsTerminal: terminal,
      runAgain: (other) => Promise.resolve(rerun.push([...other])),
    };
    expect(await main(words, io)).toBe(0);
    return { rerun, printed };
  }

  it("runs a sync after a usage query that was answered without a book, once", async () => {
    const flags = ["--home", emptyHome(), ...FLAGS];
    const first = await run(["usage", ...flags], true);
    expect(first.rerun).toEqual([["sync", ...flags]]);
    expect(first.printed.indexOf("total")).toBeLessThan(first.printed.indexOf("into the book"));

    await run(["sync", ...flags], true);
    expect((await run(["usage", ...flags], true)).rerun).toEqual([]);
  });

  it("runs no sync if the output is not a terminal, with --quiet, with --no-sync, or without a home", async () => {
    expect((await run(["usage", "--home", emptyHome(), ...FLAGS], false)).rerun).toEqual([]);
    expect((await run(["usage", "--quiet", "--home", emptyHome(), ...FLAGS], true)).rerun).toEqual([]);
    expect((await run(["usage", "--no-sync", "--home", emptyHome(), ...FLAGS], true)).rerun).toEqual([]);
    expect((await run(["usage", ...FLAGS], true)).rerun).toEqual([]);
  });
});
