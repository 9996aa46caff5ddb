import { fieldsByType, type SingleVersionDrift } from "../kit/drift.ts";
import { str, type Native } from "../kit/native.ts";

/** Fields that the checked releases write, per type. Types without a list are not checked. */
const FIELDS: Readonly<Record<string, string>> = {
  "message/user": "role time agent model system tools format summary variant fallbackModels mode",
  "message/assistant":
    "role parentID time modelID providerID mode agent path cost tokens finish error summary variant structured system",
  "part/text": "type text synthetic ignored time metadata",
  "part/reasoning": "type text time metadata",
  "part/file": "type mime filename url source mediaType",
  "part/tool": "type callID tool state metadata",
  "part/step-start": "type snapshot",
  "part/step-finish": "type reason snapshot cost tokens",
  "part/snapshot": "type snapshot",
  "part/patch": "type hash files",
  "part/agent": "type name source",
  "part/retry": "type attempt error time",
  "part/compaction": "type auto overflow tail_start_id",
  "part/subtask": "type prompt description agent model command",
};

/** Ids are in columns of the database, but inside the documents of the older store. */
const ALWAYS = ["id", "sessionID", "messageID"];

const KNOWN = fieldsByType(FIELDS, ALWAYS);

export function noteFields(drift: SingleVersionDrift, native: string, data: Native): void {
  drift.countUnknownFields(native, data, KNOWN.get(native));
}

/** Native type of a part, for display and for drift. */
export function partType(part: Native): string {
  return `part/${str(part["type"]) ?? "(untyped)"}`;
}
