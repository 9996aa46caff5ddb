import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ContextSource } from "../src/record/record.ts";
import { fixtures as claude, record, user as claudeUser } from "../src/agents/claude-code/testing.ts";
import { codex } from "../src/agents/codex/source.ts";
import { event, fixtures as copilot, start } from "../src/agents/copilot/testing.ts";
import { read as readGoose, text as gooseText } from "../src/agents/goose/testing.ts";
import { assistant, read as readOpenCode, text, user } from "../src/agents/opencode/testing.ts";
import { read as readPi, Script } from "../src/agents/pi/testing.ts";
import { bodies } from "../src/agents/kit/testing.ts";
import type { Entry, ReadContext } from "../src/agents/contract.ts";
import { buildDraft } from "../src/turns/builder.ts";
import { contextTrail } from "../src/views/context-trail.ts";
import { assemble } from "../src/turns/assemble.ts";
import { fileLoader } from "../src/book/reading/library.ts";
import { E, M, R, TC, TD, TS, codexLine, type Line } from "./cases/build.ts";

const sha = (words: string): string => createHash("sha256").update(words).digest("hex");
/** `kind path truncated: text`, each text checked against its hash. */
function instructionsIn(entries: readonly Entry[]): string[] {
  const texts = new Map(entries.flatMap((entry) => (entry.texts ?? []).map((one) => [one.hash, one.text])));
  return sourcesIn(entries).map(({ kind, path, hash, truncated }) => {
    const words = hash === null ? null : (texts.get(hash) ?? "(missing)");
    if (words !== null) expect(hash).toBe(sha(words));
    return `${kind} ${path ?? "-"}${truncated ? " cut" : ""}: ${words ?? "-"}`;
  });
}

function sourcesIn(entries: readonly Entry[]): ContextSource[] {
  return bodies(entries, "context").flatMap((body) => body.sources ?? []);
}

