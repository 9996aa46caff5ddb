import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";

const SAMPLES = fileURLToPath(new URL("../../samples", import.meta.url));
const ROOTS = { codex: [join(SAMPLES, "codex")], "claude-code": [join(SAMPLES, "claude-code")] };
const FLAGS = Object.entries(ROOTS).flatMap(([id, [path = ""]]) => ["--root", `${id}=${path}`]);

function emptyHome(): string {
  return join(mkdtempSync(join(tmpdir(), "daybook-first-")), "home");
}

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
