import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";
import { unknownFields } from "./fields.ts";
import { nativeType } from "./native.ts";

/** pi does not state its version, so the version of the session format is used. */
export function noteDrift(
  counter: DriftCounter,
  record: Native,
  version: string,
  unknown: boolean,
  checkFields: boolean,
): void {
  counter.countVersion(version);
  if (unknown) counter.countUnknownType(version, nativeType(record));
  if (!checkFields) return;
  for (const field of unknownFields(str(record["type"]) ?? "", record))
    counter.countUnknownField(version, nativeType(record), field);
}
