import { bodies } from "../kit/testing.ts";
import { assistant, fixtures, text, tool, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read } = fixtures;

const usage = (output: number): Record<string, unknown> => ({
  input_tokens: 5,
  cache_read_input_tokens: 1000,
  cache_creation_input_tokens: 20,
  output_tokens: output,
});

describe("usage", () => {
  it("counts a response once, with its largest numbers (formats 11.3)", () => {
    const entries = read([
      assistant([{ type: "thinking", thinking: "…", signature: "s" }], { id: "m1", usage: usage(3) }),
      assistant([tool("t1", "Bash")], { id: "m1", usage: usage(3) }),
      assistant([tool("t2", "Read")], { id: "m1", stop: "tool_use", usage: usage(96) }),
    ]);
    const statements = bodies(entries, "usage");
    expect(statements.map((one) => [one.verdict, one.output_tokens])).toEqual([
      ["counted", 3],
      ["duplicate", 3],
      ["counted", 96],
    ]);
    expect(new Set(statements.map((one) => one.response_id))).toEqual(new Set(["m1|req_m1"]));
    expect(statements[0]).toMatchObject({ input_tokens: 5, cached_input_tokens: 1000, cache_write_tokens: 20 });
  });

  it("identifies a response by the API's message id, even if a copy has another request id", () => {
    const id = "msg_01AbCdEfGhIjKlMnOpQrStUv";
    const entries = read([
      assistant([text("a")], { id, usage: usage(9) }),
      assistant([text("a")], { id, usage: usage(9) }, { requestId: "req_aside", isSidechain: true }),
      assistant([text("b")], { id: "1", usage: usage(3) }, { requestId: "r1" }),
      assistant([text("c")], { id: "1", usage: usage(3) }, { requestId: "r2" }),
    ]);
    expect(bodies(entries, "usage").map((one) => [one.response_id, one.verdict])).toEqual([
      [id, "counted"],
      [id, "duplicate"],
      ["1|r1", "counted"],
      ["1|r2", "counted"],
    ]);
  });

  it("splits cache writes, reads reasoning tokens, and counts advisors separately", () => {
    const usage = {
      output_tokens: 10,
      output_tokens_details: { thinking_tokens: 4 },
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      iterations: [{ type: "message" }, { type: "advisor_message", model: "claude-y", output_tokens: 7 }],
    };
    const [own, advisor] = bodies(read([user("go"), assistant([text("x")], { id: "m", usage })]), "usage");
    expect(own).toMatchObject({ cache_write_tokens: 30, cache_write_1h_tokens: 20, reasoning_tokens: 4 });
    expect(advisor).toMatchObject({
      response_id: "m|req_m#advisor1",
      model: "claude-y",
      output_tokens: 7,
      verdict: "counted",
    });
  });

  it("reads invalid numbers as zero and drops fractions", () => {
    const usage = {
      input_tokens: -1,
      output_tokens: "5",
      cache_read_input_tokens: true,
      cache_creation_input_tokens: 1.5,
    };
    expect(bodies(read([assistant([], { usage })]), "usage")[0]).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
      cache_write_tokens: 1,
    });
  });
});

describe("assistant messages", () => {
  it("are not repeated by cumulative snapshots", () => {
    const entries = read([
      assistant([text("one")], { id: "m" }),
      assistant([text("one"), text("two")], { id: "m" }),
      assistant([text("one"), text("two and a half"), tool("t", "Bash")], { id: "m" }),
      assistant([text("one"), tool("t", "Bash")], { id: "m" }),
    ]);
    expect(bodies(entries, "assistant_finished").map((body) => body.text)).toEqual(["one", "two", " and a half"]);
    expect(bodies(entries, "tool_started")).toHaveLength(1);
  });

  it("end the turn only with end_turn in the main conversation", () => {
    const entries = read([
      user("go"),
      assistant([text("side")], { stop: "end_turn" }, { isSidechain: true }),
      assistant([text("cut")], { stop: "max_tokens" }),
      assistant([text("done")], { stop: "end_turn" }),
    ]);
    const ends = bodies(entries, "assistant_finished").map((body) => [
      body.text,
      body.finish_reason,
      body.turn_ended ?? false,
    ]);
    expect(ends).toEqual([
      ["side", "end_turn", false],
      ["cut", "max_tokens", false],
      ["done", "end_turn", true],
    ]);
  });
});
