import type { SqlValue } from "../../base/io/sqlite.ts";
import type { OpenedSources } from "../../book/reading/library.ts";
import type { IndexStore } from "./index-store.ts";
import { keyOfSession } from "../../record/session-key.ts";

/** The sources that the user named, by `--source` or by roots, and the files there. */
export interface ChosenSources {
  opened: OpenedSources;
  /** Undefined when only sources were named. */
  roots: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Sessions of the chosen sources; null when all are in scope. Files that are gone count by their former path. */
export function scopeOf(store: IndexStore, chosen: ChosenSources | null): ReadonlySet<string> | null {
  if (chosen === null) return null;
  const { opened, roots } = chosen;
  // Most often the index holds nothing else: test that with one query instead of file by file.
  if (isAllUnder(store, opened, roots)) return null;
  const present = new Set(opened.refs.map((ref) => `${ref.source}\t${ref.path}`));
  const keys = new Set<string>();
  let outside = false;
  for (const file of store.files()) {
    const { source, path } = file.ref;
    if (!opened.sources.some((known) => known.id === source)) {
      outside = true;
      continue;
    }
    const named =
      roots?.[source]?.some((root) => path === root || path.startsWith(folderOf(root))) ?? roots === undefined;
    if (present.has(`${source}\t${path}`) || named) keys.add(keyOfSession(source, file.session_id));
    else outside = true;
  }
  return outside ? keys : null;
}

/** The prefix of all paths in a directory, with the separator of either kind of system. */
export function folderOf(root: string): string {
  if (/[\\/]$/.test(root)) return root;
  return root + (root.includes("/") || !root.includes("\\") ? "/" : "\\");
}

function isAllUnder(
  store: IndexStore,
  { sources }: OpenedSources,
  roots: Readonly<Record<string, readonly string[]>> | undefined,
): boolean {
  const params: SqlValue[] = [];
  const meant = sources.flatMap(({ id }) => {
    params.push(id);
    if (roots === undefined) return ["source = ?"];
    const under = (roots[id] ?? []).map((root) => {
      const within = folderOf(root);
      params.push(root, within, within);
      return "path = ? OR substr(path, 1, length(?)) = ?";
    });
    return [`source = ? AND (${["0", ...under].join(" OR ")})`];
  });
  const sql = `SELECT 1 FROM file WHERE NOT (${["0", ...meant].map((part) => `(${part})`).join(" OR ")}) LIMIT 1`;
  return store.get(sql, ...params) === undefined;
}
