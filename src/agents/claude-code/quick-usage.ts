import { openPlain } from "../../base/io/bytes.ts";
import { readLines } from "../../base/io/lines.ts";
import type { CompactedBody, UsageTotalBody } from "../../record/record.ts";
import type { Source } from "../contract.ts";
import { kindFromPath, sessionIdFromPath } from "./identity.ts";
import { timeOf } from "./native.ts";
import { obj, type Native } from "../kit/native.ts";
import { mayReplay } from "./replay.ts";
import { isRepeated, splitLine, type SplitLine } from "./repeated-lines.ts";
import { skimForTokens } from "./skim.ts";
import { freshState } from "./state.ts";
import { totalOf, usageOf } from "./usage.ts";
import { parseJson } from "../../base/io/json.ts";

/**
 * Only responses and totals state usage, and ids make copies of responses in other files harmless. Other lines are
 * skipped, except those that show when tokens were spent without a record of their own.
 */
export const quickUsage: NonNullable<Source["quickUsage"]> = (ref, ctx, count, note) => {
  const state = freshState(kindFromPath(ref.path));
  const stream = openPlain(ref.path, 0, ctx.meter);
  try {
    let last: SplitLine | null = null;
    for (const { text } of readLines(stream, { line: 0, offset: 0 }, skimForTokens)) {
      if (text === null) return null;
      const line = splitLine(text);
      if (line && last && isRepeated(line, last)) continue;
      const record = (line && withoutContent(line)) ?? parsed(text);
      // In a forked subagent only the order of lines tells copied records from its own: leave it to the full reader.
      if (record?.["type"] === "fork-context-ref") return null;
      const other = record === null ? null : otherThanResponses(record);
      if (other && record) note?.(other, timeOf(record));
      if (record?.["type"] !== "assistant") continue;
      // An old answer without a request id may be a copy, which only the surrounding lines can show.
      if (record["requestId"] === undefined && mayReplay(record)) return null;
      for (const usage of usageOf(record, state, "counted")) {
        if (usage.verdict === "counted") count(usage, timeOf(record));
      }
      last = line;
    }
  } finally {
    stream.close();
  }
  return sessionIdFromPath(ref.path);
};

function otherThanResponses(record: Native): UsageTotalBody | CompactedBody | null {
  if (record["type"] === "cost-state") return totalOf(record);
  const compacted = record["type"] === "system" && record["subtype"] === "compact_boundary";
  return compacted ? { type: "compacted", trigger: "unknown" } : null;
}

/**
 * The message content is most of a line and irrelevant to usage, so it is cut out before parsing. A cut at the wrong
 * position leaves unbalanced brackets: parsing fails, and the caller parses the whole line.
 */
function withoutContent({ text, from, to }: SplitLine): Native | null {
  return parsed(text.slice(0, from) + text.slice(to));
}

function parsed(text: string): Native | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}
