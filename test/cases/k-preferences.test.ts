import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import type { Io } from "../../src/doors/cli/io.ts";
import { isDestructive } from "../../src/teach/door.ts";
import { sanitizeSlug, slugOf } from "../../src/teach/slug.ts";
import { folder, NOW } from "./build.ts";

/** K. Preferences: who may set them, when they apply, where they are stored. */

interface RunResult {
  code: number;
  out: string;
  err: string;
}

const terminal = { outIsTerminal: true, errIsTerminal: true, inIsTerminal: true };

/** Runs the command with gstack's state and without a terminal, unless `more` says otherwise. */
async function run(root: string, words: string, more: Partial<Io> = {}): Promise<RunResult> {
  const result: RunResult = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => void (result.out += text),
    err: (text) => void (result.err += text),
    now: NOW,
    columns: 80,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: false,
    cwd: "/nowhere/app",
    env: { GSTACK_STATE_ROOT: root },
    ...more,
  };
  result.code = await main(["decisions", ...words.split(" ")], io);
  return result;
}

const typing = (answer: string): Partial<Io> => ({ ...terminal, ask: async () => answer });
const file = (root: string): string => join(root, "projects", "app", "question-preferences.json");
const events = (root: string): string => readFileSync(join(root, "projects", "app", "question-events.jsonl"), "utf8");
/** Adds two-way questions to the registry. */
const register = (root: string, ...ids: string[]): void => {
  const questions = ids.map((id) => ({ id, skill: "ship", door_type: "two-way" }));
  writeFileSync(join(root, "registry.json"), JSON.stringify({ questions }));
};
const verdict = async (root: string, words: string, more: Partial<Io> = {}): Promise<string> =>
  (await run(root, `check ${words}`, more)).out.trim();

describe("a preference can be set", () => {
  it.each(["inline-file", "inline-tool-output", "unknown", "agent"])(
    "145 by no one with the source %s, whatever the id is",
    async (source) => {
      const root = folder();
      for (const id of ["ship-x", "cso-finding-fix", "Bad_Id"])
        expect((await run(root, `prefer ${id} never-ask --source ${source}`)).code).toBe(2);
      expect(existsSync(join(root, "projects"))).toBe(false);
    },
  );

  it("by no one without a terminal for input and output", async () => {
    const root = folder();
    const { code, err } = await run(root, "prefer ship-x never-ask");
    expect([code, err]).toEqual([2, expect.stringContaining("only a person at a terminal can do this") as string]);
    // Only input or only output is a terminal.
    for (const more of [{ inIsTerminal: true }, { outIsTerminal: true }])
      expect((await run(root, "prefer ship-x never-ask", { ...more, ask: async () => "yes" })).code).toBe(2);
    for (const words of ["prefer ship-x --clear", "prefer --clear"]) expect((await run(root, words)).code).toBe(2);
    expect(existsSync(join(root, "projects"))).toBe(false);
  });

  it("by no agent, even if it has a terminal and types yes", async () => {
    const root = folder();
    for (const name of ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"]) {
      const env = { GSTACK_STATE_ROOT: root, [name]: "1" };
      expect((await run(root, "prefer ship-x never-ask", { ...typing("yes"), env })).code).toBe(2);
    }
    expect(existsSync(join(root, "projects"))).toBe(false);
  });

  it("by a human who confirms it at a terminal", async () => {
    const root = folder();
    expect((await run(root, "prefer ship-x never-ask", typing("no"))).code).toBe(0);
    expect(existsSync(file(root))).toBe(false);
    expect((await run(root, "prefer ship-x never-ask", typing("yes"))).code).toBe(0);
    expect(JSON.parse(readFileSync(file(root), "utf8"))).toEqual({ "ship-x": "never-ask" });
    expect(JSON.parse(events(root))).toEqual({
      ts: new Date(NOW).toISOString(),
      event_type: "preference-set",
      question_id: "ship-x",
      preference: "never-ask",
      source: "inline-user",
    });
  });

  it("by no command of gstack's without that human; which one was used is recorded", async () => {
    const root = folder();
    for (const source of ["plan-tune", "inline-user"])
      expect((await run(root, `prefer ship-x never-ask --source ${source}`)).code).toBe(2);
    expect(existsSync(join(root, "projects"))).toBe(false);
    expect((await run(root, "prefer ship-x never-ask --source plan-tune", typing("yes"))).code).toBe(0);
    expect(JSON.parse(events(root))).toMatchObject({ source: "plan-tune" });
  });

  it("by no agent that hides its variables, or that has no terminal of its own", async () => {
    const root = folder();
    const ancestors = (): Io["env"][] => [{ SHELL: "/bin/sh" }, { CLAUDECODE: "1" }];
    for (const more of [{ ancestors }, { controlsTerminal: false }])
      expect((await run(root, "prefer ship-x never-ask", { ...typing("yes"), ...more })).code).toBe(2);
    expect(existsSync(join(root, "projects"))).toBe(false);
  });
});

