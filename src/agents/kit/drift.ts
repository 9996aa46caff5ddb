import type { Drift } from "../contract.ts";
import type { Native } from "./native.ts";

/** Counts the versions seen in a pass, and the types and fields that the reader does not know. */
export class DriftCounter {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

  /** Counts one record written by this version. */
  countVersion(version: string): void {
    bump(this.#drift.versions, version);
  }

  countUnknownType(version: string, native: string): void {
    bump(this.#drift.unknownTypes, `${version} · ${native}`);
  }

  countUnknownField(version: string, native: string, field: string): void {
    bump(this.#drift.unknownFields, `${version} · ${native} · ${field}`);
  }

  /** Counts the fields of a record that are not in `known`; types without a list of known fields are not checked. */
  countUnknownFields(
    version: string,
    native: string,
    record: Native,
    known: ReadonlySet<string> | undefined,
    within = "",
  ): void {
    if (!known) return;
    for (const name in record) if (!known.has(name)) this.countUnknownField(version, native, within + name);
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }
}

/** Drift counts for a store whose records all have the same version. */
export class SingleVersionDrift {
  readonly #counter: DriftCounter;
  readonly #version: string;
  readonly #checkFields: boolean;

  constructor(counter: DriftCounter, version: string, checkFields: boolean) {
    this.#counter = counter;
    this.#version = version;
    this.#checkFields = checkFields;
  }

  countRow(): void {
    this.#counter.countVersion(this.#version);
  }

  countUnknownType(native: string): void {
    this.#counter.countUnknownType(this.#version, native);
  }

  countUnknownFields(native: string, record: Native, known: ReadonlySet<string> | undefined): void {
    if (this.#checkFields) this.#counter.countUnknownFields(this.#version, native, record, known);
  }
}

/** Turns lists of field names separated by spaces into one set per type; fields in `always` belong to every type. */
export function fieldsByType(
  names: Readonly<Record<string, string>>,
  always: readonly string[] = [],
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(names).map(([type, list]) => [type, new Set([...list.split(" "), ...always])]));
}

/** Looks at own keys only: versions and types come from files, and one may be called `constructor`. */
function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1;
}
