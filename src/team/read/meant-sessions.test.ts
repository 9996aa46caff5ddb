import { expect, it } from "vitest";
import type { SessionView } from "../../answers/session-view.ts";
import { withFamilies } from "./meant-sessions.ts";

/** Sessions of one agent, by id, with their parents. */
function known(parents: Readonly<Record<string, string | null>>): Map<string, { key: string; view: SessionView }> {
  return new Map(
    Object.entries(parents).map(([id, parent]) => {
      const view = { parent: parent === null ? null : { source: "codex", session_id: parent } } as SessionView;
      return [id, { key: `codex/${id}`, view }];
    }),
  );
}

it("means with a session all that caused it and all that they caused", () => {
  const sessions = known({ a: null, b: "a", c: "b", d: "a", e: null, f: "gone" });
  const of = (...ids: string[]): string => [...withFamilies(sessions, new Set(ids))].toSorted().join("");
  expect(of("c")).toBe("abcd");
  expect(of("a")).toBe("abcd");
  expect(of("e")).toBe("e");
  expect(of("f", "e")).toBe("ef");
  expect(of()).toBe("");
});

it("comes to an end where sessions are said to have caused each other", () => {
  expect([...withFamilies(known({ a: "b", b: "a" }), new Set(["a"]))]).toContain("a");
});
