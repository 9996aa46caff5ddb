import { describe, expect, it } from "vitest";
import { isRepeated, splitLine, type SplitLine } from "./repeated-lines.ts";

interface Line {
  id?: string;
  said?: string;
  stop?: string | null;
  usage?: unknown;
  request?: string | null;
  uuid?: string;
  more?: object;
}

const USAGE = { input_tokens: 3, cache_creation: { ephemeral_1h_input_tokens: 0 }, iterations: [], output_tokens: 7 };

/** Both orders of fields are met in genuine files. */
const ORDERS: Record<string, (line: Line) => string> = {
  "the request before the message": ({ uuid = "u1", request = "req_1", more, ...line }) =>
    JSON.stringify({
      uuid,
      ...more,
      type: "assistant",
      ...(request && { requestId: request }),
      message: message(line),
    }),
  "the request behind the message": ({ uuid = "u1", request = "req_1", more, ...line }) =>
    JSON.stringify({
      message: message(line),
      ...(request && { requestId: request }),
      type: "assistant",
      uuid,
      ...more,
    }),
};

function message({ id = "msg_1", said = "Yes.", stop = null, usage = USAGE }: Line): object {
  const content = [{ type: "text", text: said }];
  return { ...(id && { id }), model: "m", role: "assistant", content, stop_reason: stop, stop_sequence: null, usage };
}

function parts(text: string): SplitLine {
  const found = splitLine(text);
  if (!found) throw new Error("built otherwise");
  return found;
}

describe.each(Object.entries(ORDERS))("a line of a response, %s", (_, write) => {
  const repeats = (line: Line, last: Line = {}): boolean => isRepeated(parts(write(line)), parts(write(last)));

  it("says what the line before said, whatever else is in it", () => {
    expect(repeats({ uuid: "u2", said: 'Then "],"stop_reason":1 ,"usage":{', stop: "tool_use" })).toBe(true);
    expect(repeats({ more: { apiBlockIndex: 2 } })).toBe(true);
  });

  it.each<[string, Line]>([
    ["another response", { id: "msg_2" }],
    ["another request", { request: "req_2" }],
    ["more tokens", { usage: { ...USAGE, output_tokens: 8 } }],
    ["more of one kind", { usage: { ...USAGE, cache_creation: { ephemeral_1h_input_tokens: 1 } } }],
    ["that it was cut off", { more: { isAbortedMidStream: true } }],
    ["no usage", { usage: null }],
  ])("is read where it says %s", (_what, line) => {
    expect(repeats(line)).toBe(false);
  });

  it("is read where nothing names its response", () => {
    expect(repeats({ id: "" }, { id: "" })).toBe(false);
    expect(repeats({ request: null }, { request: null })).toBe(false);
  });

  it("is read where its usage is built otherwise", () => {
    for (const usage of [{ tier: "}" }, { tier: '"' }, { iterations: [{ cache_creation: { tokens: 1 } }] }]) {
      const other = { ...usage, output_tokens: 8 };
      expect(repeats({ usage: other }, { usage: { ...usage, output_tokens: 7 } })).toBe(false);
    }
  });
});

it("a line without content, or with something else behind it, is built otherwise", () => {
  expect(splitLine('{"message":{"id":"msg_1","usage":{}}}')).toBeNull();
  expect(splitLine('{"message":{"id":"msg_1","content":[],"usage":{}}}')).toBeNull();
});
