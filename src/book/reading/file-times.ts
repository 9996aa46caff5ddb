import type { FileTimes, SourceRef } from "../../agents/contract.ts";
import { sourceOf } from "./read-file.ts";

/** A record gets its time before it is written, and some file systems store times in steps of two seconds. */
const CLOCK_TOLERANCE_MS = 2000;

/**
 * When the records of files were written, as far as known without reading them: the range may be too wide, never too
 * narrow.
 */
export class FileTimeCache {
  /** One question may ask for the same file several times. */
  readonly #known = new Map<string, { ref: SourceRef; times: FileTimes }>();

  of(ref: SourceRef): FileTimes {
    const name = `${ref.source} ${ref.path} ${ref.key ?? ""}`;
    const known = this.#known.get(name);
    if (known && known.ref.size === ref.size && known.ref.mtimeMs === ref.mtimeMs) return known.times;
    const times = sourceOf(ref).times?.(ref) ?? { first: -Infinity, last: ref.mtimeMs + CLOCK_TOLERANCE_MS };
    this.#known.set(name, { ref, times });
    return times;
  }
}
