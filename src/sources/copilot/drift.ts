import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";
import { dataOf } from "./identity.ts";

/** The envelope around every event. What an event says stands in `data`, which grows with every release and is not checked. */
const KNOWN: ReadonlySet<string> = new Set(["agentId", "data", "ephemeral", "id", "parentId", "timestamp", "type"]);

/** `state.met`: the version stated last. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(dataOf(record)["copilotVersion"]);
  if (version !== null && version !== "") state.met = version;
  counter.version(state.met);
  if (checkFields) counter.fields(state.met, str(record["type"]) ?? "(untyped)", record, KNOWN);
}
