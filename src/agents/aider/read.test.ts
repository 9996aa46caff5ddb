import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { historiesOf } from "./discover.ts";
import { HISTORY, scanRuns } from "./native.ts";
import { aider } from "./source.ts";
import { readRun } from "./read.ts";
import {
  announcements,
  bodies,
  header,
  message,
  prompt,
  prompts,
  read,
  refsOf,
  reply,
  REPORT,
  sampleHistory,
  scratch,
  writeHistory,
  writeSampleStore,
} from "./testing.ts";

const reasons = (entries: readonly Entry[]): string[] => entries.map((entry) => `${entry.class} ${entry.reason}`);
const HEAD = header() + announcements();

describe("replies", () => {
  it("separate reasoning from the answer (0.77.1)", () => {
    const mark = "thinking-content-00112233445566778899aabbccddeeff";
    const entries = read(
      `${HEAD}${prompt("go")}${reply(`<${mark}>\n\nHm.\n\n#### Plan\n\n</${mark}>\n\nDone.`)}${REPORT}`,
    );
    expect(bodies(entries, "reasoning_finished").map((one) => one.text)).toEqual(["Hm.\n\n#### Plan"]);
    expect(bodies(entries, "assistant_finished")[0]?.text).toBe("Done.");
    expect(prompts(entries)).toEqual(["prompt: go"]);
  });
});

