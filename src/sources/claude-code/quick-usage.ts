import { openPlain } from "../../io/bytes.ts";
import { readLines } from "../../io/lines.ts";
import type { CompactedBody, UsageTotalBody } from "../../format/record.ts";
import type { Source } from "../contract.ts";
import { kindFromPath, sessionIdFromPath } from "./identity.ts";
import { timeOf } from "./native.ts";
import { obj, type Native } from "../kit/native.ts";
import { mayReplay } from "./replay.ts";
import { isRepeated, parted, type Parted } from "./repeated-lines.ts";
import { skimForTokens } from "./skim.ts";
import { freshState } from "./state.ts";
import { totalOf, usageOf } from "./usage.ts";
import { parseJson } from "../../io/json.ts";

/**
 * Only responses and totals state usage, and ids make copies of responses in other files harmless: no other lines are looked
 * into, but for those that tell when something was spent without a record.
 */
export const quickUsage: NonNullable<Source["quickUsage"]> = (ref, ctx, count, note) => {
  const state = freshState(kindFromPath(ref.path));
  const stream = openPlain(ref.path, 0, ctx.meter);
  try {
    let last: Parted | null = null;
    for (const { text } of readLines(stream, { line: 0, offset: 0 }, skimForTokens)) {
      if (text === null) return null;
      const line = parted(text);
      if (line && last && isRepeated(line, last)) continue;
      const record = (line && withoutContent(line)) ?? parsed(text);
      // What a forked subagent repeats of its parent is distinguished from its own by the order of its lines.
      if (record?.["type"] === "fork-context-ref") return null;
      const other = record === null ? null : otherThanResponses(record);
      if (other && record) note?.(other, timeOf(record));
      if (record?.["type"] !== "assistant") continue;
      // An old answer without its request id may be a copy, which only the lines around it can tell.
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
 * What was said is most of a line and says nothing about tokens: it is cut out before parsing. A cut in the wrong place leaves
 * brackets without their partners.
 */
function withoutContent({ text, from, to }: Parted): Native | null {
  return parsed(text.slice(0, from) + text.slice(to));
}

function parsed(text: string): Native | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}