describe("the command prefer", () => {
  it("145 rejects never-ask for a one-way question with exit code 1, but accepts always-ask", async () => {
    const root = folder();
    for (const id of ["ship-test-failure-triage", "cso-anything", "land-and-deploy-new-gate"]) {
      expect((await run(root, `prefer ${id} never-ask`, typing("yes"))).code).toBe(1);
      expect(existsSync(file(root))).toBe(false);
    }
    expect((await run(root, "prefer ship-test-failure-triage always-ask", typing("yes"))).code).toBe(0);
    expect(JSON.parse(readFileSync(file(root), "utf8"))).toEqual({ "ship-test-failure-triage": "always-ask" });
  });

  it("rejects hash ids, split ids, invalid ids and invalid preferences", async () => {
    const root = folder();
    for (const [words, code] of [
      ["hook-0123456789 never-ask", 1],
      ["hook-0123456789 always-ask", 1],
      ["plan-split-auth never-ask", 1],
      ["plan-split-auth ask-only-for-one-way", 1],
      ["Ship_X never-ask", 2],
      ["ship-x sometimes", 2],
    ] as const)
      expect([words, (await run(root, `prefer ${words}`, typing("yes"))).code]).toEqual([words, code]);
    expect(existsSync(file(root))).toBe(false);
  });

  it("keeps other entries of the file, and does not overwrite a malformed file", async () => {
    const root = folder();
    mkdirSync(dirname(file(root)), { recursive: true });
    writeFileSync(file(root), '{"other-x":"always-ask","_note":{"a":1}}');
    await run(root, "prefer ship-x never-ask", typing("yes"));
    expect(JSON.parse(readFileSync(file(root), "utf8"))).toEqual({
      "other-x": "always-ask",
      _note: { a: 1 },
      "ship-x": "never-ask",
    });
    writeFileSync(file(root), '{"ship-x": ');
    const { code, err } = await run(root, "prefer ship-y never-ask", typing("yes"));
    expect([code, err]).toEqual([2, expect.stringContaining(file(root)) as string]);
    expect(readFileSync(file(root), "utf8")).toBe('{"ship-x": ');
    const checked = await run(root, "check ship-x");
    expect([checked.code, checked.out.split("\n")[0]]).toEqual([3, "ASK_NORMALLY"]);
  });

  it("144 lists preferences, and clears one or all of a project", async () => {
    const root = folder();
    for (const words of ["ship-a never-ask", "ship-b always-ask", "ship-c never-ask --global"])
      await run(root, `prefer ${words}`, typing("yes"));
    const listed = async (): Promise<unknown> =>
      (JSON.parse((await run(root, "prefer --list --json")).out) as { preferences: unknown }).preferences;
    expect(await listed()).toEqual([
      { question_id: "ship-a", preference: "never-ask", scope: "project", inert: true },
      { question_id: "ship-b", preference: "always-ask", scope: "project", inert: false },
      { question_id: "ship-c", preference: "never-ask", scope: "global", inert: true },
    ]);
    register(root, "ship-a", "ship-c");
    expect(await listed()).toMatchObject([{ inert: false }, { inert: false }, { inert: false }]);
    expect((await run(root, "prefer ship-a --clear", typing("yes"))).out).toBe("Removed: ship-a\n");
    expect((await run(root, "prefer ship-a --clear", typing("yes"))).out).toBe("Nothing was set.\n");
    await run(root, "prefer --clear", typing("yes"));
    expect(await listed()).toMatchObject([{ question_id: "ship-c" }]);
    expect(events(root).trim().split("\n")).toHaveLength(4);
  });
});

