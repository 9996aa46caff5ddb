import type { DriftCounter } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";
import { unknownFields } from "./fields.ts";
import { nativeType } from "./native.ts";

/** pi does not name its version; the version of the session format is all there is. */
export function noteDrift(
  counter: DriftCounter,
  record: Native,
  version: string,
  unknown: boolean,
  checkFields: boolean,
): void {
  counter.version(version);
  if (unknown) counter.unknownType(version, nativeType(record));
  if (!checkFields) return;
  for (const field of unknownFields(str(record["type"]) ?? "", record))
    counter.unknownField(version, nativeType(record), field);
}
