import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";

const samples = fileURLToPath(new URL("../samples", import.meta.url));
const ROOTS = ["claude-code", "codex"].flatMap((agent) => ["--root", `${agent}=${samples}/${agent}`]);

/** On the evening after the samples' newest day. */
async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const result = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => void (result.out += text),
    err: (text) => void (result.err += text),
    env: { TZ: "UTC" },
    now: Date.UTC(2026, 4, 13, 20),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  result.code = await main([...words, ...ROOTS, "-z", "UTC"], io);
  return result;
}

it.each([
  [["today"], ["report", "--date", "today"]],
  [["yesterday"], ["report", "--date", "2026-05-12"]],
  [
    ["yesterday", "--full"],
    ["--date", "yesterday", "--full"],
  ],
  [["week"], ["report", "--week"]],
  [
    ["week", "last"],
    ["report", "--week", "--date", "2026-05-05"],
  ],
  [
    ["standup", "yesterday"],
    ["report", "--standup", "--date", "yesterday"],
  ],
  [
    ["report", "last", "week"],
    ["report", "--since", "2026-05-04", "--until", "2026-05-10"],
  ],
  [
    ["report", "2d", "--json"],
    ["report", "--since", "2026-05-12", "--json"],
  ],
  [
    ["help", "star"],
    ["mark", "star", "--help"],
  ],
  [["list"], ["workspace"]],
])("%j answers as %j does", async (short, long) => {
  const [one, other] = [await run(...short), await run(...long)];
  expect(one).toEqual(other);
  expect(one.out + one.err).not.toBe("");
});

it("names days once", async () => {
  expect(await run("report", "yesterday", "--since", "7d")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--since cannot be combined with yesterday") as string,
  });
  expect((await run("report", "someday")).err).toContain("not a date: someday");
});