describe("runs", () => {
  it("are split only at complete headers, without gaps", () => {
    const text = `${header()}${prompt("a")}${reply("# aider chat started at noon\n\n# Heading")}${header("2024-08-09 08:00:00")}`;
    const path = writeHistory(text);
    const runs = scanRuns(path);
    expect(runs.map((run) => run.key)).toEqual(["run-0001", "run-0002"]);
    expect(runs.map((run) => run.from.offset)).toEqual([0, runs[0]?.end]);
    expect(runs.at(-1)?.end).toBe(Buffer.byteLength(text));
  });

  it("have the line numbers of the file, and together cover all of its lines", () => {
    const root = writeSampleStore();
    const histories = [...historiesOf({ env: {}, home: "", roots: [root], report: () => undefined })];
    expect(histories).toHaveLength(4);
    for (const path of histories) {
      const lines = refsOf(path).flatMap((ref) =>
        [...readRun(ref, null, { detail: "lean" })].map((entry) => entry.line),
      );
      expect(lines).toEqual(lines.map((_, i) => i + 1));
      expect(lines).toHaveLength(readFileSync(path, "utf8").split("\n").length - 1);
    }
  });

  it("include text before the first header as a run of its own", () => {
    const refs = refsOf(writeHistory(`lost beginning\n${HEAD}`));
    expect(refs.map((ref) => ref.key)).toEqual(["run-0000", "run-0001"]);
  });

  it("are classified alike with Windows line ends, and have the same prompts without trailing spaces", () => {
    const plain = reasons(read(sampleHistory()));
    expect(reasons(read(sampleHistory().replaceAll("\n", "\r\n")))).toEqual(plain);
    expect(prompts(read(sampleHistory().replaceAll(/ +\n/g, "\n")))).toEqual(prompts(read(sampleHistory())));
  });

  it("are found again if their stamp is missing or out of date", () => {
    const path = writeHistory(sampleHistory());
    const [first, second] = refsOf(path);
    if (!first || !second) throw new Error("no runs");
    const expected = [...readRun(second, null, { detail: "full" })];
    const { stamp, ...bare } = second;
    expect([...readRun(bare, null, { detail: "full" })]).toEqual(expected);
    expect([
      ...readRun({ ...second, stamp: stamp?.replace(/@.*/, "@3:40-90") ?? "" }, null, { detail: "full" }),
    ]).toEqual(expected);
  });

  it("have a stamp that changes only for the run that grew", () => {
    const path = writeHistory(sampleHistory());
    const before = refsOf(path).map((ref) => ref.stamp);
    appendFileSync(path, prompt("more"));
    const after = refsOf(path).map((ref) => ref.stamp);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});

describe("discovery", () => {
  it("searches only the named directories and those directly below", () => {
    const root = scratch();
    writeHistory(HEAD, undefined, root);
    writeHistory(HEAD, undefined, join(root, "repo"));
    writeHistory(HEAD, undefined, join(root, "repo", "deep"));
    expect(refsOf(root).map((ref) => ref.path)).toEqual([join(root, HISTORY), join(root, "repo", HISTORY)]);
    const ctx = { env: {}, home: root, roots: null, report: () => undefined };
    expect([...aider.discover(ctx)]).toEqual([]);
    const env = { DAYBOOK_AIDER_DIRS: join(root, "repo", "deep") };
    expect([...aider.discover({ ...ctx, env })].map((ref) => ref.path)).toEqual([join(root, "repo", "deep", HISTORY)]);
  });

  it("accepts a history file of any name if it is named as root", () => {
    const path = join(scratch(), "history.md");
    writeFileSync(path, HEAD);
    expect(refsOf(path)).toHaveLength(1);
  });
});

describe("times", () => {
  const input = [
    "\n# 2024-08-08 15:03:30.250000\n+hello\n",
    "\n# 2024-08-08 15:04:00.000000\n+two\n+lines\n",
    "\n# 2024-08-09 09:00:00.000000\n+hi\n",
  ].join("");

  it("of prompts come from the input history if it contains the text", () => {
    const text = HEAD + prompt("hello") + reply("a") + prompt("two\nlines") + reply("b") + prompt("hi");
    const entries = read(text, {}, input).filter((entry) => entry.class === "trigger");
    expect(entries.map((entry) => entry.time && new Date(entry.time).toISOString())).toEqual([
      "2024-08-08T15:03:30.250Z",
      "2024-08-08T15:04:00.000Z",
      "2024-08-09T09:00:00.000Z",
    ]);
  });

  it("of prompts are not taken from a later run", () => {
    const path = writeHistory(HEAD + prompt("hi") + header("2024-08-09 08:00:00") + prompt("hi"), input);
    const times = refsOf(path).map(
      (ref) => [...readRun(ref, null, { detail: "lean" })].find((e) => e.class === "trigger")?.time,
    );
    expect(times).toEqual([null, Date.parse("2024-08-09T09:00:00.000Z")]);
    expect(aider.facts?.({ env: {}, home: "", roots: [path], report: () => undefined }).prompts()).toHaveLength(3);
  });
});

describe("usage", () => {
  it("is read from every format of the token report", () => {
    const entries = read(
      HEAD +
        prompt("a") +
        reply("b") +
        message(
          "Tokens: 12k sent, 3k cache write, 8.1k cache hit, 240 received.\nCost: $0.03 message, $0.08 session.",
        ) +
        message("Tokens: 1,497 sent, 57 received. Cost: $0.0053 request, $0.0053 session.") +
        message("2302 prompt tokens, 183 completion tokens, $0.079900 cost") +
        message("Tokens: 10k sent, 4k cache hit, 9 received."),
    );
    const numbers = bodies(entries, "usage").map((usage) => [
      usage.input_tokens,
      usage.cached_input_tokens,
      usage.cache_write_tokens,
      usage.output_tokens,
      usage.model,
    ]);
    expect(numbers).toEqual([
      [9000, 8100, 3000, 240, "gpt-4o"],
      [1497, 0, 0, 57, "gpt-4o"],
      [2302, 0, 0, 183, "gpt-4o"],
      // Not Anthropic: the tokens sent include cache hits.
      [6000, 4000, 0, 9, "gpt-4o"],
    ]);
    expect(entries.find((entry) => entry.reason === "aider.message.more")?.class).toBe("reaction");
  });

  it("names the editor model for requests of the editor", () => {
    const plan = "Change a.\n\nThen b.";
    const text =
      HEAD + message("Editor model: gpt-mini with editor-diff edit format") + prompt("do it") + reply(plan) + REPORT;
    const entries = read(
      text + message("Edit the files? (Y)es/(N)o [Yes]: y") + prompt(plan) + reply("Done.") + REPORT,
    );
    expect(prompts(entries)).toEqual(["prompt: do it"]);
    expect(bodies(entries, "usage").map((usage) => usage.model)).toEqual(["gpt-4o", "gpt-mini"]);
    expect(reasons(entries)).toContain("reaction aider.prompt.architect");
  });
});
