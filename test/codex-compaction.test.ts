import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";

// Genuine files, made in the terminal: test/fixtures/README.md. Prompts and compactions are some seconds apart.
const FILES = join(import.meta.dirname, "fixtures/codex");

function book(version: string): Daybook {
  const roots = { codex: [join(FILES, `compact-${version}.jsonl`)] };
  return new Daybook({ roots, timezone: "UTC", env: {}, home: "/nowhere" });
}

/** Per turn: what was asked, how it ended, its own output tokens, how long it took in full seconds, its last answer. */
async function turns(version: string): Promise<string[]> {
  const found = await book(version).turns();
  return found.map(({ trigger, outcome, usage, started_at, ended_at, final_text }) => {
    const seconds = Math.floor((Date.parse(ended_at ?? "") - Date.parse(started_at ?? "")) / 1000);
    const asked = (trigger.text ?? "").replace(/ \[lab:\w+\]$/, "");
    return `${asked}: ${outcome}, ${usage.output_tokens} tokens, ${seconds} s: ${final_text ?? ""}`;
  });
}

describe("a compaction in a file without tasks", () => {
  it("is completed, spends its own tokens and does not prolong the turn before (0.63)", async () => {
    expect(await turns("0.63.0")).toEqual([
      "/compact: completed, 265 tokens, 0 s: ",
      "After the compaction.: completed, 267 tokens, 0 s: Forty-two.",
      "/compact: completed, 269 tokens, 0 s: ",
      "/compact: completed, 271 tokens, 0 s: ",
      // Automatic, in the middle of the turn, which goes on with it.
      "Use a lot.: completed, 4549 tokens, 4 s: Nothing further after the overflow.",
      "Go on after.: completed, 555 tokens, 0 s: The directory holds README.md and app.py.",
      "Overflow in the middle.: completed, 4570 tokens, 4 s: Finished after compaction.",
      // The last line of the file.
      "/compact: completed, 288 tokens, 0 s: ",
    ]);
    expect((await book("0.63.0").audit()).balanced).toBe(true);
  });

  it("that a prompt had to wait for belongs to that prompt (0.80)", async () => {
    expect(await turns("0.80.0")).toEqual([
      "Interactive question one.: completed, 587 tokens, 0 s: The directory holds README.md and app.py.",
      "/compact: completed, 296 tokens, 0 s: ",
      "After the compaction.: completed, 298 tokens, 0 s: Forty-two.",
      "/compact: completed, 300 tokens, 0 s: ",
      "/compact: completed, 302 tokens, 0 s: ",
      "Use a lot.: completed, 4000 tokens, 0 s: That used a great deal of context.",
      "Go on after.: completed, 930 tokens, 0 s: The directory holds README.md and app.py.",
      "Overflow in the middle.: completed, 4633 tokens, 4 s: Finished after compaction.",
      "/compact: completed, 319 tokens, 0 s: ",
    ]);
    expect((await book("0.80.0").audit()).balanced).toBe(true);
  });
});

describe("a compaction in a file with tasks", () => {
  it("leaves the turn before as it was, although its summary is a message of the model (0.150)", async () => {
    expect(await turns("0.150.0")).toEqual([
      "Interactive question one.: completed, 457 tokens, 0 s: The directory holds README.md and app.py.",
      "/compact: completed, 232 tokens, 4 s: ",
      "After the compaction.: completed, 235 tokens, 0 s: Forty-two.",
      "/compact: completed, 237 tokens, 4 s: ",
      "/compact: completed, 239 tokens, 4 s: ",
      "Use a lot.: completed, 4000 tokens, 0 s: That used a great deal of context.",
      "Go on after.: completed, 743 tokens, 0 s: The directory holds README.md and app.py.",
      "Overflow in the middle.: completed, 4515 tokens, 4 s: Finished after compaction.",
      "/compact: completed, 261 tokens, 4 s: ",
    ]);
    expect((await book("0.150.0").audit()).balanced).toBe(true);
  });
});
