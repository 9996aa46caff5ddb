import { expect, it } from "vitest";
import type { SessionView } from "../../views/session-view.ts";
import { withFamilies } from "./meant-sessions.ts";

/** Sessions of one agent, by id, with their parents. */
function sessionsOf(parents: Readonly<Record<string, string | null>>): Map<string, { key: string; view: SessionView }> {
  return new Map(
    Object.entries(parents).map(([id, parent]) => {
      const view = { parent: parent === null ? null : { source: "codex", session_id: parent } } as SessionView;
      return [id, { key: `codex/${id}`, view }];
    }),
  );
}

it("withFamilies adds all ancestors of a session and all their descendants", () => {
  const sessions = sessionsOf({ a: null, b: "a", c: "b", d: "a", e: null, f: "gone" });
  const of = (...ids: string[]): string => [...withFamilies(sessions, new Set(ids))].toSorted().join("");
  expect(of("c")).toBe("abcd");
  expect(of("a")).toBe("abcd");
  expect(of("e")).toBe("e");
  expect(of("f", "e")).toBe("ef");
  expect(of()).toBe("");
});

it("withFamilies terminates if two sessions are each other's parent", () => {
  expect([...withFamilies(sessionsOf({ a: "b", b: "a" }), new Set(["a"]))]).toContain("a");
});
