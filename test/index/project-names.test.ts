import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../../src/service.ts";
import { A, CA, CU, E, M, R, TD, TS, write } from "../cases/build.ts";
import { answers, open, scratch, type Roots } from "./fixture.ts";

const CWD = "/nowhere/src/tidepool";
const CODEX = "019e2f1c-0000-7000-8000-000000000001";
const CLAUDE = "11111111-2222-4333-8444-555555555555";

/** Claude Code records no remote; Codex does. */
function files(): { roots: Roots; claude: () => void; codex: (remote?: string, id?: string) => void } {
  const dir = scratch("names");
  const roots = { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
  write(join(dir, "codex", "none"), []);
  write(join(dir, "claude", "none"), []);
  return {
    roots,
    claude() {
      write(join(dir, "claude", "-nowhere-src-tidepool", `${CLAUDE}.jsonl`), [
        CU('say {"project":"tidepool"}', { cwd: CWD }),
        CA("done", { output: 5, stop: "end_turn" }, { cwd: CWD }),
        CU("again", { cwd: CWD }),
      ]);
    },
    codex(remote = "git@git.example:harbor-labs/tidepool.git", id = CODEX) {
      write(join(dir, "codex", `rollout-2026-05-12T08-00-00-${id}.jsonl`), [
        M(id, { cwd: CWD, git: { repository_url: remote } }),
        ...[TS(), R("go"), E("go"), A("done"), TD()],
      ]);
    },
  };
}

async function names(daybook: Daybook): Promise<string[]> {
  const found = [...(await daybook.sessions()), ...(await daybook.turns())];
  return found
    .map(({ source, project, project_key }) => `${source} ${project} ${project_key.slice(0, -13)}`)
    .toSorted();
}

describe("sessions of one directory", () => {
  it.each([
    ["claude", "codex"],
    ["codex", "claude"],
  ] as const)("share the name one of them recorded, %s read first", async (first, second) => {
    const made = files();
    const home = scratch("home");
    made[first]();
    const before = open(made.roots, home);
    const own = first === "claude" ? "tidepool" : "harbor-labs-tidepool";
    expect(new Set((await before.sessions()).map(({ project }) => project))).toEqual(new Set([own]));
    before.close();
    made[second]();
    const book = open(made.roots, home);
    const all = await names(book);
    expect(all).toHaveLength(5);
    for (const name of all) expect(name).toMatch(/ harbor-labs-tidepool harbor-labs-tidepool$/);
    expect(await book.turns({ project: "tidepool" })).toEqual([]);
    expect(await book.turns({ project: "harbor-labs-tidepool" })).toHaveLength(3);
    expect(await answers(book)).toEqual(await answers(open(made.roots)));
    book.close();
    const [turn] = await open(made.roots, home).turns({ session: CLAUDE });
    expect(turn?.trigger.text).toBe('say {"project":"tidepool"}');
    expect((await open(made.roots, home).sync()).rows_written).toBe(0);
  });

  it("take the first of several names, whatever came first, and those that recorded one keep it", async () => {
    const made = files();
    const home = scratch("home");
    made.codex("https://git.example/beta/tidepool", CODEX);
    made.claude();
    const before = open(made.roots, home);
    expect(await names(before)).toContain("claude-code beta-tidepool beta-tidepool");
    before.close();
    made.codex("https://git.example/alpha/tidepool", CODEX.replace(/1$/, "2"));
    const book = open(made.roots, home);
    const all = await names(book);
    expect(all.filter((name) => name.startsWith("claude"))).toEqual(
      Array.from({ length: 3 }, () => "claude-code alpha-tidepool alpha-tidepool"),
    );
    expect(all).toContain("codex beta-tidepool beta-tidepool");
    expect(await answers(book)).toEqual(await answers(open(made.roots)));
  });
});
