import type { LogRecord, ToolFinishedBody } from "../record/record.ts";
import { saidIn } from "../record/review-text.ts";
import { plainJson } from "../base/text/inert.ts";
import { inputSummary } from "../base/text/input-summary.ts";

export type CompactKind = "user" | "assistant" | "tool_call" | "tool_result" | "terminal" | "unknown";

/** One native line in short form. Texts are exact; inputs and outputs of tools may be cut, and are marked then. */
export interface CompactRecord {
  /** The sub-agent whose file it is in; absent in the session's own file. */
  agent?: string;
  line: number;
  kind: CompactKind;
  text?: string;
  tool_uses?: CompactUse[];
  tool_results?: CompactResult[];
  source_type?: string;
}

export interface CompactUse {
  name: string;
  input_summary: string;
  truncated?: true;
}

export interface CompactResult {
  name: string | null;
  status: string;
  exit_code?: number;
  changes?: { path: string; operation: string }[];
  preview?: string;
  error?: string;
  truncated?: true;
}

/** Results of up to this many bytes are given in full. */
const WHOLE = 1024;
const HEAD = 320;
const TAIL = 160;
const LONGEST_INPUT = 600;

/** Null when the record is not part of the conversation. `nameOf`: the name of the tool, by call id. */
export function compactOf(record: LogRecord, nameOf: (call: string) => string | null): CompactRecord | null {
  const line = record.origin.line ?? record.origin.row ?? 0;
  switch (record.type) {
    case "user":
      return { line, kind: record.author === "human" ? "user" : "unknown", text: record.text, ...sourceOf(record) };
    case "assistant_finished":
      return saidIn(record) === "" ? null : { line, kind: "assistant", text: saidIn(record) };
    case "tool_started": {
      const input = inputSummary(record.input);
      const cut = input.length > LONGEST_INPUT;
      const use: CompactUse = { name: record.name, input_summary: cut ? `${input.slice(0, LONGEST_INPUT)}…` : input };
      return { line, kind: "tool_call", tool_uses: [cut ? { ...use, truncated: true } : use] };
    }
    case "tool_finished":
      return { line, kind: "tool_result", tool_results: [resultOf(record, nameOf(record.call_id))] };
    case "failed":
      return { line, kind: "terminal", text: `failed: ${record.message}` };
    case "cancelled":
      return { line, kind: "terminal", text: `stopped: ${record.reason}` };
    default:
      return null;
  }
}

function sourceOf({ author }: { author: string }): Pick<CompactRecord, "source_type"> {
  return author === "human" ? {} : { source_type: author };
}

/** Only for calls with a result: none is made up for the others. */
function resultOf(record: ToolFinishedBody, name: string | null): CompactResult {
  const { status, exit_code, output, error, files = [] } = record;
  const { preview, truncated } = previewOf(output ?? "");
  return {
    name,
    status,
    ...(exit_code === null ? {} : { exit_code }),
    ...(files.length === 0 ? {} : { changes: files.map(({ path, operation }) => ({ path, operation })) }),
    ...(preview === "" ? {} : { preview }),
    ...(error === null || error === undefined ? {} : { error: previewOf(error).preview }),
    ...(truncated || record.truncated === true ? { truncated: true as const } : {}),
  };
}

/** Texts of up to 1 KiB as they are; of longer ones the beginning and the end. */
export function previewOf(text: string): { preview: string; truncated: boolean } {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= WHOLE) return { preview: text, truncated: false };
  const head = decodeWhole(bytes.subarray(0, HEAD));
  const tail = decodeWhole(bytes.subarray(bytes.length - TAIL));
  const left = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return { preview: `${head}\n[… ${left} bytes left out …]\n${tail}`, truncated: true };
}

/** Drops characters that were cut in half at both ends. */
function decodeWhole(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\ufffd{1,3}|\ufffd{1,3}$/g, "");
}

/** Merges the records of each line. */
export function mergeByLine(records: readonly CompactRecord[]): CompactRecord[] {
  const lines = new Map<number, CompactRecord>();
  for (const record of records) {
    const known = lines.get(record.line);
    if (!known) {
      lines.set(record.line, { ...record });
      continue;
    }
    if (record.text !== undefined)
      known.text = known.text === undefined ? record.text : `${known.text}\n${record.text}`;
    if (record.tool_uses) known.tool_uses = [...(known.tool_uses ?? []), ...record.tool_uses];
    if (record.tool_results) known.tool_results = [...(known.tool_results ?? []), ...record.tool_results];
  }
  return [...lines.values()].toSorted((a, b) => a.line - b.line);
}

/** JSON on one line that is safe to print. */
export function compactText(record: unknown): string {
  return plainJson(JSON.stringify(record));
}
