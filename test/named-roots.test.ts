import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DoctorReport } from "../src/book/reading/doctor.ts";
import { CA, CU, folder, write } from "./cases/build.ts";
import { run } from "./cases/workspace.ts";

/** The user's own sessions, another person's sessions, and a book named by $DAYBOOK_HOME. */
function setUp(): { env: Record<string, string>; other: string; book: string } {
  const home = folder();
  const [own, other, book] = [join(home, ".claude"), join(folder(), "theirs"), join(home, "daybook")];
  const conversation = (words: string): Parameters<typeof write>[1] => [CU(words), CA("done", { output: 5 })];
  write(join(own, "projects/p/00000000-0000-4000-8000-00000000000a.jsonl"), conversation("mine"));
  write(join(other, "projects/p/00000000-0000-4000-8000-00000000000b.jsonl"), conversation("theirs"));
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

it("sessions from --root enter only a book named by --home, not the one in $DAYBOOK_HOME", async () => {
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

  // After a sync the user's own book exists, and contains nothing from --root.
  expect((await run(["sync"], env)).code).toBe(0);
  for (const command of COMMANDS) await run([...command, ...root], env);
  expect((await run(["turns", "--no-sync"], env)).out).toContain("mine");
  expect((await run(["turns", "--no-sync"], env)).out).not.toContain("theirs");

  const named = join(folder(), "named");
  expect((await run(["sync", ...root, "--home", named], env)).code).toBe(0);
  expect((await run(["turns", "--home", named, "--no-sync"], env)).out).toContain("theirs");
});

it("doctor does not report a file outside the current roots as deleted", async () => {
  const { env, other } = setUp();
  const home = ["--home", join(folder(), "named")];
  await run(["sync", "--root", `claude-code=${other}`, ...home], env);
  mkdirSync(join(env["HOME"] ?? "", ".config"), { recursive: true });
  const { sources } = JSON.parse((await run(["doctor", ...home, "--json"], env)).out) as DoctorReport;
  const claude = sources.find(({ source }) => source === "claude-code");
  expect([claude?.sessions, claude?.only_in_book]).toEqual([2, []]);
});
