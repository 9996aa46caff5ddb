import type { FileTimes, SourceRef } from "../sources/contract.ts";
import { sourceOf } from "./read-file.ts";

/** A record has its time before it is written, and some file systems keep times of two seconds. */
const COARSE = 2000;

/** When the records of files were written, as far as is known without reading them: perhaps wider, never narrower. */
export class KnownTimes {
  /** One question may ask several times over. */
  readonly #known = new Map<string, { ref: SourceRef; times: FileTimes }>();

  of(ref: SourceRef): FileTimes {
    const name = `${ref.source} ${ref.path} ${ref.key ?? ""}`;
    const known = this.#known.get(name);
    if (known && known.ref.size === ref.size && known.ref.mtimeMs === ref.mtimeMs) return known.times;
    const times = sourceOf(ref).times?.(ref) ?? { first: -Infinity, last: ref.mtimeMs + COARSE };
    this.#known.set(name, { ref, times });
    return times;
  }
}
