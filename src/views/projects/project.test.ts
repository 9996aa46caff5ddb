import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nameFromRemote, repositoryOf, slug } from "./label.ts";
import { canonicalRoot, tidyPath } from "./paths.ts";
import { toProject, ProjectNamer, type NamerOptions, type ProjectPlace, type Project } from "./project.ts";
import { locateProjects } from "./projects.ts";

const CLAUDE = (dir: string): string | null => /^(.+?)\/\.claude\/worktrees\/[^/]+/.exec(dir)?.[1] ?? null;

function placeOf(cwd: string | null, remote: string | null = null, options: NamerOptions = {}): ProjectPlace {
  return new ProjectNamer({ layouts: [CLAUDE], ...options }).place({ source: "codex", session_id: "s", cwd, remote });
}

function projectOf(cwd: string, options: NamerOptions = {}): Project {
  const { name, root } = placeOf(cwd, null, options);
  return toProject(name, root);
}

function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "daybook-projects-")));
}

/** Writes a file and creates its directories. */
function put(path: string, text = ""): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return dirname(path);
}

/** A repository with a worktree beside it, as written by `git init` and `git worktree add` (2.39). */
function repository(remote?: string): { main: string; worktree: string } {
  const dir = folder();
  const main = join(dir, "shop");
  bare(join(main, ".git"), remote);
  return { main, worktree: worktreeOf(join(main, ".git"), join(dir, "elsewhere", "refunds")) };
}

function bare(git: string, remote?: string): string {
  put(join(git, "HEAD"), "ref: refs/heads/main\n");
  const origin = remote === undefined ? "" : `[remote "origin"]\n\turl = ${remote}\n\tfetch = +refs/heads/*\n`;
  put(join(git, "config"), `[core]\n\trepositoryformatversion = 0\n${origin}`);
  return git;
}

function worktreeOf(git: string, dir: string): string {
  const own = join(git, "worktrees", dir.split("/").at(-1) as string);
  put(join(own, "HEAD"), "ref: refs/heads/x\n");
  put(join(own, "commondir"), "../..\n");
  put(join(own, "gitdir"), `${dir}/.git\n`);
  return put(join(dir, ".git"), `gitdir: ${own}\n`);
}

describe("a project's label", () => {
  it.each([
    ["天気予報", "天気予報"],
    ["Проект Погода", "Проект-Погода"],
    ["مشروع", "مشروع"],
    ["मौसम", "मौसम"],
    ["e\u0301tude", "étude"],
    ["🚀", "🚀"],
    ["My Project (v2)", "My-Project-v2"],
    ["a\ufffdb\ud800c\0d\u202ee", "a-b-c-d-e"],
    ["\u0301mark", "mark"],
    ["...", "unknown-project"],
    ["", "unknown-project"],
  ])("of %j is %j", (name, label) => {
    expect(slug(name)).toBe(label);
  });

  it("is truncated to 48 characters without splitting a surrogate pair", () => {
    expect(slug("𠮷".repeat(60))).toBe("𠮷".repeat(48));
    expect(slug(`${"a".repeat(47)}--b`)).toBe("a".repeat(47));
  });
});

describe("a recorded directory", () => {
  it.each([
    ["/home/u/app/", "/home/u/app"],
    ["/home/u//app", "/home/u/app"],
    ["C:\\code\\app\\", "C:/code/app"],
    ["C:\\", "C:/"],
    ["\\\\server\\share\\app\\", "//server/share/app"],
    ["file:///home/u/a%20b", "/home/u/a b"],
    ["/", "/"],
    ["~/app", "/home/u/app"],
    ["file://%", "file:/%"],
  ])("%j is normalised to %j", (recorded, normalised) => {
    expect(tidyPath(recorded, "/home/u")).toBe(normalised);
  });

  it("is the same project with or without a trailing slash, on every operating system", () => {
    for (const [a, b] of [
      ["/nowhere/app", "/nowhere/app/"],
      ["C:\\code\\app", "C:\\code\\app\\"],
      ["\\\\server\\share\\app", "//server/share/app/"],
    ])
      expect(projectOf(a as string)).toEqual(projectOf(b as string));
    expect(projectOf("\\\\server\\share\\app").project).toBe("app");
    expect(projectOf("D:/").project).toBe("D");
  });

  it("gets a project key even if it is not a valid path", () => {
    for (const cwd of ["\0", "\ud800", "/nowhere/\ufffd", ".", "..", "C:", "\\\\", "a".repeat(10_000), "/".repeat(300)])
      expect(projectOf(cwd).project_key).toMatch(/^.+-[0-9a-f]{12}$/u);
  });

  it("keeps a backslash that is part of an existing directory's name", () => {
    const dir = put(join(folder(), "a\\b", "x"));
    expect(canonicalRoot(dir)).toBe(dir);
  });
});

