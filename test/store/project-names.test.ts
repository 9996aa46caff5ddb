import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Daybook } from "../../src/answers/daybook.ts";
import { A, CA, CU, E, M, R, TD, TS, write } from "../cases/build.ts";
import { prepared } from "../cases/workspace.ts";
import { answers, open, scratch, syncBook, type Roots } from "./fixture.ts";

const CWD = "/nowhere/src/tidepool";
const CODEX = "019e2f1c-0000-7000-8000-000000000001";
const CLAUDE = "11111111-2222-4333-8444-555555555555";

/** Writers of a Claude Code session, which records no git remote, and of a Codex session, which does. */
function sessionFiles(): { roots: Roots; claude: () => void; codex: (remote?: string, id?: string) => void } {
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
        TS(),
        R("go"),
        E("go"),
        A("done"),
        TD(),
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
  ] as const)("share the project name that one of them recorded, %s read first", async (first, second) => {
    const files = sessionFiles();
    const home = scratch("home");
    files[first]();
    const before = open(files.roots, home);
    const own = first === "claude" ? "tidepool" : "harbor-labs-tidepool";
    expect(new Set((await before.sessions()).map(({ project }) => project))).toEqual(new Set([own]));
    before.close();
    files[second]();
    const book = open(files.roots, home);
    const all = await names(book);
    expect(all).toHaveLength(5);
    for (const name of all) expect(name).toMatch(/ harbor-labs-tidepool harbor-labs-tidepool$/);
    expect(await book.turns({ project: "tidepool" })).toEqual([]);
    expect(await book.turns({ project: "harbor-labs-tidepool" })).toHaveLength(3);
    expect(await answers(book)).toEqual(await answers(open(files.roots)));
    book.close();
    const [turn] = await open(files.roots, home).turns({ session: CLAUDE });
    expect(turn?.trigger.text).toBe('say {"project":"tidepool"}');
    expect((await syncBook(files.roots, home)).rows_written).toBe(0);
  });

  it("take the alphabetically first recorded name, and those that recorded one keep it", async () => {
    const files = sessionFiles();
    const home = scratch("home");
    files.codex("https://git.example/beta/tidepool", CODEX);
    files.claude();
    const before = open(files.roots, home);
    expect(await names(before)).toContain("claude-code beta-tidepool beta-tidepool");
    before.close();
    files.codex("https://git.example/alpha/tidepool", CODEX.replace(/1$/, "2"));
    const book = open(files.roots, home);
    const all = await names(book);
    expect(all.filter((name) => name.startsWith("claude"))).toEqual(
      Array.from({ length: 3 }, () => "claude-code alpha-tidepool alpha-tidepool"),
    );
    expect(all).toContain("codex beta-tidepool beta-tidepool");
    expect(await answers(book)).toEqual(await answers(open(files.roots)));
  });
});

describe("worktrees of one repository", () => {
  const MAIN = "/nowhere/src/tidepool";
  const URL = "https://git.example/harbor-labs/tidepool.git";
  /** Directories of sessions, and the remotes they recorded, in the order in which they are read. */
  const RAN: [cwd: string, remote: string | null][] = [
    ["/nowhere/src/tidepool-wt/refund", null],
    ["/nowhere/.agent/worktrees/3fa1/tidepool", "git@git.example:harbor-labs/tidepool"],
    [`${MAIN}/.claude/worktrees/swift-otter`, null],
    [`${MAIN}/`, null],
    [MAIN, URL],
  ];

  it.each([
    ["as listed", RAN],
    ["backwards", RAN.toReversed()],
  ])("are one project in lists and in `prepare`, read %s, with and without a book", async (_, order) => {
    const dir = scratch("worktrees");
    const home = scratch("home");
    const roots = { codex: [dir] };
    for (const [i, [cwd, remote]] of order.entries()) {
      const id = CODEX.replace(/1$/, String(i));
      write(join(dir, `rollout-2026-05-12T08-00-0${i}-${id}.jsonl`), [
        M(id, { cwd, ...(remote === null ? {} : { git: { repository_url: remote } }) }),
        TS(),
        R(`go ${i}`),
        E(`go ${i}`),
        A("done"),
        TD(),
      ]);
      // One sync per session: later sessions change the project names of earlier ones.
      const step = open(roots, home);
      await step.sync();
      step.close();
    }
    const book = open(roots, home);
    const direct = open(roots);
    const key = (await book.sessions()).map(({ project_key }) => project_key);
    expect(new Set(key).size).toBe(1);
    expect(key[0]).toMatch(/^harbor-labs-tidepool-/);
    expect(await answers(book)).toEqual(await answers(direct));
    for (const daybook of [book, direct]) {
      // The main directory selects all sessions, that of a worktree only those in it.
      expect(await daybook.turns({ project: `${MAIN}/` })).toHaveLength(RAN.length);
      expect(await daybook.turns({ project: RAN[0]?.[0] })).toHaveLength(1);
      const { notes, projects } = await prepared(daybook, { date: "2026-05-12" });
      expect(projects).toBe(1);
      expect(new Set(notes.sessions.map((one) => one.canonical_project_root))).toEqual(new Set([MAIN]));
    }
  });
});

describe("project names from the configuration", () => {
  it("apply without reading a file again, and no longer once they are removed", async () => {
    const files = sessionFiles();
    const home = scratch("home");
    files.claude();
    files.codex();
    const projects = { "/nowhere/src": "Alles Übrige" };
    const plain = open(files.roots, home);
    expect(new Set((await plain.sessions()).map(({ project }) => project))).toEqual(new Set(["harbor-labs-tidepool"]));
    const before = await answers(plain);
    plain.close();
    const named = open(files.roots, home, { projects });
    const report = await named.sync();
    expect([report.files_read, report.rows_written > 0]).toEqual([0, true]);
    const keys = new Set((await named.turns()).map(({ project_key }) => project_key));
    expect([...keys][0]).toMatch(/^Alles-Übrige-[0-9a-f]{12}$/);
    expect(keys.size).toBe(1);
    expect(await answers(named)).toEqual(await answers(open(files.roots, undefined, { projects })));
    named.close();
    // A query notices the changed setting without an explicit sync.
    const again = open(files.roots, home);
    expect(await answers(again)).toEqual(before);
  });
});
