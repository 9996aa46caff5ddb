import { isRepeated, splitLine, type SplitLine } from "./state.ts";
import { describe, expect, it } from "vitest";

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

/** Both orders of fields occur in genuine files. */
const ORDERS: Record<string, (line: Line) => string> = {
  "requestId before message": ({ uuid = "u1", request = "req_1", more, ...line }) =>
    JSON.stringify({
      uuid,
      ...more,
      type: "assistant",
      ...(request && { requestId: request }),
      message: message(line),
    }),
  "requestId after message": ({ uuid = "u1", request = "req_1", more, ...line }) =>
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
  if (!found) throw new Error("the line could not be split");
  return found;
}

describe.each(Object.entries(ORDERS))("a response line with %s", (_, write) => {
  const repeats = (line: Line, last: Line = {}): boolean => isRepeated(parts(write(line)), parts(write(last)));

  it("repeats the previous line if ids and usage are equal, whatever its content", () => {
    expect(repeats({ uuid: "u2", said: 'Then "],"stop_reason":1 ,"usage":{', stop: "tool_use" })).toBe(true);
    expect(repeats({ more: { apiBlockIndex: 2 } })).toBe(true);
  });

  it.each<[string, Line]>([
    ["another response id", { id: "msg_2" }],
    ["another request id", { request: "req_2" }],
    ["more tokens", { usage: { ...USAGE, output_tokens: 8 } }],
    ["more tokens of one kind", { usage: { ...USAGE, cache_creation: { ephemeral_1h_input_tokens: 1 } } }],
    ["the mark of a cut stream", { more: { isAbortedMidStream: true } }],
    ["no usage", { usage: null }],
  ])("is not a repeat if it has %s", (_what, line) => {
    expect(repeats(line)).toBe(false);
  });

  it("is not a repeat without a response id or a request id", () => {
    expect(repeats({ id: "" }, { id: "" })).toBe(false);
    expect(repeats({ request: null }, { request: null })).toBe(false);
  });

  it("is not a repeat if its usage has an unexpected structure", () => {
    for (const usage of [{ tier: "}" }, { tier: '"' }, { iterations: [{ cache_creation: { tokens: 1 } }] }]) {
      const other = { ...usage, output_tokens: 8 };
      expect(repeats({ usage: other }, { usage: { ...usage, output_tokens: 7 } })).toBe(false);
    }
  });
});

it("splitLine returns null without content, or with an unexpected field after the content", () => {
  expect(splitLine('{"message":{"id":"msg_1","usage":{}}}')).toBeNull();
  expect(splitLine('{"message":{"id":"msg_1","content":[],"usage":{}}}')).toBeNull();
});