describe("a directory on disk", () => {
  it("belongs to the nearest parent directory with a project file if there is no repository", () => {
    const dir = folder();
    put(join(dir, "README.md"));
    const app = put(join(dir, "outer", "app", "package.json"), "{}");
    const deep = put(join(app, "src", "README.md"));
    expect(projectOf(deep)).toEqual(toProject("app", app));
    const plain = put(join(dir, "notes", "week", "a.txt"));
    expect(projectOf(plain)).toEqual(toProject(dir.split("/").at(-1) as string, dir));
    for (const mark of ["pyproject.toml", "go.mod", "Cargo.toml"]) {
      const root = put(join(folder(), "tool", mark));
      expect(projectOf(put(join(root, "lib", "x")))).toEqual(toProject("tool", root));
    }
  });

  it("does not belong to the home directory because of a project file there", () => {
    const home = folder();
    put(join(home, "package.json"), "{}");
    const dir = put(join(home, "play", "x"));
    expect(projectOf(dir, { home })).toEqual(toProject("play", dir));
  });

  it("in a repository belongs to the repository's root, also through a symbolic link", () => {
    const { main } = repository();
    const sub = put(join(main, "packages", "web", "package.json"), "{}");
    expect(projectOf(sub)).toEqual(toProject("shop", main));
    const link = join(folder(), "shortcut");
    symlinkSync(sub, link);
    expect(projectOf(link)).toEqual(toProject("shop", main));
  });

  it("that is a worktree belongs to the project of the main checkout, even if that was deleted", () => {
    const { main, worktree } = repository();
    expect(projectOf(worktree)).toEqual(toProject("shop", main));
    expect(projectOf(main)).toEqual(toProject("shop", main));
    rmSync(main, { recursive: true });
    expect(projectOf(worktree)).toEqual(toProject("shop", main));
  });

  it("that is a worktree of a bare repository belongs to the same project as its other worktrees", () => {
    const dir = folder();
    const git = bare(join(dir, "shop.git"));
    for (const name of ["a", "b"]) expect(projectOf(worktreeOf(git, join(dir, name)))).toEqual(toProject("shop", git));
    const hidden = bare(join(dir, "proj", ".bare"));
    const main = worktreeOf(hidden, join(dir, "proj", "main"));
    expect(projectOf(main)).toEqual(toProject("proj", join(dir, "proj")));
  });
});

describe("a deleted worktree", () => {
  it("belongs to the repository that contained it, if its path follows a known layout", () => {
    for (const dir of ["/nowhere/shop/.claude/worktrees/fix-1", "/nowhere/shop/.worktrees/fix-1/src"])
      expect(projectOf(dir)).toEqual(toProject("shop", "/nowhere/shop"));
    const { main } = repository("git@git.example:harbor/shop.git");
    expect(projectOf(join(main, ".claude/worktrees/gone"))).toEqual(toProject("harbor-shop", main));
  });

  it("next to its repository belongs to it if another session worked in the repository", () => {
    const [worktree, main] = [placeOf("/nowhere/shop-wt/refund"), placeOf("/nowhere/shop")];
    expect(locateProjects([worktree, main])(worktree)).toMatchObject(toProject("shop", "/nowhere/shop"));
    expect(locateProjects([worktree])(worktree)).toMatchObject(toProject("refund", "/nowhere/shop-wt/refund"));
    const other = placeOf("/nowhere/shop.worktrees/a/src");
    expect(locateProjects([main, other])(other)).toMatchObject(toProject("shop", "/nowhere/shop"));
  });

  it("in a pool of worktrees belongs to the repository that the pool is named after", () => {
    const pool = "/Users/ann/conductor/workspaces/shop";
    const [one, two] = [placeOf(`${pool}/dublin`), placeOf(`${pool}/rio-de-janeiro/backend`)];
    const alone = locateProjects([one, two]);
    for (const place of [one, two]) expect(alone(place)).toMatchObject(toProject("shop", pool));
    expect(projectOf("/nowhere/shop/.conductor/vienna")).toEqual(toProject("shop", "/nowhere/shop"));
  });

  it("in a pool belongs to the only known checkout of that name, and to none of two", () => {
    const gone = placeOf("/Users/ann/conductor/workspaces/shop/dublin");
    const main = placeOf("/Users/ann/code/shop", "https://git.example/harbor/shop");
    const shop = toProject("harbor-shop", "/Users/ann/code/shop");
    for (const places of [
      [gone, main],
      [main, gone],
    ])
      expect(locateProjects(places)(gone)).toMatchObject(shop);
    const other = placeOf("/Users/ann/old/shop");
    expect(locateProjects([gone, main, other])(gone).root).toBe("/Users/ann/conductor/workspaces/shop");
    const cloned = placeOf("/Users/ann/conductor/repos/shop");
    expect(locateProjects([gone, main, other, cloned])(gone).root).toBe("/Users/ann/conductor/repos/shop");
  });

  it("in a pool belongs to the checkout of a sibling that is still there", () => {
    const { main } = repository();
    const pool = join(dirname(main), "conductor/workspaces/shop");
    const sibling = placeOf(worktreeOf(join(main, ".git"), join(pool, "oslo")));
    const gone = placeOf(join(pool, "dublin"));
    const places = [gone, sibling, placeOf("/nowhere/one/shop"), placeOf("/nowhere/two/shop")];
    for (const place of [gone, sibling]) expect(locateProjects(places)(place)).toMatchObject(toProject("shop", main));
  });

  it("in a pool beside a clone that is still there belongs to it", () => {
    const dir = folder();
    const clone = join(dir, "conductor/repos/shop");
    bare(join(clone, ".git"), "git@git.example:harbor/shop.git");
    const gone = placeOf(join(dir, "conductor/workspaces/shop/dublin"));
    expect(locateProjects([gone])(gone)).toMatchObject(toProject("harbor-shop", clone));
  });

  it("is not assumed in the home directory, where programs keep their own files", () => {
    expect(projectOf("/home/u/.conductor/missions", { home: "/home/u" }).project).toBe("missions");
  });

  it("belongs to the main checkout with the same remote, in any spelling of the URL", () => {
    const main = placeOf("/nowhere/src/shop", "https://token@git.example/Harbor/shop.git");
    const gone = placeOf("/home/u/.agent/worktrees/3fa1/shop", "git@git.example:Harbor/shop");
    const withoutRemote = placeOf("/nowhere/src/shop");
    for (const places of [
      [main, gone, withoutRemote],
      [withoutRemote, gone, main],
    ]) {
      const of = locateProjects(places);
      for (const place of places) expect(of(place)).toMatchObject(toProject("Harbor-shop", "/nowhere/src/shop"));
    }
  });

  it("belongs to a checkout with the same remote that is still on disk, while clones stay separate projects", () => {
    const url = "https://git.example/harbor/shop";
    const [one, two] = [repository(url), repository(url)];
    const gone = placeOf("/nowhere/shop", url);
    const places = [placeOf(one.main, url), placeOf(two.main), gone];
    const of = locateProjects(places);
    const roots = places.map((place) => of(place).root);
    expect(roots.slice(0, 2)).toEqual([one.main, two.main]);
    expect(roots[2]).toBe([one.main, two.main].toSorted()[0]);
  });
});

