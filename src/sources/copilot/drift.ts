import type { Drift } from "../contract.ts";
import { dataOf } from "./identity.ts";
import { str, type Native } from "../kit/native.ts";

/** The envelope around every event. What an event says stands in `data`, which grows with every release and is not checked. */
const KNOWN: ReadonlySet<string> = new Set(["agentId", "data", "ephemeral", "id", "parentId", "timestamp", "type"]);

/** Counts what this pass met of versions, and of types and fields that nobody has checked yet. */
export class DriftGuard {
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  readonly #memory: { met: string };

  constructor(memory: { met: string }) {
    this.#memory = memory;
  }

  note(record: Native, checkFields: boolean): void {
    const version = str(dataOf(record)["copilotVersion"]);
    if (version !== null && version !== "") this.#memory.met = version;
    bump(this.#drift.versions, this.#memory.met);
    if (!checkFields) return;
    const type = str(record["type"]) ?? "(untyped)";
    for (const name in record)
      if (!KNOWN.has(name)) bump(this.#drift.unknownFields, `${this.#memory.met} · ${type} · ${name}`);
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
