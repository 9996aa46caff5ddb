import type { SqlValue } from "../../io/sqlite.ts";
import type { ProjectPlace, Project } from "../../answers/projects/project.ts";
import { asProject } from "../../answers/projects/project.ts";
import { callsOf, locate, type Located } from "../../answers/projects/projects.ts";
import type { Session } from "../../turns/session.ts";
import { noteChange } from "./changes.ts";
import type { Describe } from "./describe.ts";
import type { IndexStore } from "./index-store.ts";
import { rewriteTurn, secretIn } from "./turn-row.ts";
import { parseRow } from "./damaged-index.ts";

/** Sessions of one place have one project: those that recorded the same directory and the same repository. */
export function placeIdOf({ source, session_id, meta }: Session): string | null {
  const remote = meta.git?.remote ?? null;
  const isKnown = meta.cwd !== null && meta.cwd.trim() !== "";
  if (!isKnown && remote === null) return null;
  return JSON.stringify(isKnown ? [meta.cwd, remote] : [null, remote, source, session_id]);
}

/** What a session of the place is called; null when the place is not known as it is recorded now. */
export function knownName(store: IndexStore, id: string | null, own: ProjectPlace): Project | null {
  if (id === null) return asProject(own.name, own.root);
  const row = store.get("SELECT stated, project, project_key FROM place WHERE id = ?", id);
  if (row?.["stated"] !== JSON.stringify(own)) return null;
  return { project: String(row["project"]), project_key: String(row["project_key"]) };
}

/** The same, and the place is known from now on. Whether it changes others' names is settled when all are written. */
export function nameIn(store: IndexStore, id: string | null, own: ProjectPlace): Project {
  const known = knownName(store, id, own);
  if (known || id === null) return known ?? asProject(own.name, own.root);
  const { project, project_key } = asProject(own.name, own.root);
  store.run(
    `INSERT INTO place (id, stated, project, project_key, root, named) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET stated = excluded.stated`,
    ...[id, JSON.stringify(own), project, project_key, own.root, Number(own.named)],
  );
  unsettle(store);
  return storedPlace(store, id) ?? { project, project_key };
}

/** Chooses the sessions of a project, `alias` being their table. */
export function inProject(alias: string, wanted: string): { sql: string; params: string[] } {
  const { name, cwd, root } = callsOf(wanted);
  const inRoot = `${alias}.place IN (SELECT id FROM place WHERE root = ?)`;
  return {
    sql: `(${alias}.project = ? OR ${alias}.project_key = ? OR ${alias}.cwd = ? OR ${inRoot})`,
    params: [name, name, cwd, root],
  };
}

/** A session came to a place or left one. */
export function unsettle(store: IndexStore): void {
  if (store.meta("unsettled") === null) store.setMeta("unsettled", "yes");
}

function storedPlace(store: IndexStore, id: string): Project | null {
  const row = store.get("SELECT project, project_key FROM place WHERE id = ?", id);
  return row ? { project: String(row["project"]), project_key: String(row["project_key"]) } : null;
}

/** What the session's row says it is called. */
export function storedName(store: IndexStore, key: string): Project | null {
  const row = store.get("SELECT project, project_key FROM session WHERE key = ?", key);
  return row ? { project: String(row["project"]), project_key: String(row["project_key"]) } : null;
}

/** The directory of the session's project; null when it has none. */
export function storedRoot(store: IndexStore, key: string): string | null {
  const root = store.get("SELECT p.root FROM session s JOIN place p ON p.id = s.place WHERE s.key = ?", key)?.["root"];
  return typeof root === "string" ? root : null;
}

/** The project of a directory, whether or not a session of the index worked there. */
export function namedIn(store: IndexStore, cwd: string, own: ProjectPlace): Project {
  const known = storedPlace(store, JSON.stringify([cwd, null]));
  if (known) return known;
  const others = store.all("SELECT stated FROM place").map((row) => parseRow(row["stated"]) as ProjectPlace);
  return locate([...others, own])(own);
}

/** Looks at every place again where the user wants other names than those the index was made with. Returns the rows written. */
export function takeNaming(store: IndexStore, describe: Describe): number {
  if ((store.meta("naming") ?? "") === describe.naming) return 0;
  return store.transaction(() => {
    for (const { id } of store.all("SELECT id FROM place")) {
      const [cwd, remote] = parseRow(id) as [string | null, string | null];
      if (cwd === null) continue;
      store.run("UPDATE place SET stated = ? WHERE id = ?", JSON.stringify(describe.placeAt(cwd, remote)), String(id));
    }
    store.setMeta("naming", describe.naming);
    unsettle(store);
    return settleNames(store);
  });
}

/** Gives every place the name that all of them together make it bear, and its sessions too. Returns the rows written. */
export function settleNames(store: IndexStore): number {
  if (store.meta("unsettled") === null) return 0;
  store.run("DELETE FROM meta WHERE key = 'unsettled'");
  store.run("DELETE FROM place WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.place = place.id)");
  const rows = store.all("SELECT id, stated, project_key, root, named FROM place ORDER BY id");
  const places = rows.map((row) => parseRow(row["stated"]) as ProjectPlace);
  const projectOf = locate(places);
  let written = 0;
  for (const [i, row] of rows.entries()) {
    const after = projectOf(places[i] as ProjectPlace);
    const isSame = row["project_key"] === after.project_key && row["root"] === after.root;
    if (isSame && row["named"] === Number(after.named)) continue;
    written += rename(store, String(row["id"]), after);
  }
  return written;
}

function rename(store: IndexStore, id: string, after: Located): number {
  store.run(
    "UPDATE place SET project = ?, project_key = ?, root = ?, named = ? WHERE id = ?",
    ...[after.project, after.project_key, after.root, Number(after.named), id],
  );
  let written = 1;
  for (const row of store.all("SELECT key, project, project_key, view FROM session WHERE place = ?", id)) {
    const before = { project: String(row["project"]), project_key: String(row["project_key"]) };
    if (before.project_key === after.project_key) continue;
    const key = String(row["key"]);
    const view = renamed(row["view"], before, after);
    store.run(
      "UPDATE session SET project = ?, project_key = ?, view = ?, secret = ? WHERE key = ?",
      ...[after.project, after.project_key, view, secretIn(view), key],
    );
    const turns = store.all("SELECT ref, view FROM turn WHERE session = ?", key);
    for (const turn of turns) rewriteTurn(store, key, String(turn["ref"]), renamed(turn["view"], before, after));
    noteChange(store, key);
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
