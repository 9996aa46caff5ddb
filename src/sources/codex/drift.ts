import type { DriftCounter } from "../kit/drift.ts";
import { unknownFields } from "./known-fields.ts";
import { nativePath, type NativeRecord } from "./native.ts";

export function noteDrift(
  counter: DriftCounter,
  record: NativeRecord,
  stated: string | null,
  isUnknown: boolean,
  checkFields: boolean,
): void {
  const version = stated ?? "unknown";
  counter.countVersion(version);
  if (isUnknown) counter.countUnknownType(version, nativePath(record));
  if (isUnknown || !checkFields) return;
  const type = record.type === "retained_context" || record.kind === "" ? record.type : `${record.type}/${record.kind}`;
  const fields = unknownFields(type, record.payload, record.bare);
  if (record.itemType !== "") fields.push(...unknownFields(`item/${record.itemType}`, record.item, false));
  for (const name of fields) counter.countUnknownField(version, nativePath(record), name);
}
