import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";

/** Fields written by any of the checked releases. Every record has the same envelope. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    "agentColor agentId agentName agentRound agentRunId backgroundTurn contextWindowSize cwd daemonPromptId deliveredTurn " +
    "externalInputKind forkedFrom gitBranch goalContext isSidechain message model parentUuid promptId provenance sessionId " +
    "subtype systemPayload timestamp toolCallResult type usageMetadata uuid version"
  ).split(" "),
);

/** `state.met`: the last version stated. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(record["version"]);
  if (version !== null) {
    state.met = version;
    counter.countVersion(version);
  }
  if (checkFields) counter.countUnknownFields(state.met, str(record["type"]) ?? "(untyped)", record, KNOWN);
}
