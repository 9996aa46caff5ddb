import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isNetworkPath, textAt } from "../../base/io/named-path.ts";
import { basename } from "./label.ts";
import { tidyPath } from "./paths.ts";

/** The project root and repository of a directory that still exists on disk. */
export interface DirectoryOnDisk {
  root: string;
  /** Remote URL of the root's repository. */
  remote: string | null;
  /** The root is a repository, so neither naming conventions nor other sessions are needed to identify the checkout. */
  isRepository: boolean;
}

/** Files that mark the top directory of a project, the most reliable first. Build outputs are not among them. */
const MARKERS: readonly (readonly string[])[] = [
  [
    ".hg",
    ".svn",
    ".jj",
    ".project.yaml",
    "package.json",
    "deno.json",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "Cargo.toml",
    "Gemfile",
    "composer.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
  ],
  ["README", "README.md", "README.rst", "README.txt", "LICENSE", "LICENSE.md"],
];

const DEEPEST = 64;

/** Null when the directory no longer exists. `home` itself is never a project, whatever files it contains. */
export function inspectDirectory(dir: string, home: string): DirectoryOnDisk | null {
  const above = ancestors(dir);
  if (above.length === 0) return null;
  return repositoryAround(above) ?? { root: markedRoot(above, home) ?? dir, remote: null, isRepository: false };
}

/**
 * Chooses the outermost repository with a remote, so that vendored clones inside a project do not split it; if none has
 * a remote, the nearest repository.
 */
function repositoryAround(above: readonly string[]): DirectoryOnDisk | null {
  let found: DirectoryOnDisk | null = null;
  for (const dir of above) {
    const git = gitDir(dir);
    if (git === null) continue;
    const remote = remoteOf(git);
    if (found === null || remote !== null) found = { root: mainRoot(dir, git), remote, isRepository: true };
  }
  return found;
}

function markedRoot(above: readonly string[], home: string): string | null {
  const end = above.findIndex((dir) => tidyPath(dir) === home || dirname(dir) === dir);
  const asked = end === -1 ? above : above.slice(0, end);
  for (const markers of MARKERS) {
    const found = asked.find((dir) => markers.some((name) => existsSync(join(dir, name))));
    if (found !== undefined) return found;
  }
  return null;
}

export function ancestors(cwd: string): string[] {
  if (!isAbsolute(cwd) || isNetworkPath(cwd) || !existsSync(cwd)) return [];
  const out: string[] = [];
  for (let dir = resolve(cwd); out.length < DEEPEST; dir = dirname(dir)) {
    out.push(dir);
    if (dirname(dir) === dir) break;
  }
  return out;
}

/** `.git` is a directory, or in a worktree a file that points at one. */
export function gitDir(dir: string): string | null {
  const path = join(dir, ".git");
  try {
    if (statSync(path).isDirectory()) return existsSync(join(path, "HEAD")) ? path : null;
    const target = /^gitdir:\s*(.+)\s*$/m.exec(textAt(path) ?? "")?.[1];
    return target ? resolve(dir, target) : null;
  } catch {
    return null;
  }
}

/** The shared git directory of a worktree; derived from the worktree's own path when `commondir` is missing. */
function commonDir(git: string): string {
  const common = textAt(join(git, "commondir"));
  if (common !== null) return resolve(git, common.trim());
  return /^(.*[/\\]\.git)[/\\]worktrees[/\\][^/\\]+$/.exec(git)?.[1] ?? git;
}

/** The main checkout: for a worktree, the checkout or bare repository it was created from. */
export function mainRoot(dir: string, git: string): string {
  const common = commonDir(git);
  if (common === git && basename(git) !== ".git") return dir;
  return basename(common).startsWith(".") ? dirname(common) : common;
}

function remoteOf(git: string): string | null {
  const config = configOf(git);
  return originIn(config) ?? urlIn(/\[remote "[^"]+"\]([^[]*)/.exec(config)?.[1] ?? "");
}

/** URL of the remote `origin`. */
export function originOf(git: string): string | null {
  return originIn(configOf(git));
}

function configOf(git: string): string {
  return textAt(join(commonDir(git), "config")) ?? "";
}

function originIn(config: string): string | null {
  return urlIn(/\[remote "origin"\]([^[]*)/.exec(config)?.[1] ?? "");
}

function urlIn(section: string): string | null {
  return /^\s*url\s*=\s*(.+?)\s*$/m.exec(section)?.[1] ?? null;
}
