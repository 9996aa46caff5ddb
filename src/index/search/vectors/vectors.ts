import { join } from "node:path";
import type { Redactor } from "../../../base/redact/redact.ts";
import { acquireLock, LockedError } from "../../../record/write-lock.ts";
import type { IndexStore } from "../../tables/index-store.ts";
import { embedderOf } from "./choose-embedder.ts";
import type { Embedder, EmbeddingSettings } from "./embedder.ts";
import { textsOf, unmadeTurns, vectorsOf, type UnmadeTurn } from "./make-vectors.ts";
import { VectorFile } from "./vector-file.ts";

/** How many turns there are, and how many of them have vectors. */
export interface VectorCount {
  made: number;
  of: number;
}

export interface VectorDemand {
  /** Stops it after a batch; the next call goes on. */
  signal?: AbortSignal | undefined;
  /** Called after each batch. */
  onProgress?: ((count: VectorCount) => void) | undefined;
}

/** Runs something on the current index, which may change between two runs. */
type WithIndex = <T>(work: (store: IndexStore) => T) => Promise<T>;

/** Turns per request. */
const BATCH = 8;

/** The vectors of a book's turns, by the model that the user named. */
export class Vectors {
  readonly embedder: Embedder;
  readonly #home: string;
  #file: VectorFile | null = null;

  constructor(home: string, settings: EmbeddingSettings, env: Readonly<Record<string, string | undefined>>) {
    this.embedder = embedderOf(settings, env);
    this.#home = home;
  }

  get file(): VectorFile {
    return (this.#file ??= VectorFile.open(this.#home, this.embedder.id));
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  /**
   * Makes the vectors that are missing, batch by batch: stopped at any time, it goes on where it was. One process at a
   * time; null if another one makes them.
   */
  async make(
    withIndex: WithIndex,
    redactor: Redactor,
    { signal, onProgress }: VectorDemand,
  ): Promise<VectorCount | null> {
    const lock = this.#lock();
    if (!lock) return null;
    try {
      const { unmade, of } = await withIndex((store) => ({
        unmade: unmadeTurns(store, this.file),
        of: Number(store.get("SELECT count(*) AS n FROM turn")?.["n"]),
      }));
      let made = of - unmade.length;
      for (let at = 0; at < unmade.length; at += BATCH) {
        if (signal?.aborted === true) break;
        const batch = unmade.slice(at, at + BATCH);
        const withTexts = await withIndex((store) => batch.map((turn) => withTextsOf(store, turn, redactor)));
        this.file.put(await vectorsOf(withTexts, this.embedder, signal));
        made += batch.length;
        onProgress?.({ made, of });
        lock.beat();
      }
      return { made, of };
    } finally {
      lock.release();
    }
  }

  #lock(): ReturnType<typeof acquireLock> | null {
    try {
      return acquireLock(join(this.#home, "vectors.lock"));
    } catch (error) {
      if (error instanceof LockedError) return null;
      throw error;
    }
  }
}

function withTextsOf(
  store: IndexStore,
  turn: UnmadeTurn,
  redactor: Redactor,
): UnmadeTurn & { texts: ReturnType<typeof textsOf> } {
  return { ...turn, texts: textsOf(store, turn, redactor) };
}
