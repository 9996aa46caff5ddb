import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";
import { Daybook } from "../../src/daybook.ts";

const SAMPLES = fileURLToPath(new URL("../../samples", import.meta.url));
const ROOTS = { codex: [join(SAMPLES, "codex")], "claude-code": [join(SAMPLES, "claude-code")] };
const FLAGS = Object.entries(ROOTS).flatMap(([id, [path = ""]]) => ["--root", `${id}=${path}`]);

function emptyHome(): string {
  return join(mkdtempSync(join(tmpdir(), "daybook-first-")), "home");
}

describe("the first answer", () => {
  it("comes from the files while there is much and nothing in the book, and is the book's answer", async () => {
    const home = emptyHome();
    const options = { roots: ROOTS, book: home, timezone: "UTC", now: Date.UTC(2026, 2, 20) };
    const first = new Daybook({ ...options, answerFirst: { least: 0, most: Number.MAX_SAFE_INTEGER } });
    // Not a report: of its day few files are to be read, and those go into the book.
    const answers = [await first.sessions(), await first.turns(), await first.decisions()];
    expect(first.isBookIncomplete).toBe(true);
    expect(existsSync(home)).toBe(false);

    const withBook = new Daybook(options);
    expect([await withBook.sessions(), await withBook.turns(), await withBook.decisions()]).toEqual(answers);
    expect(withBook.isBookIncomplete).toBe(false);
    withBook.close();
  });

  it("comes from the book where little is to be read, or more than fits", async () => {
    for (const answerFirst of [
      { least: 1e9, most: 2e9 },
      { least: 0, most: 10 },
    ]) {
      const daybook = new Daybook({ roots: ROOTS, book: emptyHome(), answerFirst });
      await daybook.sessions();
      expect(daybook.isBookIncomplete).toBe(false);
      daybook.close();
    }
  });

  it("of a search is the book's", async () => {
    const answerFirst = { least: 0, most: Number.MAX_SAFE_INTEGER };
    const daybook = new Daybook({ roots: ROOTS, book: emptyHome(), answerFirst });
    expect((await daybook.search("test")).length).toBeGreaterThan(0);
    expect(daybook.isBookIncomplete).toBe(false);
    daybook.close();
  });
});

describe("the program on a terminal", () => {
  async function run(words: readonly string[], terminal: boolean): Promise<{ again: string[][]; said: string }> {
    const again: string[][] = [];
    let said = "";
    const io: Io = {
      out: (text) => void (said += text),
      err: (text) => void (said += text),
      env: {},
      now: 0,
      columns: 100,
      outIsTerminal: terminal,
      errIsTerminal: terminal,
      runAgain: (other) => Promise.resolve(again.push([...other])),
    };
    expect(await main(words, io)).toBe(0);
    return { again, said };
  }

  it("makes the book after a sum that needed none, once", async () => {
    const at = ["--home", emptyHome(), ...FLAGS];
    const first = await run(["usage", ...at], true);
    expect(first.again).toEqual([["sync", ...at]]);
    expect(first.said.indexOf("total")).toBeLessThan(first.said.indexOf("into the book"));

    await run(["sync", ...at], true);
    expect((await run(["usage", ...at], true)).again).toEqual([]);
  });

  it("leaves it where a program reads, where it is told to be quiet, and where nothing is to be kept", async () => {
    expect((await run(["usage", "--home", emptyHome(), ...FLAGS], false)).again).toEqual([]);
    expect((await run(["usage", "--quiet", "--home", emptyHome(), ...FLAGS], true)).again).toEqual([]);
    expect((await run(["usage", "--no-sync", "--home", emptyHome(), ...FLAGS], true)).again).toEqual([]);
    expect((await run(["usage", ...FLAGS], true)).again).toEqual([]);
  });
});
