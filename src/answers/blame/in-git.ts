import { basename, join } from "node:path";
import type { Git } from "../../base/io/git.ts";
import type { Move } from "./lineage.ts";
import { linesOf, type Snapshot } from "./model.ts";
import { isAlike, distinctiveLines } from "./resembling.ts";

/** The commit a line comes from, as `git blame` reports it. */
export interface LineCommit {
  hash: string;
  author: string;
  time: number;
  subject: string;
}

/** What git knows about one file up to a commit. */
export interface GitHistory {
  snapshots: Snapshot[];
  moves: Move[];
}

const SECOND = 1000;
/** Similarity in percent from which git itself speaks of a rename. */
const SURE = 50;
/**
 * Renaming one word changes most of a short file, so git is asked for less similar files too. Below `SURE` the lines
 * decide.
 */
const LEAST = "-M30%";
/** Maximum number of versions read, newest first. */
const MAX_VERSIONS = 2000;

interface Version {
  /** Git's names of the version, and of the file on the branches that were merged. */
  names: string[];
  snapshot: Omit<Snapshot, "lines">;
  isGone: boolean;
}

/**
 * The versions of a file, oldest first, along the first-parent line of the commit: work on branches shows up where they
 * were merged.
 */
export function gitHistory(git: Git, revision: string, path: string): GitHistory {
  const format = `--format=%x01%H %ct %P%x00%s%x00%b%x00`;
  const said = git.ask(
    "log",
    "--follow",
    "--first-parent",
    "--diff-merges=first-parent",
    LEAST,
    "--name-status",
    `-n${MAX_VERSIONS}`,
    format,
    "--end-of-options",
    revision,
    "--",
    path,
  );
  const versions: Version[] = [];
  const moves: Move[] = [];
  for (const entry of (said ?? "").split("\u0001").slice(1)) {
    const [head = "", subject = "", body = "", rows = ""] = entry.split("\0");
    const [hash = "", seconds, , ...branches] = head.split(" ");
    const row = rows.split("\n").find((one) => one !== "");
    const [status = "", first = "", second] = row?.split("\t") ?? [];
    if (status === "") continue;
    const time = Number(seconds) * SECOND;
    const at = join(git.root, second ?? first);
    // A copy counts as a move when something else took the place of the original.
    const isMoved =
      second !== undefined &&
      (status.startsWith("R") || (status.startsWith("C") && !isAlikeIn(git, hash, first, first)));
    const from =
      isMoved && (Number(status.slice(1)) >= SURE || isAlikeIn(git, hash, first, second))
        ? join(git.root, first)
        : null;
    if (from !== null) moves.push({ from, to: at, time: time + SECOND - 1, seenLate: true });
    const isRevert = /^(?:Revert|Reapply)\b/i.test(subject) || body.includes("This reverts commit");
    const snapshot = { time, path: at, from, isRevert, subject };
    const names = [hash, ...branches].map((commit) => `${commit}:${second ?? first}`);
    versions.push({ names, snapshot, isGone: status === "D" });
    // Everything older is about another file.
    if (isMoved && from === null) break;
  }
  const contents = git.contents(versions.flatMap(({ names, isGone }) => (isGone ? [] : names)));
  const snapshots = versions.flatMap(({ names, snapshot, isGone }): Snapshot[] => {
    if (isGone) return [{ ...snapshot, lines: null }];
    const [text = null, ...merged] = contents.splice(0, names.length);
    if (text === null) return [];
    return [
      { ...snapshot, lines: linesOf(text), merged: merged.flatMap((one) => (one === null ? [] : [linesOf(one)])) },
    ];
  });
  return { snapshots: snapshots.toReversed(), moves };
}

function isAlikeIn(git: Git, commit: string, from: string, to: string): boolean {
  const [before = null, after = null] = git.contents([`${commit}^:${from}`, `${commit}:${to}`]);
  if (before === null || after === null) return false;
  return isAlike(distinctiveLines(linesOf(before)), distinctiveLines(linesOf(after)), basename(from) === basename(to));
}

/** The commit of each line of the file at a revision; empty when git does not have the file. */
export function lineCommits(git: Git, revision: string, path: string): LineCommit[] {
  const said = git.ask("blame", "--no-textconv", "--porcelain", revision, "--", path) ?? "";
  const commits = new Map<string, LineCommit>();
  const out: LineCommit[] = [];
  let at: LineCommit | undefined;
  for (const row of said.split("\n")) {
    const [, hash] = /^([0-9a-f]{40,64}) \d+ \d+/.exec(row) ?? [];
    if (row.startsWith("\t")) {
      if (at) out.push(at);
    } else if (hash !== undefined) {
      at = commits.get(hash) ?? { hash, author: "", time: 0, subject: "" };
      commits.set(hash, at);
    } else if (at) {
      const space = row.indexOf(" ");
      const value = row.slice(space + 1);
      if (row.startsWith("author ")) at.author = value;
      else if (row.startsWith("committer-time ")) at.time = Number(value) * SECOND;
      else if (row.startsWith("summary ")) at.subject = value;
    }
  }
  return out;
}
