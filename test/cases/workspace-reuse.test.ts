import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codex, folder, M, R, type Book } from "./build.ts";
import { filesBelow, run } from "./workspace.ts";

const KEY = `app-${createHash("sha256").update("/nowhere/app").digest("hex").slice(0, 12)}`;

function flags(book: Book, ...more: string[]): string[] {
  return [
    "prepare",
    "--date",
    "2026-05-12",
    "--timezone",
    "UTC",
    "--root",
    `codex=${book.root.codex}`,
    "--root",
    `claude-code=${book.root.claude}`,
    ...more,
  ];
}

async function setUp(): Promise<{ book: Book; env: { DAYBOOK_HOME: string }; dir: string }> {
  const book = codex(M("s"), R("a"));
  const env = { DAYBOOK_HOME: join(folder(), "home") };
  expect((await run(flags(book), env)).code).toBe(0);
  return { book, env, dir: join(env.DAYBOOK_HOME, "work/2026-05-12") };
}

/** Section B, cases 30 to 32: `prepare` when a workspace exists already. */
describe("B. an existing workspace", () => {
  it("case 30: is kept and counted, and the message mentions --force", async () => {
    const { book, env, dir } = await setUp();
    const before = filesBelow(env.DAYBOOK_HOME);
    writeFileSync(
      join(book.root.codex, "rollout-later.jsonl"),
      `${JSON.stringify(M("t"))}\n${JSON.stringify(R("b"))}\n`,
    );
    const reused = await run(flags(book), env);
    expect(reused).toMatchObject({ code: 0 });
    expect(reused.out).toContain("1 project, 1 session, 1 request");
    expect(reused.err).toContain("--force");
    expect(filesBelow(env.DAYBOOK_HOME)).toEqual(before);
    rmSync(join(dir, "projects", KEY, "sessions.index.jsonl"));
    expect((await run(flags(book), env)).out).toContain("1 project, 0 sessions, 0 requests");
    rmSync(join(dir, "projects"), { recursive: true });
    const json = JSON.parse((await run(flags(book, "--json"), env)).out) as object;
    expect(json).toMatchObject({ created: false, projects: 0, sessions: 0 });
    expect((await run(flags(book, "--force"), env)).out).toContain("2 sessions");
  });

  const good = { report_date: "2026-05-12", timezone: "UTC", status: "final", prepared_at: "2026-05-13T00:00:00Z" };
  const window = { start: "2026-05-12T00:00:00Z", end: "2026-05-13T00:00:00Z" };
  const ends = { report_window_local: window, report_window_utc: window };
  it.each<[string, string | null]>([
    ["missing", null],
    ["truncated", "{"],
    ["a list", "[]"],
    ["without the local window", JSON.stringify({ schema_version: 3, ...good, report_window_utc: window })],
    ...[null, 1, 2, 4].map((v): [string, string] => [
      `of schema ${v}`,
      JSON.stringify({ schema_version: v, ...good, ...ends }),
    ]),
  ])("case 31: is an error if its metadata is %s, with the command that rebuilds it", async (_, metadata) => {
    const { book, env, dir } = await setUp();
    writeFileSync(join(dir, "stale.txt"), "old");
    if (metadata === null) rmSync(join(dir, "metadata.json"));
    else writeFileSync(join(dir, "metadata.json"), metadata);
    const before = filesBelow(env.DAYBOOK_HOME);
    const refused = await run(flags(book), env);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("missing or invalid");
    expect(refused.err).toContain(`daybook workspace ${flags(book).join(" ")} --force`);
    expect(filesBelow(env.DAYBOOK_HOME)).toEqual(before);
    expect((await run(flags(book, "--force"), env)).code).toBe(0);
    expect(Object.keys(filesBelow(dir))).toHaveLength(4);
  });

  it("case 31: is an error if it has another time zone, with the differences", async () => {
    const { book, env } = await setUp();
    const refused = await run([...flags(book), "--timezone", "Asia/Shanghai"], env);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("timezone: expected Asia/Shanghai, found UTC");
    expect(refused.err).toContain("report_window_utc.start: expected 2026-05-11T16:00:00Z, found 2026-05-12T00:00:00Z");
  });

  it("case 32: is rebuilt with --force if only the workspace or only its private manifest exists", async () => {
    for (const half of ["private", "work"]) {
      const { book, env } = await setUp();
      rmSync(join(env.DAYBOOK_HOME, half), { recursive: true });
      expect((await run(flags(book, "--force"), env)).code).toBe(0);
      const files = Object.keys(filesBelow(env.DAYBOOK_HOME));
      expect(files).toContain("private/2026-05-12/audit.manifest.json");
      expect(files).toContain("work/2026-05-12/metadata.json");
    }
  });

  it("is not replaced, even with --force, if Daybook did not create it", async () => {
    const { book, env } = await setUp();
    const out = join(folder(), "precious");
    mkdirSync(join(out, "projects/mine"), { recursive: true });
    writeFileSync(join(out, "projects/mine/thesis.txt"), "years of work");
    const refused = await run(flags(book, "--out", out, "--force"), env);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("is not a workspace");
    expect(filesBelow(out)).toEqual({ "projects/mine/thesis.txt": "years of work" });
    const file = join(folder(), "file");
    writeFileSync(file, "text");
    expect((await run(flags(book, "--out", file, "--force"), env)).code).toBe(2);
    expect(readFileSync(file, "utf8")).toBe("text");
  });

  it("has a separate manifest from one with --out, which may be an empty directory", async () => {
    const { book, env } = await setUp();
    const manifest = readFileSync(join(env.DAYBOOK_HOME, "private/2026-05-12/audit.manifest.json"), "utf8");
    const out = folder();
    const result = JSON.parse((await run(flags(book, "--out", out, "--json"), env)).out) as { manifest: string };
    expect(result.manifest.startsWith(join(env.DAYBOOK_HOME, "private/2026-05-12/at-"))).toBe(true);
    expect(readFileSync(join(env.DAYBOOK_HOME, "private/2026-05-12/audit.manifest.json"), "utf8")).toBe(manifest);
    expect(statSync(join(out, "metadata.json")).isFile()).toBe(true);
  });
});
