import { expect, it } from "vitest";
import { redact } from "./redact.ts";

// Looked at again, the name of what was hidden stood where a password would.
it.each([
  ["db.example:5432:shop:app:hunter2 x", "db.example:5432:shop:app:[redacted:pgpass] x"],
  ["https --auth=mira:hunter2 x", "https --auth=[redacted:secret] x"],
  ["a://[redacted:x]@b", "a://[redacted:x]@b"],
  ["a://[redacted:x]@b c://d:hunter2@e", "a://[redacted:x]@b c://d:[redacted:url-password]@e"],
  // Beside such a name something is hidden all the same, wherever in the text.
  ["password=hunter2 x [redacted:x]", "password=[redacted:secret] x [redacted:x]"],
  ...["[redacted:x]@ y", "use @[redacted:x]", `${"a line\n".repeat(20)}use @ x [redacted:x]`].map((text) => [
    text.replace("@", ["AKIA", "IOSFODNN7EXAMPLF"].join("")),
    text.replace("@", "[redacted:aws-access-key]"),
  ]),
  ...["", "a line\n".repeat(20)].map((before) => [
    `${before}a://[redacted:some-kind]@b`,
    `${before}a://[redacted:some-kind]@b`,
  ]),
  // No name of anything hidden.
  ["a://[redacted:hunter_2]@b", "a://[redacted:[redacted:url-password]@b"],
])("what is hidden is told once: %s", (text, hidden) => {
  expect(redact(text)).toBe(hidden);
});
