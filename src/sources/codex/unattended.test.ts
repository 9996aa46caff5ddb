import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { codex } from "./index.ts";

const scratch = mkdtempSync(join(tmpdir(), "codex-unattended-"));
mkdirSync(join(scratch, "sessions"));
mkdirSync(join(scratch, "prompts"));
writeFileSync(
  join(scratch, "prompts", "draft.md"),
  "---\ndescription: x\n---\nDraft the release notes for $ARGUMENTS\n",
);
let files = 0;

/** A session with these prompts, each with its echo and a response. */
function session(...texts: readonly string[]): Entry[] {
  return sessionOf("vscode", ...texts);
}

function sessionOf(source: string, ...texts: readonly string[]): Entry[] {
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: "2026-05-12T08:00:00.000Z", type, payload })}\n`;
  const sent = texts.map(
    (text) =>
      line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] }) +
      line("event_msg", { type: "user_message", message: text }) +
      line("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }] }),
  );
  const path = join(scratch, "sessions", `rollout-${++files}.jsonl`);
  writeFileSync(path, line("session_meta", { id: "S", cwd: "/repo", source }) + sent.join(""));
  return [...codex.read({ source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" }, null, { detail: "full" })];
}

const triggers = (entries: readonly Entry[]): string[] =>
  entries
    .filter((entry) => entry.class === "trigger")
    .map((entry) => {
      const [body] = bodies([entry], "user");
      return `${body?.kind} ${body?.entry}: ${body?.text}`;
    });

// Headers as the desktop client writes them; the instructions are invented.
const AUTOMATION =
  "Automation: Daily check\nAutomation ID: daily-check\nAutomation memory: $CODEX_HOME/automations/daily-check/memory.md\nLast run: 2026-05-11T08:00:00.000Z (1778486400000)\n\nLook at the checks.";
const HEARTBEAT =
  "<heartbeat>\n  <automation_id>monitor</automation_id>\n  <instructions>\nLook again.\n  </instructions>\n</heartbeat>";
const TITLE =
  "You are a helpful assistant. You will be presented with a user prompt, and your job is to provide a short title for a task that will be created from that prompt.\nUser prompt:\nfix it";

describe("scheduled prompts", () => {
  it("are automated triggers", () => {
    const entries = session(AUTOMATION, "thanks", HEARTBEAT);
    expect(triggers(entries)).toEqual([
      `prompt automated: ${AUTOMATION}`,
      "prompt ide: thanks",
      `prompt automated: ${HEARTBEAT}`,
    ]);
    const triggerEntries = entries.filter((entry) => entry.class === "trigger");
    expect(triggerEntries[0]?.reason).toBe("codex.automation.scheduled");
    expect(triggerEntries[2]?.reason).toBe("codex.automation.heartbeat");
  });

  it("do not include human text that quotes them", () => {
    for (const text of [
      "Automation: how do I set one up?\nAutomation ID: is that needed?",
      `Why did this run twice?\n\n${AUTOMATION}`,
      `${HEARTBEAT} what is this?`,
    ])
      expect(triggers(session(text))).toEqual([`prompt ide: ${text}`]);
  });
});

describe("probes", () => {
  it("are automated if they begin a session outside a terminal", () => {
    const text = "Reply with the single word pong.";
    expect(triggers(sessionOf("exec", text))).toEqual([`prompt automated: ${text}`]);
    expect(sessionOf("exec", text)[1]?.reason).toBe("codex.automation.probe");
    expect(triggers(sessionOf("cli", text))).toEqual([`prompt interactive: ${text}`]);
    expect(triggers(sessionOf("exec", "Fix it", text))).toEqual([
      "prompt headless: Fix it",
      `prompt headless: ${text}`,
    ]);
  });
});

describe("prompts that the client sends for itself", () => {
  it("are no triggers", () => {
    const entries = session(TITLE);
    expect(prompts(entries)).toEqual([]);
    expect(entries[1]).toMatchObject({ class: "reaction", reason: "codex.housekeeping.title" });
    expect(bodies(entries, "user")[0]).toMatchObject({ author: "source", text: TITLE });
    expect(entries[2]?.class).toBe("echo");
  });

  it("are triggers later in a session or after other text", () => {
    expect(prompts(session("hello", TITLE))).toHaveLength(2);
    expect(prompts(session(`What is this?\n${TITLE}`))).toHaveLength(1);
  });
});

describe("a message from the agent of another thread", () => {
  const delegation =
    "<codex_delegation>\n  <source_thread_id>019e</source_thread_id>\n  <input>Run it.</input>\n</codex_delegation>";

  it("is no trigger, unless other text follows it", () => {
    const entries = session("hello", delegation);
    expect(prompts(entries)).toEqual(["prompt: hello"]);
    expect(bodies(entries, "user")[1]).toMatchObject({ author: "agent", text: delegation });
    expect(prompts(session(`${delegation} is what I found`))).toHaveLength(1);
  });
});

describe("commands that clients expand", () => {
  it("are recorded as typed, with the expanded text in a second record", () => {
    const init = `Generate a file named AGENTS.md that serves as a contributor guide for this repository.\n${"Follow the outline below. ".repeat(20)}`;
    const fence = `## User Input\n\n\`\`\`text\nkeys\n\`\`\`\n\nYou **MUST** consider the user input before proceeding (if not empty).\n\n## Outline\n\n1. Run \`.specify/scripts/bash/setup-plan.sh\`.${" ".repeat(60)}`;
    const entries = session(init, fence, "Draft the release notes for May", "Draft the release notes, for May");
    expect(triggers(entries)).toEqual([
      "command ide: /init",
      "command ide: /plan keys",
      "command ide: /draft May",
      "prompt ide: Draft the release notes, for May",
    ]);
    const [, body] = bodies(entries.slice(0, 2), "user");
    expect(body).toEqual({ type: "user", author: "source", text: init });
  });

  it("are plain prompts if only their first sentence is the same", () => {
    const text =
      "Generate a file named AGENTS.md that serves as a contributor guide for this repository.\nKeep it short.";
    expect(triggers(session(text))).toEqual([`prompt ide: ${text}`]);
  });
});
