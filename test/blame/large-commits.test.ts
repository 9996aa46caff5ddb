import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Daybook, type Progress } from "../../src/daybook.ts";
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
