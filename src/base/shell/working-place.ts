/** Where a tool call ran, as recorded in the session. */
export interface WorkingPlace {
  /** Directories of the project: where the session was started and where the turn worked. */
  roots: readonly string[];
  /** The working directory in which the command started. */
  cwd: string | null;
}

/** Placeholder in a word or path for a part that is known only at run time. */
export const UNKNOWN_PART = "\0";

/** The home directory that contains the project, taken as the meaning of `~`. */
function homeOf(place: WorkingPlace): string | null {
  for (const dir of [...place.roots, place.cwd ?? ""]) {
    const [home] = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Za-z]:\/Users\/[^/]+)(?=\/|$)/.exec(slashed(dir)) ?? [];
    if (home !== undefined) return home;
  }
  return null;
}

/** Resolves a path; null when it is known only at run time. */
export function resolvePath(path: string, cwd: string | null, place: WorkingPlace): string | null {
  const text = slashed(path);
  if (text === "~" || text.startsWith("~/")) return normal(`${homeOf(place) ?? "/~"}${text.slice(1)}`);
  if (/^~\w/.test(text)) return normal(`/home/${text.slice(1)}`);
  const known = text.split(UNKNOWN_PART)[0] ?? "";
  // A path that begins with an unknown part may be anywhere.
  if (known === "" && text !== "") return null;
  // Only the complete names before the unknown part are certain.
  const sure = known.length === text.length ? known : known.slice(0, known.lastIndexOf("/") + 1);
  if (isAbsolute(text)) return normal(sure);
  return cwd === null ? null : normal(`${slashed(cwd)}/${sure}`);
}

/** True when a path certainly leads out of the project. */
export function isOutside(path: string, cwd: string | null, place: WorkingPlace): boolean {
  const roots = place.roots.map((root) => normal(slashed(root))).filter((root) => root !== "/");
  const dir = resolvePath(path, cwd, place);
  if (dir === null) {
    // Without a working directory, only a leading `..` proves it.
    return cwd === null && /^\.\.(?:\/|$)/.test(slashed(path));
  }
  if (/^\/dev\/(?:null|stdout|stderr|fd)/.test(dir)) return false;
  return !roots.some((root) => dir === root || dir.startsWith(`${root}/`));
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

function slashed(path: string): string {
  return /^[A-Za-z]:\\|^\\\\|^\.{1,2}\\/.test(path) ? path.replaceAll("\\", "/") : path;
}

/** Removes `.`, `..`, duplicate slashes and the trailing slash. */
function normal(path: string): string {
  const out: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") out.pop();
    else if (name !== "" && name !== ".") out.push(name);
  }
  const joined = out.join("/");
  return /^[A-Za-z]:/.test(joined) ? joined : `/${joined}`;
}
