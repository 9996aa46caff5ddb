import type { Row } from "../../io/sqlite.ts";
import type { Project } from "../../answers/projects/project.ts";
import type { Progress } from "../../reading/pool.ts";
import { sourceOf } from "../../reading/read-file.ts";
import type { Entry, SharedText, SourceRef } from "../../sources/contract.ts";
import type { Session, Turn } from "../../turns/session.ts";
import { addInstructionUses, instructionUsesOf, type InstructionUse, type InstructionTexts } from "./instructions.ts";
import { writeCopied } from "../tables/copied-lines.ts";
import { putSession } from "../tables/session-rows.ts";
import { IndexStore } from "../tables/index-store.ts";
import { toIndexText } from "./terms.ts";
import { putTurn } from "../tables/turn-row.ts";
import type { TextStore } from "./search.ts";
import { DocWriter } from "../tables/file-rows.ts";
import { textOf } from "./text-kinds.ts";
import { sessionKey } from "../../format/session-key.ts";

export interface TemporaryIndexOptions {
  projectOf: (session: Session) => Project;
  /** Called when a file could not be read to its end; what was read of it is indexed. */
  failed: (ref: SourceRef, message: string) => void;
  progress?: Progress | undefined;
  /** Views of sessions and turns as JSON, for queries that need them. */
  views?: { session: (session: Session) => string; turn: (turn: Turn) => string };
}

/**
 * Makes sessions searchable without a book, until it is closed. The index is an unnamed database, which disappears with
 * the process however that ends. Texts stay in their files and are read again for matches.
 */
export class TemporaryIndex implements TextStore {
  readonly store: IndexStore = IndexStore.unnamed();
  readonly #docs = new DocWriter(this.store);
  readonly #refs = new Map<number, SourceRef>();
  readonly #given: InstructionTexts = {
    text: (hash) => this.instruction(hash),
    save: (hash, text) => void this.store.run("INSERT OR IGNORE INTO given (hash, text) VALUES (?, ?)", hash, text),
  };

  constructor(sessions: readonly Session[], { projectOf, failed, progress, views }: TemporaryIndexOptions) {
    const parts = sessions.flatMap((session) => session.parts.map(({ ref }) => ({ session, ref })));
    const ofBytes = parts.reduce((sum, { ref }) => sum + ref.size, 0);
    let bytes = 0;
    this.store.transaction(() => {
      for (const session of sessions) this.#place(session, projectOf(session), views);
      for (const [i, { session, ref }] of parts.entries()) {
        const unit = this.#unit(session, ref);
        try {
          this.#take(unit, ref);
        } catch (error) {
          failed(ref, error instanceof Error ? error.message : String(error));
        }
        bytes += ref.size;
        progress?.({ files: i + 1, of: parts.length, bytes, ofBytes });
      }
    });
  }

  close(): void {
    this.store.close();
  }

  instruction(hash: string): string | null {
    const text = this.store.get("SELECT text FROM given WHERE hash = ?", hash)?.["text"];
    return typeof text === "string" ? text : null;
  }

  /** Reads each file once, up to its last match. */
  texts(rows: readonly Row[]): string[] {
    const found = new Map<Row, string>();
    for (const [unit, ref] of this.#refs) {
      const wanted = rows.filter((row) => Number(row["unit"]) === unit);
      if (wanted.length > 0) for (const [row, text] of textsIn(ref, wanted)) found.set(row, text);
    }
    return rows.map((row) => found.get(row) ?? "");
  }

  #place(session: Session, project: Project, views: TemporaryIndexOptions["views"]): void {
    const { length: turns } = session.turns;
    putSession(this.store, session, project, { view: views?.session(session) ?? "", turns });
    writeCopied(this.store, session);
    for (const turn of session.turns) putTurn(this.store, sessionKey(session), turn, views?.turn(turn) ?? "");
  }

  #unit({ source, session_id }: Session, ref: SourceRef): number {
    const unit = this.#refs.size + 1;
    this.#refs.set(unit, ref);
    this.store.run(
      `INSERT INTO unit (id, source, path, key, session_id, container, size, mtime, page, lines, problems)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '[]')`,
      unit,
      source,
      ref.path,
      ref.key ?? "",
      session_id,
      ref.container,
      ref.size,
      ref.mtimeMs,
      String(unit),
    );
    return unit;
  }

  #take(unit: number, ref: SourceRef): void {
    const forces: InstructionUse[] = [];
    const instructions = new Map<string, SharedText>();
    try {
      for (const entry of sourceOf(ref).read(ref, null, { detail: "full" })) {
        for (const shared of entry.texts ?? []) instructions.set(shared.hash, shared);
        for (const [i, body] of entry.records.entries()) {
          if (body.type === "context" && body.sources !== undefined)
            forces.push(...instructionUsesOf(entry, body.sources, i));
          const found = textOf(body);
          // `at` is the index of the record within its line: the text is not stored elsewhere.
          if (found) this.#docs.add(unit, [entry.line, found[0], entry.time, i, 0, toIndexText(found[1])]);
        }
      }
    } finally {
      addInstructionUses(this.store, unit, { forces, instructions: [...instructions.values()] }, this.#given);
    }
  }
}

function* textsIn(ref: SourceRef, rows: readonly Row[]): Generator<[Row, string], void, undefined> {
  const last = Math.max(...rows.map((row) => Number(row["line"])));
  for (const entry of sourceOf(ref).read(ref, null, { detail: "full" })) {
    for (const row of rows) if (Number(row["line"]) === entry.line) yield [row, textAt(entry, Number(row["at"]))];
    if (entry.line >= last) return;
  }
}

function textAt(entry: Entry, record: number): string {
  const body = entry.records[record];
  return (body && textOf(body)?.[1]) ?? "";
}