describe("the command check", () => {
  const set = async (...words: string[]): Promise<string> => {
    const root = folder();
    register(root, "ship-a", "ship-b", "ship-c", "ship-d");
    for (const one of words) await run(root, `prefer ${one}`, typing("yes"));
    return root;
  };

  it("lets a preference decide two-way questions only", async () => {
    const root = await set("ship-a never-ask", "ship-b ask-only-for-one-way", "ship-c always-ask");
    expect(await verdict(root, "ship-a")).toBe("AUTO_DECIDE");
    expect(await verdict(root, "ship-b")).toBe("AUTO_DECIDE");
    expect(await verdict(root, "ship-c")).toBe("ASK_NORMALLY");
    expect(await verdict(root, "ship-d")).toBe("ASK_NORMALLY");
    const words = { stdin: () => "Drop the old table?" };
    expect(await verdict(root, "ship-a --summary-stdin", words)).toMatch(/^ASK_NORMALLY\nNOTE: words of something/);
    expect(await verdict(root, "ship-b --summary-stdin", words)).toMatch(/^ASK_NORMALLY\nNOTE: words of something/);
    const foreign = { stdin: () => "Die alte Tabelle leeren?" };
    expect(await verdict(root, "ship-a --summary-stdin", foreign)).toMatch(/^ASK_NORMALLY\nNOTE: a text that is not/);
  });

  it("asks a question that is not registered, whatever the preference and the words", async () => {
    const root = await set("ship-x never-ask", "ship-y ask-only-for-one-way");
    for (const id of ["ship-x", "ship-y"])
      expect(await verdict(root, `${id} --summary Colour?`)).toMatch(/^ASK_NORMALLY\nNOTE: a question that is not in/);
    expect(await verdict(root, "ship-x --skill cso --category approval")).toMatch(/^ASK_NORMALLY\nNOTE: a one-way/);
  });

  it("prefers the project's preference to the global one", async () => {
    const root = await set("ship-a never-ask --global", "ship-a always-ask", "ship-b never-ask --global");
    expect(await verdict(root, "ship-a")).toBe("ASK_NORMALLY");
    expect(await verdict(root, "ship-b")).toBe("AUTO_DECIDE");
  });

  it("ignores preferences for split, hash and one-way ids in the file, and reports unknown values", async () => {
    const root = folder();
    mkdirSync(dirname(file(root)), { recursive: true });
    const preferences = {
      "a-split-b": "never-ask",
      "hook-0123456789": "never-ask",
      "cso-finding-fix": "never-ask",
      x: "maybe",
    };
    writeFileSync(file(root), JSON.stringify(preferences));
    expect(await verdict(root, "a-split-b")).toMatch(/^ASK_NORMALLY\nNOTE: options of a split/);
    expect(await verdict(root, "hook-0123456789")).toBe("ASK_NORMALLY");
    expect(await verdict(root, "cso-finding-fix")).toMatch(/^ASK_NORMALLY\nNOTE: a one-way/);
    expect(await verdict(root, "x")).toBe("ASK_NORMALLY\nNOTE: unknown preference: maybe");
  });

  it("takes the door type from the registry, whose entries without one are one-way; words can only make it stricter", async () => {
    const root = await set("ship-a never-ask", "ship-b never-ask");
    const questions = [{ id: "ship-a", skill: "ship", door_type: "two-way" }, { id: "ship-b" }];
    writeFileSync(join(root, "registry.json"), JSON.stringify({ questions }));
    const words = { stdin: () => "Delete it?" };
    expect(await verdict(root, "ship-a")).toBe("AUTO_DECIDE");
    expect(await verdict(root, "ship-a --summary-stdin", words)).toMatch(/^ASK_NORMALLY/);
    expect(await verdict(root, "ship-b")).toMatch(/^ASK_NORMALLY/);
    writeFileSync(join(root, "registry.json"), "[");
    expect((await run(root, "check ship-a")).code).toBe(3);
  });
});

describe("147 isDestructive", () => {
  it.each([
    "rotate the credentials",
    "revoke all tokens",
    "reset my secret",
    "Should I delete the branch?",
    "DROP the users table?",
    "git push origin main --force",
    "rm -rf build?",
    "Run the schema migration?",
    "Roll back the deploy?",
    "dеlete everything", // a Cyrillic e
    "de\u200blete everything",
  ])("is true for: %s", (text) => expect(isDestructive(text)).toBe(true));

  it.each([
    "Which colour should the button be?",
    "Rotate the logo by 90 degrees?",
    "Reset the form after sending?",
    "How many tokens fit into the context?",
    "Remove the extra comma?",
    "Create TODOS.md now?",
    "Drop the idea or keep it?",
  ])("is false for: %s", (text) => expect(isDestructive(text)).toBe(false));
});

