import { describe, expect, it } from "vitest";
import type { TriggerKind } from "../record/record.ts";
import { titleOf } from "./title.ts";

const requests = (...texts: string[]): { text: string; kind: TriggerKind }[] =>
  texts.map((text) => ({ text, kind: text.startsWith("/") ? "command" : text.startsWith("!") ? "shell" : "prompt" }));

describe("the title of a session", () => {
  it("is the one that the human or the agent gave it", () => {
    expect(titleOf({ title: "Login", by: "human" }, requests("fix it"))).toEqual({
      title: "Login",
      title_source: "human",
    });
    expect(titleOf({ title: "Fix login", by: "agent" }, [])).toEqual({ title: "Fix login", title_source: "agent" });
    // A title from the human is always used.
    expect(titleOf({ title: "session", by: "human" }, [])).toEqual({ title: "session", title_source: "human" });
  });

  it.each(["CLI Session", "New session - 2026-11-15T10:00:00.000Z", "New Chat", "session", ""])(
    "is not an agent's placeholder: %s",
    (title) => {
      const placeholder = { title, by: "agent" } as const;
      expect(titleOf(placeholder, requests("make exports fast")).title).toBe("make exports fast");
    },
  );

  it.each([
    ["hi", "fix the login test"],
    ["Hello there!", "fix the login test"],
    ["yes, please continue", "fix the login test"],
    ["/clear", "fix the login test"],
    ["/review", "fix the login test"],
    ["!npm test", "fix the login test"],
    ["2", "fix the login test"],
    ["👍", "fix the login test"],
    ["继续", "fix the login test"],
    ["Weiter bitte", "fix the login test"],
    ["[Image #1]", "fix the login test"],
    ["2026-05-12 10:00:01 ERROR pool exhausted\n    at Pool.get (pool.js:12)", "fix the login test"],
    ["a".repeat(5000), "fix the login test"],
    ["hi, can you look at the login test?", "hi, can you look at the login test?"],
    ["/review the auth module", "/review the auth module"],
    ["continue the polars migration", "continue the polars migration"],
    ["binary is 31 MB. why", "binary is 31 MB. why"],
    ["fix typo", "fix typo"],
    ["zshの補完スクリプトを追加して", "zshの補完スクリプトを追加して"],
    ["it says\nTypeError: x is undefined", "it says TypeError: x is undefined"],
    ["TypeError: x\n    at f (a.js:1)\nwhy does that happen?", "TypeError: x at f (a.js:1)"],
  ])("is the first meaningful request: %s", (first, title) => {
    expect(titleOf(null, requests(first, "fix the login test"))).toEqual({ title, title_source: "request" });
  });

  it("is truncated between words, so that it contains no part of a secret", () => {
    const { title } = titleOf(null, requests(`${"look at the key ".repeat(24)} AKIA${"X".repeat(60)}`));
    expect(title).toMatch(/ the key …$/);
    expect(title).not.toContain("AKIA");
  });

  it("is null with a reason if there is no meaningful request", () => {
    expect(titleOf(null, [])).toEqual({ title: null, title_source: "no_request" });
    expect(titleOf(null, requests("hi", "ok"))).toEqual({ title: null, title_source: "nothing_said" });
  });
});
