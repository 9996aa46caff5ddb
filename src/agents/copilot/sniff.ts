import { obj, str, type Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

const EVENT = /^(?:session|user|assistant|tool|system|subagent|hook|permission|skill|model|external_tool)\.|^abort$/;

/** Whether the head of a file looks like Copilot CLI's events, or like a document of its first versions. */
export function isCopilotFile(path: string): SniffResult {
  return sniff(
    path,
    judge,
    (head) => /"chatMessages"\s*:/.test(head) || /^\{"type":"[a-z_]+\.[a-z_]+","data":\{/.test(head),
  );
}

function judge(record: Native): boolean | null {
  if (Array.isArray(record["chatMessages"])) return true;
  const type = str(record["type"]);
  if (type === null) return null;
  return EVENT.test(type) && obj(record["data"]) !== null;
}