describe("148 the slug of a project", () => {
  const git = (dir: string, origin?: string): string => {
    mkdirSync(join(dir, ".git"), { recursive: true });
    writeFileSync(join(dir, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(dir, ".git", "config"), origin === undefined ? "" : `[remote "origin"]\n\turl = ${origin}\n`);
    return dir;
  };
  const sub = (...parts: string[]): string => {
    const dir = join(...(parts as [string]));
    mkdirSync(dir, { recursive: true });
    return dir;
  };
  const state = (root: string): { root: string; owner: "gstack" } => ({ root, owner: "gstack" });

  it.each([
    "https://git.example/harbor/shop.git",
    "https://git.example/harbor/shop",
    "git@git.example:harbor/shop.git",
    "ssh://git@git.example:22/harbor/shop.git",
  ])("is owner and repository of the remote %s, from any subdirectory", (url) => {
    const dir = git(sub(folder(), "x"), url);
    expect(slugOf(sub(dir, "src", "lib"), null, {})).toBe("harbor-shop");
  });

  it("is that of the outermost repository with a remote; an empty .git directory is no repository", () => {
    const outer = git(sub(folder(), "outer"), "https://git.example/a/outer");
    expect(slugOf(git(sub(outer, "vendor", "inner"), "https://git.example/b/inner"), null, {})).toBe("a-outer");
    const stray = folder();
    sub(stray, ".git");
    expect(slugOf(git(sub(stray, "app"), "https://git.example/a/app"), null, {})).toBe("a-app");
    expect(slugOf(git(sub(stray, "plain")), null, {})).toBe("plain");
  });

  it("is the name of the project's root if there is no remote, found by strong marks before weak ones", () => {
    const root = sub(folder(), "site");
    writeFileSync(join(root, "README.md"), "");
    sub(root, "web", ".vercel");
    expect(slugOf(join(root, "web"), null, {})).toBe("site");
    expect(slugOf(git(sub(root, "vendored")), null, {})).toBe("vendored");
    expect(slugOf("/nowhere/at all", null, {})).toBe("atall");
  });

  it("is the clone's name for a worktree of a clone without a remote", () => {
    const dir = folder();
    const main = git(sub(dir, "shop"));
    const own = sub(main, ".git", "worktrees", "fix");
    writeFileSync(join(own, "commondir"), "../..\n");
    const tree = sub(dir, "elsewhere", "fix");
    writeFileSync(join(tree, ".git"), `gitdir: ${own}\n`);
    expect(slugOf(tree, null, {})).toBe("shop");
  });

  it("is taken from the environment or gstack's cache, without characters special to a shell", () => {
    const dir = sub(folder(), "app");
    const root = folder();
    const cache = sub(root, "slug-cache");
    const cached = join(cache, dir.replaceAll("/", "_"));
    writeFileSync(cached, "noted-name\n");
    expect(slugOf(dir, state(root), {})).toBe("noted-name");
    expect(slugOf(dir, state(root), { GSTACK_PROJECT_SLUG: "mine" })).toBe("mine");
    expect(readFileSync(cached, "utf8")).toBe("noted-name\n");
    writeFileSync(cached, "a$(touch x);`b`/../..");
    expect(slugOf(dir, state(root), {})).toBe("atouchxb....");
    expect([sanitizeSlug("../.."), sanitizeSlug(""), sanitizeSlug("..")]).toEqual([null, null, null]);
  });

  it("is not taken from a wrong entry of gstack's cache: a subdirectory's name, or an outer root's", () => {
    const root = folder();
    const note = (dir: string, text: string): void => {
      writeFileSync(join(sub(root, "slug-cache"), dir.replaceAll("/", "_")), text);
    };
    const project = sub(folder(), "site");
    writeFileSync(join(project, "package.json"), "{}");
    const inner = sub(project, "web");
    note(inner, "web");
    expect(slugOf(inner, state(root), {})).toBe("site");
    const outer = git(sub(folder(), "outer"));
    const repo = git(sub(outer, "repo"), "https://git.example/a/repo");
    note(repo, "outer");
    expect(slugOf(repo, state(root), {})).toBe("a-repo");
  });
});
