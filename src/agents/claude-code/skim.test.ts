import { skimForTokens } from "./state.ts";
import { expect, it } from "vitest";

const name = (record: object): string | null => {
  const line = JSON.stringify(record);
  return skimForTokens.name(line.slice(0, skimForTokens.head), line.length);
};
const ENVELOPE = { parentUuid: null, isSidechain: false, cwd: "/nowhere/app", uuid: "u" };

it("token skimming skips tool results, even with a long toolUseResult before the message", () => {
  const result = { stdout: "x".repeat(5000), type: "assistant" };
  const message = { role: "user", content: [{ type: "tool_result", content: "x" }] };
  expect(name({ ...ENVELOPE, type: "user", toolUseResult: result, message })).toBe("other");
});

it("token skimming never skips a response, wherever its type field is", () => {
  const message = { type: "message", role: "assistant", content: [{ type: "text", text: '"type":"user"' }] };
  expect(name({ ...ENVELOPE, type: "assistant", message })).toBeNull();
  expect(name({ ...ENVELOPE, message, type: "assistant" })).toBeNull();
  expect(
    name({ ...ENVELOPE, origin: { type: "user" }, note: "x".repeat(5000), message, type: "assistant" }),
  ).toBeNull();
  expect(name({ ...ENVELOPE, slug: 'so "type":"user"', message, type: "assistant" })).toBeNull();
});
