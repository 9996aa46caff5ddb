import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeStamp } from "../../answers/daybook.ts";
import { digest } from "../rows/ids.ts";
import { moveOver } from "../../base/io/move-over.ts";

/** For one session: the number of its last change, and the fingerprint of its rows at that time. */
type KnownFingerprint = [change: number, hash: string];

/**
 * A cache of fingerprints, so that unchanged sessions are not read again. Never a watermark: what is sent is decided
 * by what the store says it has. `made`: everything the rows depend on besides the session; the cache is only valid
 * for the same value.
 */
export class KnownFingerprints {
  readonly #path: string;
  readonly #made: string;
  readonly #known: Map<string, KnownFingerprint>;
  #isChanged = false;

  constructor(home: string, store: string, made: readonly string[]) {
    this.#made = digest(JSON.stringify(made));
    this.#path = join(home, "push", `${store}.json`);
    this.#known = new Map(Object.entries(read(this.#path, this.#made)));
  }

  of({ key, change }: ChangeStamp): string | null {
    const known = this.#known.get(key);
    return known?.[0] === change ? known[1] : null;
  }

  note({ key, change }: ChangeStamp, hash: string): void {
    this.#known.set(key, [change, hash]);
    this.#isChanged = true;
  }

  /** `sessions`: all current ones; entries of others are dropped. */
  save(sessions: readonly ChangeStamp[]): void {
    if (!this.#isChanged) return;
    const rest = sessions.flatMap(({ key }) => {
      const known = this.#known.get(key);
      return known ? [[key, known] as const] : [];
    });
    mkdirSync(join(this.#path, ".."), { recursive: true, mode: 0o700 });
    const aside = `${this.#path}.${process.pid}`;
    writeFileSync(aside, JSON.stringify({ made: this.#made, known: Object.fromEntries(rest) }), { mode: 0o600 });
    moveOver(aside, this.#path);
    this.#isChanged = false;
  }
}

function read(path: string, made: string): Record<string, KnownFingerprint> {
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as { made?: unknown; known?: Record<string, KnownFingerprint> };
    return file.made === made ? (file.known ?? {}) : {};
  } catch {
    return {};
  }
}
