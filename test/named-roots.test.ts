import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DoctorReport } from "../src/reading/doctor.ts";
import { CA, CU, folder, write } from "./cases/build.ts";
import { run } from "./cases/workspace.ts";

/** Own sessions, somebody else's, and a book that the environment names. */
function setUp(): { env: Record<string, string>; other: string; book: string } {
  const home = folder();
  const [own, other, book] = [join(home, ".claude"), join(folder(), "theirs"), join(home, "daybook")];
  const talk = (words: string): Parameters<typeof write>[1] => [CU(words), CA("done", { output: 5 })];
  write(join(own, "projects/p/00000000-0000-4000-8000-00000000000a.jsonl"), talk("mine"));
  write(join(other, "projects/p/00000000-0000-4000-8000-00000000000b.jsonl"), talk("theirs"));
  return { env: { HOME: home, DAYBOOK_HOME: book }, other, book };
}

const COMMANDS = [
  ["sessions"],
  ["turns"],
  ["usage", "session"],
  ["search", "theirs"],
  ["report"],
  ["audit"],
  ["doctor"],
  ["tools"],
  ["context"],
  ["decisions"],
];

it("a root that is named enters no book but the one that --home names, whatever the environment says", async () => {
  const { env, other, book } = setUp();
  const root = ["--root", `claude-code=${other}`];
  for (const command of COMMANDS) {
    const { code, out } = await run([...command, ...root, "--json"], env);
    expect([command, code, out.includes("mine"), existsSync(book)]).toEqual([command, 0, false, false]);
  }
  expect((await run(["search", "theirs", ...root], env)).out).toContain("1 result");
  const refused = await run(["sync", ...root, "--json"], env);
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(JSON.parse(refused.err)).toMatchObject({ error: { code: "usage", hint: expect.stringContaining("--home") } });
  expect(existsSync(book)).toBe(false);

  // One's own book is made, and still knows nothing of them.
  expect((await run(["sync"], env)).code).toBe(0);
  for (const command of COMMANDS) await run([...command, ...root], env);
  expect((await run(["turns", "--no-sync"], env)).out).toContain("mine");
  expect((await run(["turns", "--no-sync"], env)).out).not.toContain("theirs");

  const named = join(folder(), "named");
  expect((await run(["sync", ...root, "--home", named], env)).code).toBe(0);
  expect((await run(["turns", "--home", named, "--no-sync"], env)).out).toContain("theirs");
});

it("doctor does not call a file deleted that is only elsewhere", async () => {
  const { env, other } = setUp();
  const home = ["--home", join(folder(), "named")];
  await run(["sync", "--root", `claude-code=${other}`, ...home], env);
  mkdirSync(join(env["HOME"] ?? "", ".config"), { recursive: true });
  const { sources } = JSON.parse((await run(["doctor", ...home, "--json"], env)).out) as DoctorReport;
  const claude = sources.find(({ source }) => source === "claude-code");
  expect([claude?.sessions, claude?.only_in_book]).toEqual([2, []]);
});
