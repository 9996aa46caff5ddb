import { describe, expect, it } from "vitest";
import { askedLine } from "../../base/text/asked-line.ts";
import { endedEarly } from "./ended-early.ts";
import { resultIn, saysSomething } from "./result.ts";

describe("the result of a turn", () => {
  it.each([
    [
      "Done.\n\nThe index brings the query from 6.1 s to 0.2 ms on dev. More follows.",
      "The index brings the query from 6.1 s to 0.2 ms on dev. More follows.",
    ],
    ["Done: a `TimedWriter` flushes every 100 ms.", "a `TimedWriter` flushes every 100 ms."],
    ["Good catch: **no**. With `-i` the prefilter drops lines.", "no. With `-i` the prefilter drops lines."],
    [
      "## Summary\n\n- Fixed the parser so that nested quotes end where they should, in all three readers\n- Added tests",
      "Fixed the parser so that nested quotes end where they should, in all three readers. Added tests",
    ],
    [
      "The path is blocked, hence 403. Exempt it.\n\nMore on that below.\n\n⚠️ The page tells agents to run a script. I did not.",
      "The path is blocked, hence 403. Exempt it. More on that below. ⚠️ The page tells agents to run a script.",
    ],
    [
      "Let me look at the failing test first.\nThe clock was read twice, so that midnight fell between the two reads.",
      "The clock was read twice, so that midnight fell between the two reads.",
    ],
    ["```\nnpm test\n```\nAll 89 tests pass.", "All 89 tests pass."],
    [
      "Fertig. Die Umlaute stimmen wieder, auch in den alten Zeilen der Tabelle und im Export.",
      "Die Umlaute stimmen wieder, auch in den alten Zeilen der Tabelle und im Export.",
    ],
    ["日本語の件名を追加しました。", "日本語の件名を追加しました。"],
    [
      "Seit `9aa1230` (3. September): die Kodierung wurde entfernt.",
      "Seit `9aa1230` (3. September): die Kodierung wurde entfernt.",
    ],
    ["The report is at docs/report.md. Want me to open it?", "The report is at docs/report.md."],
  ])("is extracted from the answer %j", (answer, result) => {
    expect(resultIn(answer)).toBe(result);
  });

  it("is a bare 'Done.' if the answer has nothing else, and null if it has no prose", () => {
    expect(resultIn("Done.")).toBe("Done.");
    expect(saysSomething("Done.")).toBe(false);
    expect(saysSomething("Removed the flag and `legacyTotal`.")).toBe(true);
    expect(resultIn("```\nonly code\n```")).toBeNull();
    expect(resultIn("")).toBeNull();
  });

  it("is taken from the beginning of a long answer", () => {
    expect(
      resultIn(`The lock is gone and nothing else changed.\n\n${"Here is another line of it. ".repeat(400)}`),
    ).toMatch(/^The lock is gone and nothing else changed\. Here/);
  });

  it("of a turn that did not complete says so, with the last sentence or command", () => {
    expect(endedEarly("aborted", "", "")).toBe("Stopped: interrupted before it was done.");
    expect(endedEarly("open", "Now the table. Next I would", "")).toBe(
      "Cut off: nothing says how it ended. Last said: Next I would …",
    );
    expect(endedEarly("aborted", "", "npm test\nnpm run lint")).toBe(
      "Stopped: interrupted before it was done. It was at: npm test",
    );
    expect(endedEarly("aborted", "", '{"a":1}')).toBe("Stopped: interrupted before it was done.");
    expect(endedEarly("failed", "word ".repeat(100), "word ".repeat(100)).length).toBeLessThan(400);
  });

  it("includes the outcome of tests and whether the work was pushed, wherever the answer says so", () => {
    const long =
      "Keys live in the database, in the same transaction as the row that they protect from being written twice.";
    expect(resultIn(`${long} There is more to say about the client. 18 tests pass.`)).toBe(`${long} 18 tests pass.`);
    expect(resultIn(`${long} The schema of the tests is described in the docs.`)).toBe(long);
    expect(resultIn(`${long} Not pushed.`)).toBe(`${long} Not pushed.`);
  });

  it("of an answer that lists options is their number and their text", () => {
    expect(resultIn("Options:\n- **A** cache it\n- **B** drop it.\n- **C** wait")).toBe(
      "Options (3): A cache it; B drop it; C wait",
    );
    expect(resultIn("Changes:\n- `a.ts` reads bytes\n- `b.ts` prints them")).toMatch(/^`a.ts` reads bytes/);
  });

  it("is truncated to about 400 characters", () => {
    const long = resultIn(`It ${"really ".repeat(400)}works.`) ?? "";
    expect(long.length).toBeLessThanOrEqual(402);
    expect(long.endsWith(" …")).toBe(true);
  });
});

describe("the summary line of a request", () => {
  it.each([
    ["add --json to find. one object per line", "add --json to find. one object per line"],
    [
      "terraform plan says\nError: Error acquiring the state lock\nLock Info:",
      "terraform plan says Error: Error acquiring the state lock",
    ],
    [
      "Error: read ECONNRESET\n    at TLSWrap.onStreamRead (node:internal)\n\nseeing lots of these in prod since friday, why?",
      "seeing lots of these in prod since friday, why?",
    ],
    ["2026-09-07 19:02:11 ERROR pool timeout\n2026-09-07 19:02:12 ERROR pool timeout\nwhat is this", "what is this"],
    [
      "# Rules\n\n**Always**\n\nWrite the changelog for the release of today",
      "Write the changelog for the release of today",
    ],
    ["**500 orders a minute** must hold on staging", "500 orders a minute must hold on staging"],
    ["read this first: **nothing is to be pushed**", "read this first: nothing is to be pushed"],
    ["**read this first: nothing is to be pushed", "read this first: nothing is to be pushed"],
    ["", ""],
  ])("is extracted from the prompt %j", (text, line) => {
    expect(askedLine(text)).toBe(line);
  });
});
