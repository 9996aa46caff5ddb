import type { Drift } from "../contract.ts";
import { unknownFields } from "./known.ts";
import { nativePath, type NativeRecord } from "./native.ts";

/** Counts versions, and types and fields this reader does not know: the first sign that the format moved. */
export class DriftCounter {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

  record(record: NativeRecord, version: string | null, isUnknown: boolean, fields: boolean): void {
    const written = version ?? "unknown";
    add(this.#drift.versions, written);
    if (isUnknown) {
      add(this.#drift.unknownTypes, `${written} · ${nativePath(record)}`);
      return;
    }
    if (!fields) return;
    const type =
      record.type === "retained_context" || record.kind === "" ? record.type : `${record.type}/${record.kind}`;
    this.#fields(written, nativePath(record), unknownFields(type, record.payload, record.bare));
    if (record.itemType !== "") {
      this.#fields(written, nativePath(record), unknownFields(`item/${record.itemType}`, record.item, false));
    }
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }

  #fields(version: string, native: string, names: readonly string[]): void {
    for (const name of names) add(this.#drift.unknownFields, `${version} · ${native} · ${name}`);
  }
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1;
}
