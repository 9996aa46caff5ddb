import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";
import { dataOf } from "./identity.ts";

/**
 * Fields of the envelope around every event. Its content is in `data`, which grows with every release and is not
 * checked.
 */
const KNOWN: ReadonlySet<string> = new Set(["agentId", "data", "ephemeral", "id", "parentId", "timestamp", "type"]);

/** `state.met`: the last version stated. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(dataOf(record)["copilotVersion"]);
  if (version !== null && version !== "") state.met = version;
  counter.countVersion(state.met);
  if (checkFields) counter.countUnknownFields(state.met, str(record["type"]) ?? "(untyped)", record, KNOWN);
}