describe("a session without a directory", () => {
  it("belongs to the project with the recorded remote, or to a project of its own", () => {
    const main = placeOf("/nowhere/shop", "https://git.example/harbor/shop");
    const noDirectory = placeOf(null, "https://git.example/harbor/shop");
    expect(locateProjects([main, noDirectory])(noDirectory)).toMatchObject(toProject("harbor-shop", "/nowhere/shop"));
    expect(locateProjects([noDirectory])(noDirectory)).toMatchObject(
      toProject("harbor-shop", "unknown-project/codex/s"),
    );
  });
});

describe("a project name from the configuration", () => {
  const userNames = { "/nowhere/shop": "Der Laden", "/nowhere/old/shop": "Der Laden", "/nowhere/shop/vendor/": "lib" };

  it("overrides the recorded name for the whole directory, and merges directories with the same name", () => {
    const laden = toProject("Der-Laden", "/nowhere/shop");
    const remote = "https://git.example/harbor/shop";
    for (const cwd of ["/nowhere/shop", "/nowhere/shop/src/", "/nowhere/old/shop/x"]) {
      const place = placeOf(cwd, remote, { userNames });
      expect(locateProjects([place, placeOf("/nowhere/other", remote)])(place)).toMatchObject(laden);
    }
    expect(projectOf("/nowhere/shop/vendor/x", { userNames })).toEqual(toProject("lib", "/nowhere/shop/vendor"));
    expect(projectOf("/nowhere/shopping", { userNames }).project).toBe("shopping");
    expect(projectOf("C:\\code\\app\\src", { userNames: { "C:\\code\\app": "app" } }).project).toBe("app");
  });
});

describe("a remote URL", () => {
  it.each([
    ["https://github.com/o/r.git", "o-r", "github.com/o/r"],
    ["git@github.com:o/r.git", "o-r", "github.com/o/r"],
    ["ssh://git@github.com:22/o/r/", "o-r", "github.com/o/r"],
    ["https://user:pass@github.com/o/r?x#y", "o-r", "github.com/o/r"],
    ["https://gitlab.example/group/sub/r", "sub-r", "gitlab.example/group/sub/r"],
    ["/srv/git/r.git", "git-r", "srv/git/r"],
  ])("%s gives the name %s and the repository %s", (url, name, repository) => {
    expect([nameFromRemote(url), repositoryOf(url)]).toEqual([name, repository]);
  });
});
