import { expect, it } from "vitest";
import { parseSessionKey, sessionKey } from "./session.ts";

it("the key of a session is its source and its id, which may contain slashes", () => {
  const session = { source: "codex", session_id: "2026/05/12/one" };
  expect(sessionKey(session)).toBe("codex/2026/05/12/one");
  expect(parseSessionKey("codex/2026/05/12/one")).toEqual(session);
});
