import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";

/** Fields some release we checked has written. Every record carries the same envelope. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    "agentColor agentId agentName agentRound agentRunId backgroundTurn contextWindowSize cwd daemonPromptId deliveredTurn " +
    "externalInputKind forkedFrom gitBranch goalContext isSidechain message model parentUuid promptId provenance sessionId " +
    "subtype systemPayload timestamp toolCallResult type usageMetadata uuid version"
  ).split(" "),
);

/** `state.met`: the version stated last. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(record["version"]);
  if (version !== null) {
    state.met = version;
    counter.version(version);
  }
  if (checkFields) counter.fields(state.met, str(record["type"]) ?? "(untyped)", record, KNOWN);
}
