import { closeSync, readSync } from "node:fs";
import { obj, str, type Native } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { openFile } from "../../io/regular-file.ts";

const HEAD = 64 * 1024;
const EVENT = /^(?:session|user|assistant|tool|system|subagent|hook|permission|skill|model|external_tool)\.|^abort$/;

/** Whether the head of a file looks like Copilot CLI's events, or like a document of its first versions. */
export function isCopilotFile(path: string): "yes" | "no" | "unreadable" {
  let head: string;
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(HEAD);
      head = buffer.toString("utf8", 0, readSync(file, buffer, 0, HEAD, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "unreadable";
  }
  for (const line of head.split("\n")) {
    const verdict = judge(line);
    if (verdict !== null) return verdict ? "yes" : "no";
  }
  return /"chatMessages"\s*:/.test(head) || /^\{"type":"[a-z_]+\.[a-z_]+","data":\{/.test(head) ? "yes" : "no";
}

function judge(line: string): boolean | null {
  let record: Native | null;
  try {
    record = obj(parseJson(line));
  } catch {
    return null;
  }
  if (!record) return null;
  if (Array.isArray(record["chatMessages"])) return true;
  const type = str(record["type"]);
  if (type === null) return null;
  return EVENT.test(type) && obj(record["data"]) !== null;
}
