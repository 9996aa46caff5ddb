import { describe, expect, it } from "vitest";
import { verdict } from "./loose-ends.ts";

describe("last words", () => {
  it.each([
    "All tests pass. Should I also update the changelog?",
    "Done. Soll ich auch das Änderungsprotokoll anpassen?",
    "Committed. Pushing is forbidden, so please run `git push` yourself.",
    "The migration is ready. You need to set DATABASE_URL before it runs.",
    "Let me know which of the two you prefer.",
    "了解しました。続けますか？",
  ])("ask: %s", (text) => expect(verdict(text)?.kind).toBe("request"));

  it.each([
    "The parser is fixed. I'll add the tests next.",
    "Two of three done. The export still needs a test.",
    "Works for files. Next steps: databases, then the network.",
  ])("promise: %s", (text) => expect(verdict(text)?.kind).toBe("promise"));

  it.each([
    "Fixed. All 42 tests pass.",
    "Only `fonts/inter-thin.woff2` is never used.",
    "Done. Let me know if there is anything else I can help with.",
    "Please note that the cache is cleared on start.",
    "Here is the code:\n```ts\nconst really = done ? 1 : 2; // I'll be back?\n```",
    "",
  ])("leave nothing: %s", (text) => expect(verdict(text)).toBeNull());

  it("looks at the end only, however long the message is", () => {
    expect(verdict(`Code:\n\`\`\`\n${"x\n".repeat(1000)}really?\n\`\`\``)).toBeNull();
    expect(verdict(`Shall I? ${"All done. ".repeat(200_000)}`)).toBeNull();
  });
});
