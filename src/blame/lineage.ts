/** A file went by another name, or its directory did. */
export interface Move {
  from: string;
  to: string;
  /** Epoch ms. */
  time: number;
  /** It was seen when it was committed: it may have happened long before. */
  seenLate: boolean;
}

/** One name of a file: it went by it in this time. */
export interface Name {
  path: string;
  since: number;
  until: number;
}

/** More names than any file had. */
const MOST = 100;

/** The names of a file, the newest first. */
export function namesOf(path: string, moves: readonly Move[]): Name[] {
  const names: Name[] = [{ path, since: -Infinity, until: Infinity }];
  const sorted = moves.toSorted((a, b) => b.time - a.time);
  for (let name = names[0]; name && names.length < MOST;) {
    const { path: now, until } = name;
    const move = sorted.find((one) => one.time < until && formerly(now, one) !== null);
    const former = move ? formerly(now, move) : null;
    if (!move || former === null) break;
    if (!move.seenLate) name.since = move.time;
    names.push((name = { path: former, since: -Infinity, until: move.time }));
  }
  return names;
}

/** What a path was called before the move; null when the move was not its own. */
function formerly(path: string, { from, to }: Move): string | null {
  if (path === to) return from;
  // Into a directory, or with its directory.
  if (path === `${to}/${from.split("/").at(-1)}`) return from;
  const isDirectory = !/[^/]\.[^/]*$/.test(from);
  return isDirectory && path.startsWith(`${to}/`) ? `${from}/${path.slice(to.length + 1)}` : null;
}
