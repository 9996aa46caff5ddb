import { openPlain } from "../../io/bytes.ts";
import { readLines } from "../../io/lines.ts";
import type { Source } from "../contract.ts";
import { isFields, timeOf, wordOf, type Fields } from "./fields.ts";
import { sessionIdFromPath } from "./header.ts";
import { skimForTokens } from "./skim.ts";
import { initialState, type ReaderState } from "./state.ts";
import { usageOfCount, usageOfRecord } from "./usage.ts";
import { parseJson } from "../../io/json.ts";

/** Closing message of an imported session, whose usage is not its own. */
const IMPORTED = "<EXTERNAL SESSION IMPORTED>";

/** Messages, which are only searched for that closing message. */
const MESSAGE =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":(?:"response_item"|"event_msg","payload":\{"type":"agent_message")/;

/**
 * Usage of a rollout without copied history. Forks and imports are left to the full reader, which recognises copies.
 */
export const quickUsage: NonNullable<Source["quickUsage"]> = (ref, ctx, count) => {
  if (ref.container !== "jsonl") return null;
  const state = initialState(sessionIdFromPath(ref.path), false);
  const stream = openPlain(ref.path, 0, ctx.meter);
  try {
    for (const { text, terminated } of readLines(stream, { line: 0, offset: 0 }, skimForTokens)) {
      if (text === null || text.includes(IMPORTED)) return null;
      if (MESSAGE.test(text)) continue;
      const value = (terminated ? withoutLimits(text) : null) ?? parseOrNull(text);
      if (value === null) continue;
      // Lines without a payload are of the oldest format, which has no usage.
      const payload = isFields(value.payload) ? value.payload : null;
      if (payload !== null && !countRecord(value, payload, state, count)) return null;
    }
  } finally {
    stream.close();
  }
  return state.sessionId;
};

function countRecord(
  value: Fields,
  payload: Fields,
  state: ReaderState,
  count: Parameters<typeof quickUsage>[2],
): boolean {
  switch (value.type) {
    case "session_meta": {
      const id = wordOf(payload.id);
      if (state.header !== null) return id === null || id === state.sessionId;
      if (id !== null) state.sessionId = id;
      state.header = {};
      const copied = wordOf(payload.forked_from_id) !== null || payload.subagent_history_start_ordinal !== undefined;
      return !copied;
    }
    case "turn_context":
      state.model = wordOf(payload.model) ?? state.model;
      return true;
    case "token_usage_record":
      count(usageOfRecord(payload, state), timeOf(value.timestamp));
      return true;
    case "event_msg": {
      if (payload.type === "thread_settings_applied" && isFields(payload.thread_settings)) {
        state.model = wordOf(payload.thread_settings.model) ?? state.model;
      }
      if (payload.type !== "token_count") return true;
      const usage = usageOfCount(payload.info, state);
      if (usage?.verdict === "counted") count(usage, timeOf(value.timestamp));
      return true;
    }
    default:
      return true;
  }
}

const COUNT = '"payload":{"type":"token_count","info":{';
const LIMITS = ',"rate_limits":';

/**
 * Every token count repeats the rate limits, which are most of its line. They are the last part of the payload, so they
 * can be cut off before parsing. A torn line that continues with the next record is left to the parser, which rejects
 * it.
 */
function withoutLimits(text: string): Fields | null {
  const at = text.includes(COUNT) ? text.indexOf(LIMITS) : -1;
  if (at === -1 || !text.endsWith("}}") || text.includes('"timestamp"', at)) return null;
  return parseOrNull(`${text.slice(0, at)}}}`);
}

function parseOrNull(text: string): Fields | null {
  try {
    const value: unknown = parseJson(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
