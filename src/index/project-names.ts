import type { SqlValue } from "../io/sqlite.ts";
import { rootOf, withName, type Naming } from "../projects/namings.ts";
import type { Project } from "../projects/project.ts";
import type { IndexStore } from "./store.ts";

const BEST = "SELECT project FROM session WHERE substr(project_key, -12) = ? AND named = 1 ORDER BY project LIMIT 1";

/** The name a session goes by: its own where it recorded one, else that of a session in the same directory that did. */
export function nameIn(store: IndexStore, { named, ...project }: Naming): Project {
  const best = named ? undefined : store.get(BEST, rootOf(project))?.["project"];
  return typeof best === "string" ? withName(project, best) : project;
}

/** What the session's row says it is called. */
export function storedName(store: IndexStore, key: string): Project | null {
  const row = store.get("SELECT project, project_key FROM session WHERE key = ?", key);
  return row ? { project: String(row["project"]), project_key: String(row["project_key"]) } : null;
}

/** Gives the directory's other sessions the name a session just brought. Returns the rows written. */
export function shareName(store: IndexStore, project: Project): number {
  const root = rootOf(project);
  const best = store.get(BEST, root)?.["project"];
  if (typeof best !== "string") return 0;
  // Two ranges, not an inequality: where all have the name already, nothing is walked through.
  const others = ["<", ">"].flatMap((than) =>
    store.all(
      `SELECT key, project, project_key, view FROM session WHERE substr(project_key, -12) = ? AND named = 0 AND project ${than} ?`,
      root,
      best,
    ),
  );
  let written = 0;
  for (const row of others) {
    const before = { project: String(row["project"]), project_key: String(row["project_key"]) };
    const after = withName(before, best);
    const key = String(row["key"]);
    store.run(
      "UPDATE session SET project = ?, project_key = ?, view = ? WHERE key = ?",
      ...[after.project, after.project_key, renamed(row["view"], before, after), key],
    );
    const turns = store.all("SELECT ref, view FROM turn WHERE session = ?", key);
    for (const turn of turns)
      store.run(
        "UPDATE turn SET view = ? WHERE session = ? AND ref = ?",
        ...[renamed(turn["view"], before, after), key, String(turn["ref"])],
      );
    written += 1 + turns.length;
  }
  return written;
}

/** In a view the two fields stand side by side, and before any text a session could have written. */
function renamed(view: SqlValue | undefined, before: Project, after: Project): string {
  return String(view).replace(fields(before), () => fields(after));
}

function fields({ project, project_key }: Project): string {
  return JSON.stringify({ project, project_key }).slice(1, -1);
}
