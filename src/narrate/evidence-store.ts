import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FileEvidence, TurnEvidence } from "./turn-evidence.ts";

/** The texts of a file: nearly all of its evidence by size. */
type Texts = Pick<FileEvidence, "lines" | "compact">;

/** Maximum bytes of texts in the memory cache, as serialized; the most recently used stay. */
const ROOM = 8 * 1024 * 1024;

/**
 * Keeps the texts of turns in a file, so that a day or a week need not fit into memory. They are read again on access.
 * The file belongs to this process alone; one left by a killed process has the name of an unfinished file and is
 * removed like those.
 */
export class EvidenceStore {
  readonly #path: string;
  readonly #file: number;
  readonly #cache = new Map<number, { texts: Texts; size: number }>();
  #end = 0;
  #cachedBytes = 0;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, `evidence.${process.pid}.new`);
    this.#file = openSync(this.#path, "w+", 0o600);
  }

  /** The same turn, with its texts and those of its sub-agents moved to the file. */
  keep(turn: TurnEvidence): TurnEvidence {
    return this.#store({ ...turn, agents: turn.agents.map((agent) => this.#store(agent)) });
  }

  #store<T extends Texts>({ lines, compact, ...rest }: T): T {
    const bytes = Buffer.from(JSON.stringify({ lines, compact } satisfies Texts));
    const at = this.#end;
    writeSync(this.#file, bytes, 0, bytes.length, at);
    this.#end += bytes.length;
    const texts = (): Texts => this.#read(at, bytes.length);
    const lazy = {
      ...rest,
      get lines() {
        return texts().lines;
      },
      get compact() {
        return texts().compact;
      },
    };
    return lazy as unknown as T;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #read(at: number, size: number): Texts {
    const cached = this.#cache.get(at);
    if (cached) {
      // Moved to the end, as the most recently used.
      this.#cache.delete(at);
      this.#cache.set(at, cached);
      return cached.texts;
    }
    const bytes = Buffer.alloc(size);
    readSync(this.#file, bytes, 0, size, at);
    const texts = JSON.parse(bytes.toString("utf8")) as Texts;
    this.#cache.set(at, { texts, size });
    this.#cachedBytes += size;
    for (const [oldest, { size: bytesOf }] of this.#cache) {
      if (this.#cachedBytes <= ROOM || oldest === at) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= bytesOf;
    }
    return texts;
  }
}
