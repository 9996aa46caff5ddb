import type { Drift } from "../contract.ts";
import { str, type Native } from "../kit/native.ts";

/** Fields some release we checked has written. Every record carries the same envelope. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    "agentColor agentId agentName agentRound agentRunId backgroundTurn contextWindowSize cwd daemonPromptId deliveredTurn " +
    "externalInputKind forkedFrom gitBranch goalContext isSidechain message model parentUuid promptId provenance sessionId " +
    "subtype systemPayload timestamp toolCallResult type usageMetadata uuid version"
  ).split(" "),
);

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
      bump(this.#drift.versions, version);
    }
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
