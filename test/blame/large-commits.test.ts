import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Daybook, type Progress } from "../../src/answers/daybook.ts";
import { scratch } from "../store/fixture.ts";
import { LEDGER_ROOTS, ledgerRepository } from "./ledger.ts";

describe("a commit of more files than Daybook looks at", () => {
  it("reports how many files were skipped, and its progress", async () => {
    const cwd = scratch("large-commit");
    const git = (...words: string[]): void =>
      void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...words], { cwd });
    for (let i = 0; i < 203; i++) writeFileSync(join(cwd, `f${i}`), "one\ntwo\n");
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "many");
    const ticks: Parameters<Progress>[0][] = [];
    const daybook = new Daybook({
      roots: {},
      env: {},
      home: "/nowhere",
      timezone: "UTC",
      onProgress: (done) => ticks.push(done),
    });
    const [commit] = await daybook.commits("HEAD", { cwd });
    expect(commit).toMatchObject({ subject: "many", lines: 400, attributed: 0, files_skipped: 3, turns: [] });
    expect(ticks.at(-1)).toMatchObject({ files: 200, of: 200 });
  });
});

describe("a range of more commits than Daybook looks at", () => {
  it("is cut to the newest, with a note", async () => {
    const cwd = scratch("long-range");
    execFileSync("git", ["init", "-q"], { cwd });
    const commits = Array.from(
      { length: 202 },
      (_, i) => `commit refs/heads/long\ncommitter a <a@example.invalid> ${1_700_000_000 + i} +0000\ndata 1\nx\n`,
    );
    execFileSync("git", ["fast-import", "--quiet"], { cwd, input: commits.join("\n") });
    const notes: string[] = [];
    const options = {
      roots: {},
      env: {},
      home: "/nowhere",
      timezone: "UTC",
      onNote: (text: string) => notes.push(text),
    };
    const daybook = new Daybook(options);
    expect(await daybook.commits("long~201..long", { cwd })).toHaveLength(200);
    expect(notes).toEqual(["only the newest 200 commits of the range are shown"]);
    expect(await daybook.commits("long~200..long", { cwd })).toHaveLength(200);
    expect(notes).toHaveLength(1);
  });
});

describe("the commits of a repository in which no session worked", () => {
  it("have as many lines as if its sessions were known", async () => {
    const cwd = ledgerRepository();
    const linesFrom = async (roots: Record<string, string[]>): Promise<(string | number)[][]> => {
      const commits = await new Daybook({ roots, env: {}, home: "/nowhere", timezone: "UTC" }).commits("HEAD~9..HEAD", {
        cwd,
      });
      return commits.map(({ subject, lines, files_skipped }) => [subject, lines, files_skipped]);
    };
    const counted = await linesFrom({});
    expect(counted.filter(([, lines]) => Number(lines) > 0).length).toBeGreaterThan(5);
    expect(counted).toEqual(await linesFrom(LEDGER_ROOTS));
  });
});
