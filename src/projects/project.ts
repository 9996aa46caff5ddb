import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface Project {
  /** The name worktrees and clones of one repository share. */
  project: string;
  project_key: string;
}

export interface ProjectFacts {
  source: string;
  session_id: string;
  cwd: string | null;
  /** Remote recorded in the session itself. */
  remote: string | null;
}

/**
 * Names the project of a session from what the session recorded, then from what is still on disk. Never from where Daybook
 * itself runs. Looks each directory up once.
 */
export class ProjectNamer {
  readonly #remotes = new Map<string, string | null>();
  readonly #roots = new Map<string, string>();

  name(facts: ProjectFacts): Project {
    if (facts.cwd === null || facts.cwd.trim() === "") {
      const root = unknownRoot(facts.source, facts.session_id);
      return { project: "unknown-project", project_key: `unknown-project-${shortHash(root)}` };
    }
    const root = this.#canonical(facts.cwd);
    const remote = facts.remote ?? this.#remoteOnDisk(facts.cwd);
    const label = slug((remote ? fromRemote(remote) : null) ?? basename(this.#projectRoot(facts.cwd)));
    return { project: label, project_key: `${label}-${shortHash(root)}` };
  }

  #canonical(cwd: string): string {
    const known = this.#roots.get(cwd);
    if (known !== undefined) return known;
    const root = canonicalRoot(cwd);
    this.#roots.set(cwd, root);
    return root;
  }

  /** The outermost repository with a remote decides, so that vendored clones inside a project do not split it. */
  #remoteOnDisk(cwd: string): string | null {
    const known = this.#remotes.get(cwd);
    if (known !== undefined) return known;
    let found: string | null = null;
    for (const dir of ancestors(cwd)) found = remoteOf(gitDir(dir)) ?? found;
    this.#remotes.set(cwd, found);
    return found;
  }

  /** Main checkout for a worktree, repository root inside a repository, else the directory itself. */
  #projectRoot(cwd: string): string {
    for (const dir of ancestors(cwd)) {
      const git = gitDir(dir);
      if (git === null) continue;
      const common = commonDir(git);
      return basename(common) === ".git" ? dirname(common) : dir;
    }
    return cwd;
  }
}

/** What the key is made of: the real path where there is one, else the recorded text with one kind of separator. */
export function canonicalRoot(cwd: string): string {
  try {
    if (isAbsolute(cwd)) return realpathSync(cwd);
  } catch {
    // Not on this disk any more, or never was.
  }
  return cwd.replaceAll("\\", "/");
}

/** Stands for the root of a session that names no directory: such sessions share no project. */
export function unknownRoot(source: string, sessionId: string): string {
  return `unknown-project/${source}/${sessionId}`;
}

function ancestors(cwd: string): string[] {
  if (!isAbsolute(cwd) || !existsSync(cwd)) return [];
  const out: string[] = [];
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    out.push(dir);
    if (dirname(dir) === dir) return out;
  }
}

/** `.git` is a directory, or in a worktree a file that points at one. */
function gitDir(dir: string): string | null {
  const path = join(dir, ".git");
  try {
    if (statSync(path).isDirectory()) return existsSync(join(path, "HEAD")) ? path : null;
    const target = /^gitdir:\s*(.+)\s*$/m.exec(readFileSync(path, "utf8"))?.[1];
    return target ? resolve(dir, target) : null;
  } catch {
    return null;
  }
}

function commonDir(git: string): string {
  try {
    return resolve(git, readFileSync(join(git, "commondir"), "utf8").trim());
  } catch {
    return git;
  }
}

function remoteOf(git: string | null): string | null {
  if (git === null) return null;
  try {
    const config = readFileSync(join(commonDir(git), "config"), "utf8");
    const section = /\[remote "origin"\]([^[]*)/.exec(config) ?? /\[remote "[^"]+"\]([^[]*)/.exec(config);
    return /^\s*url\s*=\s*(.+?)\s*$/m.exec(section?.[1] ?? "")?.[1] ?? null;
  } catch {
    return null;
  }
}

/** `owner-repo` from https, ssh and scp-like addresses. */
export function fromRemote(url: string): string | null {
  const path = url
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  const parts = path.split(/[/:\\]+/).filter((part) => part !== "" && !part.includes("@"));
  const repo = parts.at(-1);
  const owner = parts.at(-2);
  if (repo === undefined) return null;
  return owner === undefined || owner.includes(".") ? repo : `${owner}-${repo}`;
}

function basename(path: string): string {
  return path.split(/[/\\]+/).findLast((part) => part !== "") ?? "";
}

/** Safe in file names and addresses; at most 48 characters. */
export function slug(label: string): string {
  const dashed = label.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/-+/g, "-");
  const trimmed = dashed
    .replace(/^-+|-+$/g, "")
    .slice(0, 48)
    .replace(/^-+|-+$/g, "");
  return trimmed === "" ? "unknown-project" : trimmed;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 12);
}
