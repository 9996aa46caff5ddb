import type { Drift } from "../contract.ts";
import { unknownFields } from "./fields.ts";
import { nativeType } from "./native.ts";
import { str, type Native } from "../kit/native.ts";

/** Counts what this pass met of versions, and of types and fields that nobody has checked yet. */
export class DriftGuard {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

  /** pi does not name its version; the version of the session format is all there is. */
  note(record: Native, version: string, unknown: boolean, checkFields: boolean): void {
    bump(this.#drift.versions, version);
    if (unknown) bump(this.#drift.unknownTypes, `${version} · ${nativeType(record)}`);
    if (!checkFields) return;
    for (const field of unknownFields(str(record["type"]) ?? "", record)) {
      bump(this.#drift.unknownFields, `${version} · ${nativeType(record)} · ${field}`);
    }
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }
}

function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
