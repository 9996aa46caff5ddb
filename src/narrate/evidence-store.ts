import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FileEvidence, TurnEvidence } from "./turn-evidence.ts";

/** The texts of a file: nearly all of what is known of it. */
type Texts = Pick<FileEvidence, "lines" | "compact">;

/** Bytes of texts that stay in memory, as they stand in the file: those looked at last. */
const ROOM = 8 * 1024 * 1024;

/**
 * Texts of turns in a file, so that a day or a week need not fit into memory. Each is read again when somebody looks at it. The file is
 * of this process alone; one that was left by a kill is named like anything half written, and taken away with it.
 */
export class EvidenceStore {
  readonly #path: string;
  readonly #file: number;
  readonly #near = new Map<number, { texts: Texts; size: number }>();
  #end = 0;
  #held = 0;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, `evidence.${process.pid}.new`);
    this.#file = openSync(this.#path, "w+", 0o600);
  }

  /** The same turn, with its texts and those of its sub-agents in the file. */
  keep(turn: TurnEvidence): TurnEvidence {
    return this.#kept({ ...turn, agents: turn.agents.map((agent) => this.#kept(agent)) });
  }

  #kept<T extends Texts>({ lines, compact, ...rest }: T): T {
    const bytes = Buffer.from(JSON.stringify({ lines, compact } satisfies Texts));
    const at = this.#end;
    writeSync(this.#file, bytes, 0, bytes.length, at);
    this.#end += bytes.length;
    const texts = (): Texts => this.#read(at, bytes.length);
    const near = {
      ...rest,
      get lines() {
        return texts().lines;
      },
      get compact() {
        return texts().compact;
      },
    };
    return near as unknown as T;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #read(at: number, size: number): Texts {
    const near = this.#near.get(at);
    if (near) {
      // The last that was looked at goes last.
      this.#near.delete(at);
      this.#near.set(at, near);
      return near.texts;
    }
    const bytes = Buffer.alloc(size);
    readSync(this.#file, bytes, 0, size, at);
    const texts = JSON.parse(bytes.toString("utf8")) as Texts;
    this.#near.set(at, { texts, size });
    this.#held += size;
    for (const [oldest, { size: bytesOf }] of this.#near) {
      if (this.#held <= ROOM || oldest === at) break;
      this.#near.delete(oldest);
      this.#held -= bytesOf;
    }
    return texts;
  }
}
