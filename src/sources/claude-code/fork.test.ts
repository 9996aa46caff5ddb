import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { quickUsage } from "./quick-usage.ts";
import { SESSION, assistant, classes, fixtures, result, text, tool, user } from "./testing.ts";
import { bodies } from "../kit/testing.ts";

const { readPath, refOf, scratch, writeSession } = fixtures;

describe("a subagent forked from its parent's conversation (2.1.325)", () => {
  it("begins with its own task; the response and result that started it are inherited", () => {
    const side = { isSidechain: true, agentId: "a1" };
    const path = writeSession(
      [
        { type: "fork-context-ref", agentId: "a1", parentSessionId: SESSION, parentLastUuid: "u", contextLength: 9 },
        assistant([tool("t0", "Agent")], { id: "m0", stop: "tool_use", usage: { output_tokens: 7 } }, side),
        user(
          [
            result("t0", "Fork started"),
            text("<fork-boilerplate>\nYou are a fork.\n</fork-boilerplate>\n\nYour directive: count the lines"),
          ],
          side,
        ),
        assistant([tool("t1", "Bash")], { id: "m1", stop: "tool_use", usage: { output_tokens: 8 } }, side),
      ],
      join(scratch(), SESSION, "subagents", "agent-a1.jsonl"),
    );
    const entries = readPath(path);
    expect(classes(entries)).toEqual(["session", "inherited", "reaction", "reaction"]);
    expect(bodies(entries, "user").map((one) => [one.author, one.text])).toEqual([["agent", "count the lines"]]);
    expect(bodies(entries, "tool_started").map((one) => one.call_id)).toEqual(["t1"]);
    expect(bodies(entries, "tool_finished")).toEqual([]);
    expect(bodies(entries, "usage").map((one) => one.verdict)).toEqual(["inherited", "counted"]);
    // The quick count looks at single lines and cannot tell which of them are inherited: it declines the file.
    expect(quickUsage(refOf(path), {}, () => undefined)).toBeNull();
  });
});
