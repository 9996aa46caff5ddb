import { isLocal } from "../../base/errors.ts";
import { sessionKey } from "../../record/session-key.ts";
import { assemble } from "../../turns/assemble.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { DraftLoader } from "../../turns/parts.ts";
import type { Project, ProjectPlace } from "../../views/projects/project.ts";
import { toProject } from "../../views/projects/project.ts";
import { SessionDescriber, type Naming } from "../tables/describe.ts";
import { RowDraft, runDrafted, type DraftedStatement } from "../tables/drafted-rows.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { locationOf, storePlace } from "../tables/project-names.ts";
import { writeSession } from "../tables/session-rows.ts";
import { isOfOneFile } from "./early-facts.ts";

/** What rows say beyond the file itself. */
export interface RowContext {
  home: string;
  naming: Naming;
  /** The title beside the session that the path of the file names. */
  title: string | null;
}

/** The rows of a session whose only file was just read: made by the thread that read it, if nothing else has a say. */
export interface DraftedSession {
  statements: DraftedStatement[];
  rows: number;
  source: string;
  /** As JSON: another session that states one of these responses has a say after all. */
  responses: string;
  title: string | null;
  location: string | null;
  place: ProjectPlace;
  project: Project;
  isOfOneFile: boolean;
}

/** A file alone is never compared with others. */
const ALONE: DraftLoader = {
  identities: () => [],
  readInherited: (draft) => draft,
  sameBytes: () => false,
  hasUniqueIdentities: () => false,
};

/** Looks at the disk for each directory once. */
let describer: SessionDescriber | null = null;

function describerFor(naming: Naming): SessionDescriber {
  if (!describer?.isFor(naming)) describer = new SessionDescriber(naming);
  return describer;
}

/** Null if it cannot be made of the file alone: then the session is assembled from what is stored. */
export function draftSession(draft: FileDraft, { home, naming, title }: RowContext): DraftedSession | null {
  try {
    const { sessions, sharing, diagnostics } = assemble([draft], ALONE);
    const [session] = sessions;
    if (!session || sessions.length > 1 || sharing.length > 0 || diagnostics.length > 0) return null;
    const titles = new Map([[session.session_id, title]]);
    const describe = describerFor(naming).withTitles(titles);
    const store = new RowDraft(home);
    const rows = writeSession(store, session, describe);
    const place = describe.place(session);
    return {
      statements: store.statements,
      rows,
      source: session.source,
      responses: JSON.stringify(draft.usage.map(({ response_id }) => response_id)),
      title,
      location: locationOf(session),
      place,
      project: toProject(place.name, place.root),
      isOfOneFile: isOfOneFile(session),
    };
  } catch (error) {
    // Whoever assembles it says what is wrong.
    if (isLocal(error)) return null;
    throw error;
  }
}

/**
 * Writes the rows if the index has nothing that speaks against them: another file of the session, the same responses,
 * another title, another name for its project. Returns whether they were written.
 */
export function writeDrafted(store: IndexStore, key: string, drafted: DraftedSession, title: string | null): boolean {
  const { source, location, place, project, responses } = drafted;
  if (title !== drafted.title || store.get("SELECT 1 FROM session WHERE key = ?", key) !== undefined) return false;
  const sharing = `SELECT 1 FROM json_each(?) j CROSS JOIN usage u ON u.source = ? AND u.response_id = j.value LIMIT 1`;
  if (store.get(sharing, responses, source) !== undefined) return false;
  const known = storePlace(store, location, place);
  if (known.project !== project.project || known.project_key !== project.project_key) return false;
  runDrafted(store, drafted.statements);
  return true;
}

/** Sessions drafted and not yet written, by their keys. */
export class DraftedSessions {
  readonly #waiting = new Map<string, DraftedSession>();

  put(source: string, session_id: string, drafted: DraftedSession): void {
    this.#waiting.set(sessionKey({ source, session_id }), drafted);
  }

  take(key: string): DraftedSession | null {
    const found = this.#waiting.get(key) ?? null;
    this.#waiting.delete(key);
    return found;
  }

  clear(): void {
    this.#waiting.clear();
  }
}