function rollout(lines: readonly Line[], ctx: Partial<ReadContext> = {}): Entry[] {
  const path = join(mkdtempSync(join(tmpdir(), "daybook-instructions-")), "rollout-x.jsonl");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return [
    ...codex.read({ source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" }, null, { detail: "full", ...ctx }),
  ];
}

function developer(...texts: string[]): Line {
  const content = texts.map((words) => ({ type: "input_text", text: words }));
  return codexLine("response_item", { type: "message", role: "developer", content });
}

/** Hand-written records in the shapes of FORMAT.md; genuine ones are in `store/instructions.test.ts`. */
describe("instructions of Codex", () => {
  it("are read from the header, turn contexts and developer messages", () => {
    const lines = [
      M("s", { base_instructions: { text: "You are Codex." }, instructions: "old AGENTS" }),
      developer(
        "<permissions instructions>\nask\n</permissions instructions>",
        "<skills_instructions>\nS\n</skills_instructions>",
        "a hook says",
      ),
      TC({ user_instructions: "new AGENTS" }),
      TC({ user_instructions: "new AGENTS", developer_instructions: "be kind" }),
    ];
    expect(instructionsIn(rollout(lines))).toEqual([
      "base -: You are Codex.",
      "instructions -: old AGENTS",
      "permissions -: <permissions instructions>\nask\n</permissions instructions>",
      "skills -: <skills_instructions>\nS\n</skills_instructions>",
      "message -: a hook says",
      "instructions -: new AGENTS",
      "developer -: be kind",
    ]);
    const lean = rollout(lines, { detail: "lean" });
    expect(sourcesIn(lean)).toEqual(sourcesIn(rollout(lines)));
    expect(lean.every((entry) => entry.texts === undefined)).toBe(true);
    expect(sourcesIn(rollout(lines, { detail: "usage" }))).toEqual([]);
  });

  it("are unwrapped from AGENTS.md messages, and marked as cut at 32 KiB", () => {
    const wrapped = (dir: string, words: string): string =>
      `# AGENTS.md instructions for ${dir}\n\n<INSTRUCTIONS>\n${words}\n</INSTRUCTIONS>`;
    const long = "x".repeat(32 * 1024);
    const texts = [
      wrapped("/repo/", "A\n"),
      wrapped("C:\\repo", "B"),
      wrapped("/repo/long", long),
      "<user_instructions>\n\nC\n\n</user_instructions>",
      "<skill>\n<name>pdf</name>\n<path>/s/SKILL.md</path>\nbody\n</skill>",
    ];
    expect(instructionsIn(rollout([M("s"), ...texts.map((words) => R(words))])).map((one) => one.slice(0, 60))).toEqual(
      [
        "instructions /repo/AGENTS.md: A\n",
        "instructions C:\\repo\\AGENTS.md: B",
        `instructions /repo/long/AGENTS.md cut: ${long}`.slice(0, 60),
        "instructions -: \nC\n",
        `skill /s/SKILL.md: ${texts[4]}`.slice(0, 60),
      ],
    );
  });

  it("are listed once if stated in several forms, and each change has its line", () => {
    const agents = (words: string): Line =>
      R(`# AGENTS.md instructions for /r\n\n<INSTRUCTIONS>\n${words}\n</INSTRUCTIONS>`);
    const turn = (words: string): Line[] => [TS(), R(words), E(words), TD()];
    const entries = rollout([
      M("s", { instructions: "one" }),
      agents("one"),
      developer("first", "second"),
      ...turn("go"),
      agents("two"),
      developer("third"),
      ...turn("on"),
    ]);
    const draft = buildDraft(
      { source: "codex", path: "/x", size: 0, mtimeMs: 0, container: "jsonl" },
      "s",
      Object.assign(entries, {
        cursor: () => ({ line: 0, offset: 0, state: null }),
        drift: () => ({ versions: {}, unknownTypes: {}, unknownFields: {} }),
      }),
      { ledger: false, toolDetail: false },
    );
    const [session] = assemble([draft], fileLoader({ detail: "full", ledger: false, toolDetail: false })).sessions;
    const trail = session ? contextTrail(session) : [];
    expect(
      trail.map(({ instructions }) =>
        instructions.map(({ kind, path, hash }) => `${path ?? kind} ${hash?.slice(0, 6)}`),
      ),
    ).toEqual([
      [
        ...["first", "second"].map((words) => `message ${sha(words).slice(0, 6)}`).toSorted(),
        `/r/AGENTS.md ${sha("one").slice(0, 6)}`,
      ],
      [
        ...["first", "second", "third"].map((words) => `message ${sha(words).slice(0, 6)}`).toSorted(),
        `/r/AGENTS.md ${sha("two").slice(0, 6)}`,
      ],
    ]);
    expect(trail.map(({ shifts }) => shifts.map(({ from, to, line }) => [from, to, line]))).toEqual([
      [],
      [
        [`/r/AGENTS.md (${sha("one").slice(0, 12)})`, `/r/AGENTS.md (${sha("two").slice(0, 12)})`, 8],
        ["", `message (${sha("third").slice(0, 12)})`, 9],
      ],
    ]);
  });
});

describe("instructions", () => {
  it("of Claude Code are its files, files loaded later, and the system prompt whenever it changes", () => {
    const attach = (attachment: object): object => record("attachment", { attachment });
    const snapshot = (...systemPrompt: string[]): object => attach({ type: "prompt_snapshot", systemPrompt });
    const entries = claude.read([
      claudeUser("go"),
      attach({ type: "instructions", files: [{ type: "Project", path: "/r/CLAUDE.md", content: "be brief" }] }),
      snapshot("You are", "an agent"),
      snapshot("You are", "an agent"),
      attach({
        type: "nested_memory",
        path: "/r/a/CLAUDE.md",
        content: { type: "Project", content: "short", rawContent: "short, and more" },
      }),
      attach({ type: "nested_memory", path: "/r/b/CLAUDE.md" }),
      snapshot("You were"),
    ]);
    expect(instructionsIn(entries)).toEqual([
      "Project /r/CLAUDE.md: be brief",
      "base -: You are\n\nan agent",
      "nested_memory /r/a/CLAUDE.md cut: short",
      "nested_memory /r/b/CLAUDE.md: -",
      "base -: You were",
    ]);
  });

  it("of Copilot are the system messages of the session, not of its sub-agents", () => {
    const entries = copilot.read([
      start(),
      event("system.message", { role: "system", content: "You are Copilot" }),
      event("system.message", { role: "developer", content: "and careful" }),
      { ...(event("system.message", { role: "system", content: "You count lines" }) as object), agentId: "a" },
    ]);
    expect(instructionsIn(entries)).toEqual(["base -: You are Copilot", "message -: and careful"]);
  });

  it("of pi are its system prompt, in sections or as one text", () => {
    const script = new Script();
    script.add("message", {
      message: { role: "system", content: "", sections: { preamble: "You are pi", tools: "read", cwd: "/r" } },
    });
    script.add("message", { message: { role: "system", content: "Old pi" } });
    expect(instructionsIn(readPi(script.records))).toEqual(["base -: You are pi\n\nread", "base -: Old pi"]);
  });

  it("of OpenCode are its prompt and each file, without the environment, listed once", () => {
    const environment =
      "Here is some useful information about the environment you are running in:\n<env>\n  Today's date: x\n</env>";
    const system = [
      "You are OpenCode.",
      `${environment}\nInstructions from: /r/AGENTS.md\nBe brief.\n\nInstructions from: /h/AGENTS.md\nBe kind.`,
    ];
    const answer = { data: { ...assistant(100), system }, parts: [text("ok")] };
    const entries = readOpenCode([
      { data: user(0), parts: [text("go")] },
      answer,
      { ...answer, data: { ...assistant(300), system } },
    ]);
    expect(instructionsIn(entries)).toEqual([
      "base -: You are OpenCode.",
      "instructions /r/AGENTS.md: Be brief.",
      "instructions /h/AGENTS.md: Be kind.",
    ]);
  });

  it("of Goose are the instructions of its recipe", () => {
    const recipe_json = JSON.stringify({ title: "t", instructions: "Only look", prompt: "go" });
    const entries = readGoose({ row: { recipe_json }, messages: [{ content: [gooseText("go")] }] });
    expect(instructionsIn(entries)).toEqual(["recipe -: Only look"]);
  });
});
