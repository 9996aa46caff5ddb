import { commandOutput } from "../../base/shell/command-output.ts";
import type { GitStep } from "./git-steps.ts";

/** A commit an agent made, as far as the command, its output, and what was printed later tell. */
export interface Commit {
  /** As git printed it, mostly shortened; null where nothing ever printed it. */
  hash: string | null;
  branch: string | null;
  subject: string | null;
  amended: boolean;
  line: number;
}

type CommitStep = Extract<GitStep, { kind: "commit" }>;

/** What git prints: `[main 1a2b3c4] Subject`, `[main (root-commit) 1a2b3c4] …`, `[detached HEAD 1a2b3c4] …`. */
const PRINTED = /^\[([^\]\n]{1,200}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.{0,500})$/gm;
const NOTHING =
  /^(?:nothing (?:added )?to commit|no changes added to commit|On branch \S+\n[^]{0,300}nothing to commit|Aborting commit|Already up to date|fatal: |error: |.{0,80}\bhook (?:exited|failed|declined))/im;
/** Output of a rejected push: the commands before it in the same call succeeded. */
const PUSH_FAILED =
  /^(?:error: failed to push| ! \[(?:remote )?rejected\]|fatal: (?:unable to access|could not read|repository))/m;

/** Whether the output of a push says that it was refused, whatever the status of the whole call. */
export function isPushRefused(output: string): boolean {
  return PUSH_FAILED.test(commandOutput(output));
}

const PUSHED = /^[ \t+*]{0,6}[0-9a-f]{7,40}\.{2,3}([0-9a-f]{7,40})[ \t]{1,5}\S{1,200} -> /gm;
const HASH_ALONE = /^([0-9a-f]{7,40})$/gm;
/** Lines of `git log --oneline`, with or without branch and tag names; `LONG_LOG` matches the default format. */
const LOG_LINE =
  /^(?:[*|\\/ ]{0,12})([0-9a-f]{7,40}) (?:\((?:HEAD|tag: |origin\/|[\w./-]{1,80}[,)])[^()\n]{0,300}\)? ?)?(\S.{0,500})$/gm;
const LONG_LOG = /^commit ([0-9a-f]{40})\b[^\n]{0,300}\n(?:[A-Z][^\n]{0,300}\n){0,6}\n {4}(\S[^\n]{0,500})/gm;

/**
 * Collects the commits of one session, call by call. A quiet commit prints nothing: its hash is taken from the output
 * of a later command, provided that output can only mean this commit.
 */
export class CommitTracker {
  /** The newest commit, while it has no hash and HEAD cannot have moved since. */
  #newest: Commit | null = null;
  /** Commits without a hash, by subject: the output of a later `git log` may supply the hash. */
  readonly #nameless = new Map<string, Commit>();

  /**
   * Returns the commits that one finished call made with these steps. A failed call made only those that its output
   * proves.
   */
  take(steps: readonly GitStep[], output: string, ok: boolean, line: number): Commit[] {
    const text = commandOutput(output);
    const commits = this.#made(steps, text, ok, line);
    for (const commit of commits) this.#remember(commit);
    this.#assignHashes(steps, text, commits.length > 0);
    return commits;
  }

  #made(steps: readonly GitStep[], text: string, ok: boolean, line: number): Commit[] {
    const asked = steps.filter((step) => step.kind === "commit");
    if (asked.length === 0) return [];
    const found = [...text.matchAll(PRINTED)].map(([, branch = "", hash = "", subject = ""], i): Commit => {
      const step = asked.length === 1 ? asked[0] : asked[i];
      return {
        hash,
        branch: branch === "detached HEAD" ? null : branch,
        subject,
        amended: step?.amended ?? false,
        line,
      };
    });
    if (found.length > 0) return found;
    const silent = asked.filter((step) => isSilentCommit(step, text, ok, steps));
    return silent.map(({ subject, amended }) => ({ hash: null, branch: null, subject, amended, line }));
  }

  #remember(commit: Commit): void {
    this.#newest = commit.hash === null ? commit : null;
    if (commit.hash === null && commit.subject !== null) this.#nameless.set(commit.subject, commit);
  }

  /** Assigns hashes printed by this call to earlier commits that lack one. */
  #assignHashes(steps: readonly GitStep[], text: string, made: boolean): void {
    const last = steps.findLastIndex((step) => step.kind === "commit");
    const after = made ? steps.slice(last + 1) : steps;
    if (after.some((step) => step.kind === "log")) this.#bySubject(text);
    const moved = after.findIndex((step) => step.kind === "move" || step.kind === "commit");
    const still = moved === -1 ? after : after.slice(0, moved);
    if (this.#newest) this.#assignHash(this.#newest, newestIn(still, text, this.#newest.subject));
    if (moved !== -1) this.#newest = null;
  }

  #bySubject(text: string): void {
    if (this.#nameless.size === 0) return;
    for (const [, hash = "", subject = ""] of [...text.matchAll(LOG_LINE), ...text.matchAll(LONG_LOG)]) {
      const commit = this.#nameless.get(subject.trim());
      if (commit) this.#assignHash(commit, { hash, subject: null });
    }
  }

  #assignHash(commit: Commit, found: PrintedCommit | null): void {
    if (found === null) return;
    commit.hash = found.hash;
    commit.subject ??= found.subject;
    if (commit.subject !== null && this.#nameless.get(commit.subject) === commit) this.#nameless.delete(commit.subject);
    if (this.#newest === commit) this.#newest = null;
  }
}

/** Whether a step made a commit although git printed no summary line for it. */
function isSilentCommit({ verb, quiet }: CommitStep, text: string, ok: boolean, steps: readonly GitStep[]): boolean {
  const pushFailed = steps.some((step) => step.kind === "push") && PUSH_FAILED.test(text);
  if (!ok && !pushFailed) return false;
  if (verb === "merge") return /^Merge made by /m.test(text);
  if (!pushFailed && NOTHING.test(text)) return false;
  // Git prints a summary line unless told to be quiet. Without that line the commit counts only if nothing at all was
  // printed or the statistics are there.
  return quiet || text === "" || /^ ?\d{1,9} files? changed/m.test(text);
}

interface PrintedCommit {
  hash: string;
  subject: string | null;
}

/** The newest commit, as one of these commands printed it. */
function newestIn(steps: readonly GitStep[], text: string, subject: string | null): PrintedCommit | null {
  const asks = (kind: GitStep["kind"]): boolean => steps.some((step) => step.kind === kind);
  if (asks("head") || asks("log")) {
    const alone = [...text.matchAll(HASH_ALONE)];
    if (alone.length === 1) return { hash: alone[0]?.[1] ?? "", subject: null };
  }
  // The first entry of a log is the newest commit. Commits with a known subject are matched by `#bySubject` instead.
  if (asks("log") && subject === null) {
    const [first] = [...text.matchAll(LONG_LOG), ...text.matchAll(LOG_LINE)];
    if (first && text.startsWith(first[0])) return { hash: first[1] ?? "", subject: first[2] ?? null };
  }
  const pushed = asks("push") ? [...text.matchAll(PUSHED)] : [];
  return pushed.length === 1 ? { hash: pushed[0]?.[1] ?? "", subject: null } : null;
}
