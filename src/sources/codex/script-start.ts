import { zonedTime } from "../../io/instant.ts";
import type { SourceRef } from "../contract.ts";
import { obj } from "../kit/native.ts";
import { JsonLines } from "../kit/json-lines.ts";

/** The originator that Codex's Python SDK writes in the header. */
const LIBRARY = "codex_python_sdk";

/** The time stated in the header. Unlike a reading, this proof must not fall back to other times in the file. */
export function scriptStart(ref: SourceRef, originator: string | null): number | null {
  if (originator !== LIBRARY || ref.container !== "jsonl") return null;
  try {
    const lines = new JsonLines(ref, null, { detail: "lean" });
    const header = lines.next()?.value ?? null;
    lines.close();
    return zonedTime(header?.["timestamp"]) ?? zonedTime(obj(header?.["payload"])?.["timestamp"]);
  } catch {
    return null;
  }
}
