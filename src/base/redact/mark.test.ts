import { expect, it } from "vitest";
import { redact } from "./redact.ts";

// Regression: on a second pass, the kind named in a replacement text was taken for a password.
it.each([
  ["db.example:5432:shop:app:hunter2 x", "db.example:5432:shop:app:[redacted:pgpass] x"],
  ["https --auth=mira:hunter2 x", "https --auth=mira:[redacted:cli-password] x"],
  ["a://[redacted:x]@b", "a://[redacted:x]@b"],
  ["a://[redacted:x]@b c://d:hunter2@e", "a://[redacted:x]@b c://d:[redacted:url-password]@e"],
  // Secrets beside a replacement text are still hidden, anywhere in the text.
  ["password=hunter2 x [redacted:x]", "password=[redacted:secret] x [redacted:x]"],
  ...["[redacted:x]@ y", "use @[redacted:x]", `${"a line\n".repeat(20)}use @ x [redacted:x]`].map((text) => [
    text.replace("@", ["AKIA", "IOSFODNN7EXAMPLF"].join("")),
    text.replace("@", "[redacted:aws-access-key]"),
  ]),
  ...["", "a line\n".repeat(20)].map((before) => [
    `${before}a://[redacted:some-kind]@b`,
    `${before}a://[redacted:some-kind]@b`,
  ]),
  // Not a replacement text.
  ["a://[redacted:hunter_2]@b", "a://[redacted:[redacted:url-password]@b"],
])("redact hides secrets beside replacement texts, but not the replacement texts: %s", (text, hidden) => {
  expect(redact(text)).toBe(hidden);
});
