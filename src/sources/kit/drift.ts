import type { Drift } from "../contract.ts";
import type { Native } from "./native.ts";

/** Counts what a pass met of versions, and of types and fields that nobody has checked yet. */
export class DriftCounter {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

  /** A record written under a version. */
  version(version: string): void {
    bump(this.#drift.versions, version);
  }

  unknownType(version: string, native: string): void {
    bump(this.#drift.unknownTypes, `${version} · ${native}`);
  }

  unknownField(version: string, native: string, field: string): void {
    bump(this.#drift.unknownFields, `${version} · ${native} · ${field}`);
  }

  /** Counts the fields of a record that are not among the known ones; types without a list are not judged. */
  fields(version: string, native: string, record: Native, known: ReadonlySet<string> | undefined): void {
    if (!known) return;
    for (const name in record) if (!known.has(name)) this.unknownField(version, native, name);
  }

  snapshot(): Drift {
    return structuredClone(this.#drift);
  }
}

/** The same for a store whose records are all of one version. */
export class VersionDrift {
  readonly #counter: DriftCounter;
  readonly #version: string;
  readonly #checkFields: boolean;

  constructor(counter: DriftCounter, version: string, checkFields: boolean) {
    this.#counter = counter;
    this.#version = version;
    this.#checkFields = checkFields;
  }

  row(): void {
    this.#counter.version(this.#version);
  }

  unknownType(native: string): void {
    this.#counter.unknownType(this.#version, native);
  }

  fields(native: string, record: Native, known: ReadonlySet<string> | undefined): void {
    if (this.#checkFields) this.#counter.fields(this.#version, native, record, known);
  }
}

/** Names per type, separated by blanks, as sets; `always`: names that every type has. */
export function fieldsByType(
  names: Readonly<Record<string, string>>,
  always: readonly string[] = [],
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(names).map(([type, list]) => [type, new Set([...list.split(" "), ...always])]));
}

/** Own keys only: versions and types come from files, and one may be called `constructor`. */
function bump(counts: Record<string, number>, key: string): void {
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1;
}
