import type { Drift } from "../contract.ts";
import { obj, type Native } from "../kit/native.ts";

const MESSAGE = "content displayContent id timestamp type";
const HEADER =
  "activeExtensionName directories kind lastUpdated memoryScratchpad messages projectHash sessionId startTime summary";
const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    session_meta: HEADER,
    $set: HEADER,
    "$set/messages": HEADER,
    $rewindTo: "$rewindTo",
    user: MESSAGE,
    info: MESSAGE,
    warning: MESSAGE,
    error: MESSAGE,
    gemini: `${MESSAGE} model thoughts tokens toolCalls`,
  }).map(([type, names]) => [type, new Set(names.split(" "))]),
);

/** Counts types and fields that nobody has checked yet. The files name no version, so everything stands under `unknown`. */
export class DriftGuard {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

  note(record: Native, native: string): void {
    const known = KNOWN.get(native);
    const fields = native.startsWith("$set") ? obj(record["$set"]) : record;
    if (!known || !fields) return;
    for (const name in fields) if (!known.has(name)) bump(this.#drift.unknownFields, `unknown · ${native} · ${name}`);
  }

  unknownType(native: string): void {
    bump(this.#drift.unknownTypes, `unknown · ${native}`);
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }
}

function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
