import { expect, it } from "vitest";
import { formatInput } from "./format-input.ts";

const hideNothing = (text: string): string => text;

it.each([
  [
    'Bash {"command":"npm test","timeout":60,"description":"Run\\nall"}',
    "Bash npm test · timeout: 60 · description: Run\nall",
  ],
  ['shell {"cmd":["rg","-n","x"]}', "shell rg -n x"],
  ['Edit {"edits":[{"old":"a \\"b\\"","new":""}],"dry":false,"mode":null}', 'Edit old: a "b" · dry: false'],
  ["exec ls -la", "exec ls -la"],
  ['exec const x = {"a":1};', 'exec const x = {"a":1};'],
])("formats a tool input without JSON syntax: %s", (text, formatted) => {
  expect(formatInput(text, hideNothing)).toBe(formatted);
});

it("masks secrets before field names are removed, and returns the input unformatted if masking breaks the JSON", () => {
  const hide = (text: string): string => text.replace(/"command":"[^"]*"/, '"command":"[redacted]"');
  expect(formatInput('Bash {"command":"hunter2"}', hide)).toBe("Bash [redacted]");
  expect(formatInput('Bash {"command":"hunter2"}', () => "broken")).toBe('Bash {"command":"hunter2"}');
});
