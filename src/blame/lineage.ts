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

/**
 * The names of a file, the newest first. What is moved over a file that `existed` brings other lines to it, and both have a past;
 * what is moved to where nothing was is all that was there.
 */
export function namesOf(
  path: string,
  moves: readonly Move[],
  existed: (path: string, time: number) => boolean = () => false,
): Name[] {
  const names: Name[] = [{ path, since: -Infinity, until: Infinity }];
  const sorted = moves.toSorted((a, b) => b.time - a.time);
  for (let at = 0; at < names.length && names.length < MOST; at++) {
    const name = names[at];
    if (!name) break;
    let limit = name.until;
    for (let move = lastInto(name.path, sorted, limit); move; move = lastInto(name.path, sorted, limit)) {
      const from = formerly(name.path, move) ?? "";
      if (!names.some((one) => one.path === from && one.until >= move.time && one.since <= move.time))
        names.push({ path: from, since: -Infinity, until: move.time });
      limit = move.time;
      if (existed(name.path, move.time)) continue;
      if (!move.seenLate) name.since = move.time;
      break;
    }
  }
  return names;
}

function lastInto(path: string, sorted: readonly Move[], limit: number): Move | undefined {
  return sorted.find((one) => one.time < limit && formerly(path, one) !== null);
}

/** What a path was called before the move; null when the move was not its own. */
export function formerly(path: string, { from, to }: Pick<Move, "from" | "to">): string | null {
  if (path === to) return from;
  // Into a directory, or with its directory.
  if (path === `${to}/${from.split("/").at(-1)}`) return from;
  const isDirectory = !/[^/]\.[^/]*$/.test(from);
  return isDirectory && path.startsWith(`${to}/`) ? `${from}/${path.slice(to.length + 1)}` : null;
}
