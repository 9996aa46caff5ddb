import type { SqlValue } from "../../base/io/sqlite.ts";
import type { ProjectPlace, Project } from "../../views/projects/project.ts";
import { toProject } from "../../views/projects/project.ts";
import { projectQueryOf, locateProjects, type LocatedProject } from "../../views/projects/projects.ts";
import type { Session } from "../../turns/session.ts";
import { recordChange } from "./changes.ts";
import type { SessionDescriber } from "./describe.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";
import { rewriteTurn, secretIn } from "./turn-row.ts";
import { parseRow } from "./damaged-index.ts";

/** Identifies a place: sessions that recorded the same directory and repository have the same project. */
export function locationOf({ source, session_id, meta }: Session): string | null {
  const remote = meta.git?.remote ?? null;
  const isKnown = meta.cwd !== null && meta.cwd.trim() !== "";
  if (!isKnown && remote === null) return null;
  return JSON.stringify(isKnown ? [meta.cwd, remote] : [null, remote, source, session_id]);
}

/** The project of a session at this place; null when the place is not stored as it is recorded now. */
export function knownProject(store: RowStore, id: string | null, own: ProjectPlace): Project | null {
  if (id === null) return toProject(own.name, own.root);
  const row = store.get("SELECT stated, project, project_key FROM location WHERE id = ?", id);
  if (row?.["stated"] !== JSON.stringify(own)) return null;
  return { project: String(row["project"]), project_key: String(row["project_key"]) };
}

/** Like `knownProject`, but stores a new place. `settleNames` later decides whether that changes other names. */
export function storePlace(store: RowStore, id: string | null, own: ProjectPlace): Project {
  const known = knownProject(store, id, own);
  if (known || id === null) return known ?? toProject(own.name, own.root);
  const { project, project_key } = toProject(own.name, own.root);
  store.run(
    `INSERT INTO location (id, stated, project, project_key, root, named) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET stated = excluded.stated`,
    id,
    JSON.stringify(own),
    project,
    project_key,
    own.root,
    Number(own.named),
  );
  markNamesUnsettled(store);
  return storedPlace(store, id) ?? { project, project_key };
}

/** SQL condition for the sessions of a project; `alias` is their table. */
export function projectCondition(alias: string, wanted: string): { sql: string; params: string[] } {
  const { name, cwd, root } = projectQueryOf(wanted);
  const inRoot = `${alias}.location IN (SELECT id FROM location WHERE root = ?)`;
  return {
    sql: `(${alias}.project = ? OR ${alias}.project_key = ? OR ${alias}.cwd = ? OR ${inRoot})`,
    params: [name, name, cwd, root],
  };
}

/** Marks the names as unsettled: a session came to a place or left one. */
export function markNamesUnsettled(store: RowStore): void {
  if (store.meta("unsettled") === null) store.setMeta("unsettled", "yes");
}

function storedPlace(store: RowStore, id: string): Project | null {
  const row = store.get("SELECT project, project_key FROM location WHERE id = ?", id);
  return row ? { project: String(row["project"]), project_key: String(row["project_key"]) } : null;
}

/** The project in the session's row. */
export function storedProject(store: IndexStore, key: string): Project | null {
  const row = store.get("SELECT project, project_key FROM session WHERE key = ?", key);
  return row ? { project: String(row["project"]), project_key: String(row["project_key"]) } : null;
}

/** The root directory of the session's project; null when it has none. */
export function storedRoot(store: IndexStore, key: string): string | null {
  const root = store.get("SELECT p.root FROM session s JOIN location p ON p.id = s.location WHERE s.key = ?", key)?.[
    "root"
  ];
  return typeof root === "string" ? root : null;
}

/** The project of a directory, whether or not a session of the index worked there. */
export function projectOfDirectory(store: IndexStore, cwd: string, own: ProjectPlace): Project {
  const known = storedPlace(store, JSON.stringify([cwd, null]));
  if (known) return known;
  const others = store.all("SELECT stated FROM location").map((row) => parseRow(row["stated"]) as ProjectPlace);
  return locateProjects([...others, own])(own);
}

/** Recomputes every place if the user's names differ from those the index was built with. Returns the rows written. */
export function applyNaming(store: IndexStore, describe: SessionDescriber): number {
  if ((store.meta("naming") ?? "") === describe.naming) return 0;
  return store.transaction(() => {
    for (const { id } of store.all("SELECT id FROM location")) {
      const [cwd, remote] = parseRow(id) as [string | null, string | null];
      if (cwd === null) continue;
      store.run(
        "UPDATE location SET stated = ? WHERE id = ?",
        JSON.stringify(describe.placeAt(cwd, remote)),
        String(id),
      );
    }
    store.setMeta("naming", describe.naming);
    markNamesUnsettled(store);
    return settleNames(store);
  });
}

/** Gives every place, and its sessions, the name that results from all places together. Returns the rows written. */
export function settleNames(store: IndexStore): number {
  if (store.meta("unsettled") === null) return 0;
  store.run("DELETE FROM meta WHERE key = 'unsettled'");
  store.run("DELETE FROM location WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.location = location.id)");
  const rows = store.all("SELECT id, stated, project_key, root, named FROM location ORDER BY id");
  const places = rows.map((row) => parseRow(row["stated"]) as ProjectPlace);
  const projectOf = locateProjects(places);
  let written = 0;
  for (const [i, row] of rows.entries()) {
    const after = projectOf(places[i] as ProjectPlace);
    const isSame = row["project_key"] === after.project_key && row["root"] === after.root;
    if (isSame && row["named"] === Number(after.named)) continue;
    written += rename(store, String(row["id"]), after);
  }
  return written;
}

function rename(store: IndexStore, id: string, after: LocatedProject): number {
  store.run(
    "UPDATE location SET project = ?, project_key = ?, root = ?, named = ? WHERE id = ?",
    after.project,
    after.project_key,
    after.root,
    Number(after.named),
    id,
  );
  let written = 1;
  for (const row of store.all("SELECT key, project, project_key, view FROM session WHERE location = ?", id)) {
    const before = { project: String(row["project"]), project_key: String(row["project_key"]) };
    if (before.project_key === after.project_key) continue;
    const key = String(row["key"]);
    const view = withProject(row["view"], before, after);
    store.run(
      "UPDATE session SET project = ?, project_key = ?, view = ?, secret = ? WHERE key = ?",
      after.project,
      after.project_key,
      view,
      secretIn(view),
      key,
    );
    const turns = store.all("SELECT ref, view FROM turn WHERE session = ?", key);
    for (const turn of turns) rewriteTurn(store, key, String(turn["ref"]), withProject(turn["view"], before, after));
    recordChange(store, key);
    written += 1 + turns.length;
  }
  return written;
}

/** In a view the two fields are adjacent, and come before any text that a session could contain. */
function withProject(view: SqlValue | undefined, before: Project, after: Project): string {
  return String(view).replace(fields(before), () => fields(after));
}

function fields({ project, project_key }: Project): string {
  return JSON.stringify({ project, project_key }).slice(1, -1);
}
