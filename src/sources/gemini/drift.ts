import { fieldsByType, type DriftCounter } from "../kit/drift.ts";
import { obj, type Native } from "../kit/native.ts";

const MESSAGE = "content displayContent id timestamp type";
const HEADER =
  "activeExtensionName directories kind lastUpdated memoryScratchpad messages projectHash sessionId startTime summary";
const KNOWN = fieldsByType({
  session_meta: HEADER,
  $set: HEADER,
  "$set/messages": HEADER,
  $rewindTo: "$rewindTo",
  user: MESSAGE,
  info: MESSAGE,
  warning: MESSAGE,
  error: MESSAGE,
  gemini: `${MESSAGE} model thoughts tokens toolCalls`,
});

/** The files name no version. */
export const VERSION = "unknown";

export function noteDrift(counter: DriftCounter, record: Native, native: string): void {
  const fields = native.startsWith("$set") ? obj(record["$set"]) : record;
  if (fields) counter.countUnknownFields(VERSION, native, fields, KNOWN.get(native));
}
