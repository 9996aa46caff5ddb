import type { Drift } from "../contract.ts";
import { unknownFields } from "./fields.ts";
import { str, type Native } from "../kit/native.ts";

/** Counts what this pass met of versions, and of types and fields that nobody has checked yet. */
export class DriftGuard {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  readonly #memory: { met: string };

  constructor(memory: { met: string }) {
    this.#memory = memory;
  }

  note(record: Native, checkFields: boolean): void {
    const version = str(record["version"]);
    if (version !== null) {
      this.#memory.met = version;
      this.#drift.versions[version] = (this.#drift.versions[version] ?? 0) + 1;
    }
    if (!checkFields) return;
    const type = str(record["type"]) ?? "(untyped)";
    for (const field of unknownFields(type, record))
      bump(this.#drift.unknownFields, `${this.#memory.met} · ${type} · ${field}`);
  }

  unknownType(native: string): void {
    bump(this.#drift.unknownTypes, `${this.#memory.met} · ${native}`);
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }
}

function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
