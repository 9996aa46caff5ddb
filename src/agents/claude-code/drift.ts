import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";
import { KNOWN_FIELDS } from "./fields.ts";

/** `state.met` is the version stated last, which also applies to records without one. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(record["version"]);
  if (version !== null) {
    state.met = version;
    counter.countVersion(version);
  }
  if (!checkFields) return;
  const type = str(record["type"]) ?? "(untyped)";
  counter.countUnknownFields(state.met, type, record, KNOWN_FIELDS.get(type));
}
