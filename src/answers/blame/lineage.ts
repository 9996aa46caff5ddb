/** A file or its directory was renamed. */
export interface Move {
  from: string;
  to: string;
  /** Epoch ms. */
  time: number;
  /** Known only from its commit: it may have happened long before. */
  seenLate: boolean;
}

/** A name of a file and the time in which it had it. */
export interface FileName {
  path: string;
  since: number;
  until: number;
}

/** Maximum number of names that are followed. */
const MAX_NAMES = 100;

/**
 * The names of a file, newest first. A file that is moved over one that `existed` brings other lines to it, so both
 * have a history; when nothing was there, only the moved file has one.
 */
export function namesOf(
  path: string,
  moves: readonly Move[],
  existed: (path: string, time: number) => boolean = () => false,
): FileName[] {
  const names: FileName[] = [{ path, since: -Infinity, until: Infinity }];
  const sorted = moves.toSorted((a, b) => b.time - a.time);
  for (let at = 0; at < names.length && names.length < MAX_NAMES; at++) {
    const name = names[at];
    if (!name) break;
    let limit = name.until;
    for (let move = lastInto(name.path, sorted, limit); move; move = lastInto(name.path, sorted, limit)) {
      const from = pathBefore(name.path, move) ?? "";
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
  return sorted.find((one) => one.time < limit && pathBefore(path, one) !== null);
}

/** The path before a move; null when the move did not concern it. */
export function pathBefore(path: string, { from, to }: Pick<Move, "from" | "to">): string | null {
  if (path === to) return from;
  // Moved into a directory, or together with its directory.
  if (path === `${to}/${from.split("/").at(-1)}`) return from;
  const isDirectory = !/[^/]\.[^/]*$/.test(from);
  return isDirectory && path.startsWith(`${to}/`) ? `${from}/${path.slice(to.length + 1)}` : null;
}
