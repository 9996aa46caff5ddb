import { openPlain } from "../../io/bytes.ts";
import { readLines } from "../../io/lines.ts";
import type { Source } from "../source.ts";
import { kindFromPath } from "./identity.ts";
import { obj, timeOf } from "./native.ts";
import { mayReplay } from "./replay.ts";
import { skimForTokens } from "./skim.ts";
import { freshState } from "./state.ts";
import { usageOf } from "./usage.ts";

/** Only responses state usage, and their ids make copies in other files harmless: no line but theirs is looked into. */
export const quickUsage: NonNullable<Source["quickUsage"]> = (ref, ctx, tell) => {
  const state = freshState(kindFromPath(ref.path));
  const stream = openPlain(ref.path, 0, ctx.meter);
  try {
    for (const { text } of readLines(stream, { line: 0, offset: 0 }, skimForTokens)) {
      if (text === null) return false;
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        continue;
      }
      const record = obj(value);
      if (record?.["type"] !== "assistant") continue;
      // An old answer without its request id may be a copy, which only the lines around it can tell.
      if (record["requestId"] === undefined && mayReplay(record)) return false;
      for (const usage of usageOf(record, state, "counted")) {
        if (usage.verdict === "counted") tell(usage, timeOf(record));
      }
    }
  } finally {
    stream.close();
  }
  return true;
};
