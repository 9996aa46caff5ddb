import { responsesOf } from "../views/response.ts";
import { recordsOf, type Recording } from "../views/recorded.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import { isLocal, messageOf } from "../base/errors.ts";
import type { ToolFinishedBody } from "../record/record.ts";
import { sessionKey } from "../record/session-key.ts";
import { fileEntries } from "../book/reading/file-entries.ts";
import { unreadableFile } from "../book/reading/library.ts";
import type { Progress } from "../book/reading/pool.ts";
import type { Diagnostic } from "../agents/contract.ts";
import { leftOutDiagnostic, type Assembly } from "../turns/assemble.ts";
import type { FileDraft } from "../turns/model.ts";
import type { Session } from "../turns/session.ts";
import type { IndexOrigin } from "./origin.ts";
import { FileTexts } from "./search/file-texts.ts";
import type { TextStore } from "./search/search.ts";
import { SessionDescriber, type Naming, type TitledDescriber } from "./tables/describe.ts";
import { IndexStore } from "./tables/index-store.ts";
import { settleNames, storedProject } from "./tables/project-names.ts";
import { REMOTE_LISTS, type RemoteDemand, type RemoteList } from "./tables/remote-demand.ts";
import { dropSession, writeAsking, writeCalls, writeFacts, writeHead, writeTurns } from "./tables/session-rows.ts";
import { putTitles, type Titles } from "./tables/titles.ts";
import { writeUsage } from "./tables/usage-rows.ts";

export interface FileOriginOptions {
  naming: Naming;
  titles: Titles;
  /** Called with a file or session that cannot be answered for. */
  failed: (problem: Diagnostic) => void;
  progress: Progress | undefined;
  /** Use no file, not even one without a name. */
  inMemory: boolean;
}

/** How the rows of each list are written. */
const WRITERS: Readonly<
  Record<RemoteList, (store: IndexStore, key: string, session: Session, describe: TitledDescriber) => void>
> = {
  turns(store, key, session, describe) {
    const project = storedProject(store, key);
    if (project) writeTurns(store, key, session, describe, project);
  },
  calls: (store, key, session) => writeCalls(store, key, session, () => false),
  responses: (store, key, session, { prices }) => writeUsage(store, key, responsesOf(session, prices)),
  asked: (store, key, session) => writeAsking(store, key, session),
  facts: (store, key, session) => writeFacts(store, key, session),
};

/**
 * Sessions just read from files that are in no book. Their rows are written by the code that writes those of the book,
 * into an index that disappears with the process; each list, and the words, when a question first needs it.
 */
export class FileOrigin implements IndexOrigin {
  readonly store: IndexStore;
  readonly #read: Assembly;
  readonly #describe: TitledDescriber;
  readonly #failed: FileOriginOptions["failed"];
  readonly #written = new Set<RemoteList>();
  /** The sessions that have rows. */
  readonly #sessions: Set<Session>;
  readonly #texts: FileTexts;
  readonly #progress: Progress | undefined;
  #hasWords = false;

  constructor(read: Assembly, { naming, titles, failed, progress, inMemory }: FileOriginOptions) {
    this.store = IndexStore.unnamed(inMemory);
    this.#read = read;
    this.#describe = new SessionDescriber(naming).withTitles(titles);
    this.#failed = failed;
    this.#progress = progress;
    this.#sessions = new Set(read.sessions);
    this.#texts = new FileTexts(this.store);
    this.store.transaction(() => {
      putTitles(this.store, titles);
      for (const session of read.sessions) for (const part of session.parts) this.#putFile(session, part);
      this.#each((session) => writeHead(this.store, session, this.#describe));
      settleNames(this.store);
    });
  }

  fill({ lists = REMOTE_LISTS, words }: RemoteDemand): void {
    const missing = lists.filter((list) => !this.#written.has(list));
    if (missing.length > 0)
      this.store.transaction(() =>
        this.#each((session) => {
          for (const list of missing) WRITERS[list](this.store, sessionKey(session), session, this.#describe);
        }),
      );
    for (const list of missing) this.#written.add(list);
    if (words === undefined || this.#hasWords) return;
    this.#hasWords = true;
    this.store.transaction(() =>
      this.#texts.add((ref, error) => this.#failed(unreadableFile(ref, messageOf(error))), this.#progress),
    );
  }

  texts(): TextStore {
    return this.#texts;
  }

  recordedSession({ source, session_id }: Pick<SessionView, "source" | "session_id">): Recording | null {
    const session = this.#read.byKey.get(sessionKey({ source, session_id }));
    if (!session) return null;
    const { meta } = session;
    const parts = session.parts.map((part) => ({
      path: part.path,
      entries: () => fileEntries(part),
      turns: session.turns.filter((turn) => turn.part === part).map((turn) => ({ ...turn, lines: turn.draft.lines })),
    }));
    return { source, session_id, cwd: meta.cwd, kind: meta.kind, parts };
  }

  outputs([first]: readonly ToolView[]): ToolFinishedBody[] {
    const recorded = first ? this.recordedSession(first) : null;
    const records = recorded ? [...recordsOf(recorded, new Set(["tool_finished"] as const))] : [];
    return records.filter((record) => record.type === "tool_finished");
  }

  assemble(): Assembly {
    return this.#read;
  }

  /** A session that cannot be described has no rows; all others are answered for. */
  #each(write: (session: Session) => void): void {
    for (const session of this.#sessions) {
      try {
        write(session);
      } catch (error) {
        if (!isLocal(error)) throw error;
        this.#sessions.delete(session);
        dropSession(this.store, sessionKey(session));
        this.#failed(leftOutDiagnostic(session, error));
      }
    }
    // Changes are numbered in books only: the next time the files are read, the numbers begin again.
    this.store.run("DELETE FROM change");
  }

  #putFile({ source, session_id }: Session, { ref, diagnostics, drift }: FileDraft): void {
    const { store } = this;
    const id = this.#texts.file(ref);
    store.run(
      `INSERT INTO file (id, source, path, key, session_id, container, size, mtime, page, lines, problems, stale)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0)`,
      id,
      source,
      ref.path,
      ref.key ?? "",
      session_id,
      ref.container,
      ref.size,
      ref.mtimeMs,
      String(id),
      JSON.stringify(diagnostics),
    );
    for (const version of Object.keys(drift.versions))
      store.run("INSERT OR IGNORE INTO version (source, version, file) VALUES (?, ?, ?)", source, version, id);
  }
}
