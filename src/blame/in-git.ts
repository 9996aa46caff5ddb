import { join } from "node:path";
import type { Git } from "../io/git.ts";
import type { Move } from "./lineage.ts";
import { linesOf, type Snapshot } from "./model.ts";

/** The commit a line is from, as `git blame` has it. */
export interface LineCommit {
  hash: string;
  author: string;
  time: number;
  subject: string;
}

/** What git knows of one file up to a commit. */
export interface GitHistory {
  snapshots: Snapshot[];
  moves: Move[];
}

const SECOND = 1000;
/** So many versions of a file are looked at, the newest. */
const MOST = 2000;

/** Its versions, the oldest first, along the line of the commit: what was done on branches is seen when they were merged. */
export function gitHistory(git: Git, revision: string, path: string): GitHistory {
  const format = `--format=%x01%H %ct`;
  const said = git.ask(
    ...["log", "--follow", "--first-parent", "--diff-merges=first-parent", "-M", "--name-status", `-n${MOST}`],
    ...[format, "--end-of-options", revision, "--", path],
  );
  const versions: { name: string; time: number }[] = [];
  const moves: Move[] = [];
  for (const entry of (said ?? "").split("\u0001").slice(1)) {
    const [head = "", ...rows] = entry.split("\n");
    const [hash = "", seconds] = head.split(" ");
    const [status = "", first = "", second] = rows.find((row) => row !== "")?.split("\t") ?? [];
    const time = Number(seconds) * SECOND;
    if (status.startsWith("R") && second !== undefined)
      moves.push({ from: join(git.root, first), to: join(git.root, second), time: time + SECOND - 1, seenLate: true });
    if (status !== "D" && status !== "") versions.push({ name: `${hash}:${second ?? first}`, time });
  }
  const contents = git.contents(versions.map(({ name }) => name));
  const snapshots = versions.flatMap(({ time }, i) => {
    const text = contents[i] ?? null;
    return text === null ? [] : [{ time, lines: linesOf(text) }];
  });
  return { snapshots: snapshots.toReversed(), moves };
}

/** The commit of each line of the file at a commit; empty where git does not have it. */
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
