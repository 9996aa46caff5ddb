import type { DriftCounter } from "../kit/drift.ts";
import { unknownFields } from "./known.ts";
import { nativePath, type NativeRecord } from "./native.ts";

export function noteDrift(
  counter: DriftCounter,
  record: NativeRecord,
  stated: string | null,
  isUnknown: boolean,
  checkFields: boolean,
): void {
  const version = stated ?? "unknown";
  counter.version(version);
  if (isUnknown) counter.unknownType(version, nativePath(record));
  if (isUnknown || !checkFields) return;
  const type = record.type === "retained_context" || record.kind === "" ? record.type : `${record.type}/${record.kind}`;
  const fields = unknownFields(type, record.payload, record.bare);
  if (record.itemType !== "") fields.push(...unknownFields(`item/${record.itemType}`, record.item, false));
  for (const name of fields) counter.unknownField(version, nativePath(record), name);
}
