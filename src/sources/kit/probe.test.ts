import { describe, expect, it } from "vitest";
import { isProbe } from "./probe.ts";

describe("isProbe", () => {
  it.each([
    "Reply with exactly: OK",
    "Reply with the single word pong.",
    "respond only with OK",
    "say only hi",
    "ping",
    "Output exactly READY and nothing else.",
  ])("accepts a liveness probe: %s", (text) => expect(isProbe(text)).toBe(true));

  it.each([
    "Reply to the review on #12",
    "Say hello to the whole team in the README",
    "Print the config of the server",
    "answer the question in docs/faq.md",
    "ping the server and show the latency",
    "Return early in parse() when the text is empty",
    "Just say hello please. [lab:hello]",
    "test",
    "print README",
    "say hi",
    "reply OK",
  ])("rejects a real request or an ambiguous text: %s", (text) => expect(isProbe(text)).toBe(false));
});
