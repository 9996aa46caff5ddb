import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { answersIn, typedText } from "./prompts.ts";
import { codex } from "./source.ts";

const folder = mkdtempSync(join(tmpdir(), "codex-prompts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function read(...lines: object[]): Entry[] {
  const path = join(folder, `rollout-${++files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const ref = { source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" } as const;
  return [...codex.read(ref, null, { detail: "full" })];
}
/** `class reason`, then author and text of the user record if there is one. */
const verdicts = (...lines: object[]): string[] =>
  read(META, ...lines)
    .slice(1)
    .map(({ class: cls, reason, records }) => {
      const body = records.find((one) => one.type === "user");
      return `${cls} ${reason}${body ? ` ${body.author}: ${body.text}` : ""}`;
    });
const kinds = (...lines: object[]): unknown[] =>
  read(...lines).flatMap(({ records }) =>
    records.flatMap((one) => (one.type === "user" && one.author === "human" ? [[one.kind, one.entry, one.text]] : [])),
  );

const line = (type: string, payload: object): object => ({ timestamp: "2026-05-12T08:00:00.000Z", type, payload });
const event = (type: string, payload: object = {}): object => line("event_msg", { type, ...payload });
const meta = (more: object = {}): object => line("session_meta", { id: "S", cwd: "/w", source: "cli", ...more });
const META = meta();
const userItem = (texts: readonly string[], more: object = {}): object =>
  line("response_item", {
    type: "message",
    role: "user",
    content: texts.map((text) => ({ type: "input_text", text })),
    ...more,
  });
const provenance = (...types: (string | null)[]): object => ({
  internal_chat_message_metadata_passthrough: {
    content_item_metadata: types.map((type) => (type === null ? { provenance: {} } : { provenance: { type } })),
  },
});
const kindsOf = (...list: unknown[]): object => ({
  internal_chat_message_metadata_passthrough: { content_item_kinds: list },
});
/** Metadata that states the kind of an item but not its provenance. */
const unknownBeside = (kind: string): object => ({
  internal_chat_message_metadata_passthrough: { content_item_metadata: [{}], content_item_kinds: [kind] },
});
const echo = (message: string, more: object = {}): object => event("user_message", { message, ...more });
const userMessage = (text: string, thread: string): object =>
  event("item_completed", { thread_id: thread, item: { type: "UserMessage", content: [{ type: "text", text }] } });
const ENV = "<environment_context>\n<cwd>/elsewhere</cwd>\n</environment_context>";

describe("a message with stated provenance", () => {
  it.each<[record: object, expected: string]>([
    [userItem(["a", "b"], provenance("user", "harness")), "trigger codex.response_item.provenance_user human: a"],
    [userItem(["a", "b"], provenance("harness", "user")), "trigger codex.response_item.provenance_user human: b"],
    [userItem(["a", "b"], provenance("user", "user")), "trigger codex.response_item.provenance_user human: a\nb"],
    [userItem(["a", "b"], provenance("user")), "trigger codex.response_item.provenance_user human: a\nb"],
    [userItem(["a"], provenance("harness", null)), "setup codex.provenance.generated"],
    [userItem(["a", "b"], provenance(null, "user")), "trigger codex.response_item.provenance_user human: b"],
    [userItem(["a"], provenance(null)), "trigger codex.response_item.unechoed human: a"],
    [userItem(["a"], kindsOf("user.text")), "trigger codex.response_item.provenance_user human: a"],
    [
      userItem(["a", "b"], kindsOf("harness.note", "user.text")),
      "trigger codex.response_item.provenance_user human: b",
    ],
    [userItem(["a"], kindsOf("harness.note")), "setup codex.provenance.generated"],
    [userItem(["a"], unknownBeside("user.text")), "trigger codex.response_item.provenance_user human: a"],
    [userItem(["a"], kindsOf(7)), "trigger codex.response_item.unechoed human: a"],
  ])("%j is classified as: %s", (record, expected) => {
    expect(verdicts(record)).toEqual([expected]);
  });

  it("is not repeated by an equal echo, but a different echo is another prompt", () => {
    expect(verdicts(userItem(["a"], provenance("user")), echo("a"))).toEqual([
      "trigger codex.response_item.provenance_user human: a",
      "echo codex.user_message.echo",
    ]);
    expect(verdicts(userItem(["a"], provenance("user")), echo("b"))[1]).toBe(
      "trigger codex.user_message.only_event human: b",
    );
  });

  it("states the working directory in generated text if the header does not", () => {
    const [, entry] = read(
      meta({ cwd: undefined }),
      userItem(["in <cwd>/x</cwd>", ENV], provenance("harness", "harness")),
    );
    expect(entry?.records).toMatchObject([{ type: "context", cwd: "/elsewhere" }]);
  });
});

describe("a message without stated provenance", () => {
  it.each<[lines: object[], expected: string]>([
    [[userItem(["one", "two"]), echo("one\ntwo")], "trigger codex.response_item.echoed human: one\ntwo"],
    [[userItem(["one ", "two"]), echo("one two")], "trigger codex.response_item.echoed human: one two"],
    [[userItem([ENV, "go"]), echo("go")], "trigger codex.response_item.echoed human: go"],
    [[userItem([" go "]), echo("go")], "trigger codex.response_item.echoed human:  go "],
    [[userItem(["one", "two"])], "trigger codex.response_item.unechoed human: one\ntwo"],
    [[userItem([`${ENV}\n\n go \n`])], "trigger codex.response_item.unwrapped human: go"],
    [
      [userItem([`${ENV}\n<skill>s</skill> `])],
      `trigger codex.response_item.unechoed human: ${ENV}\n<skill>s</skill> `,
    ],
    [[userItem(["words", ENV])], "setup codex.marker.environment"],
  ])("%j is classified as: %s", (lines, expected) => {
    expect(verdicts(...lines)[0]).toBe(expected);
  });

  it("is a prompt if only its echo exists, unless that is marked and built as generated", () => {
    expect(verdicts(echo("go", { kind: "plain" }))).toEqual(["trigger codex.user_message.only_event human: go"]);
    expect(verdicts(echo(ENV, { kind: "environment_context" }))).toEqual(["setup codex.echo.generated.environment"]);
    expect(verdicts(echo("go", { kind: "environment_context" }))).toEqual([
      "trigger codex.user_message.only_event human: go",
    ]);
    // Without that mark, a human may have pasted the text.
    expect(verdicts(echo(ENV))).toEqual([`trigger codex.user_message.only_event human: ${ENV}`]);
  });

  it("links a child session that has finished", () => {
    const notice = '<subagent_notification>{"agent_id":"child","status":{"completed":"x"}}</subagent_notification>';
    const [, entry] = read(META, userItem([notice]));
    expect(entry).toMatchObject({ class: "reaction", reason: "codex.marker.notification" });
    expect(entry?.records).toMatchObject([{ type: "child_linked", phase: "returned" }]);
  });
});

describe("a review", () => {
  const begin = event("entered_review_mode", { user_facing_hint: "the branch" });

  it("has a prompt of Codex's own, unless it names the thread of the session", () => {
    expect(verdicts(begin, echo("look at it"))[1]).toBe("reaction codex.review.prompt");
    expect(verdicts(begin, userMessage("look at it", "R"))[1]).toBe("reaction codex.review.prompt");
    expect(verdicts(begin, userMessage("go on", "S"))[1]).toBe("trigger codex.user_message.only_event human: go on");
    expect(verdicts(userMessage("go on", "R"))[0]).toBe("trigger codex.user_message.only_event human: go on");
    const [, , forwarded] = read(META, begin, userMessage("look at it", "R"));
    expect(forwarded?.records).toMatchObject([{ type: "child_linked", relation: "review", phase: "spawned" }]);
  });

  it("does not take the reviewer's message as the echo of a human prompt", () => {
    expect(verdicts(begin, userItem(["go"]), userMessage("go", "R"))[1]).toBe(
      "trigger codex.response_item.unechoed human: go",
    );
    expect(verdicts(begin, userItem(["go"]), userMessage("go", "S")).slice(1)).toEqual([
      "trigger codex.response_item.echoed human: go",
      "echo codex.user_message.echo",
    ]);
    expect(verdicts(begin, userItem(["go"]), echo("go"))[1]).toBe("trigger codex.response_item.echoed human: go");
  });

  it("distinguishes the reviewer's items from those of the session", () => {
    const item = (thread: string | null): object =>
      event("item_completed", { ...(thread !== null && { thread_id: thread }), item: { type: "Plan" } });
    expect(verdicts(begin, item("R"))[1]).toBe("reaction codex.review.forwarded");
    expect(verdicts(begin, item("S"))[1]).toBe("reaction codex.item.plan");
    expect(verdicts(begin, item(null))[1]).toBe("reaction codex.item.plan");
    expect(verdicts(item("R"))[0]).toBe("reaction codex.item.plan");
  });
});

describe("the kind and entry of a prompt", () => {
  const reply =
    '<send_user_message_question_reply id="1">[{"answer":"yes"},{"answer":"no"}]</send_user_message_question_reply>';

  it("distinguish answers, SDK prompts, probes and queued prompts", () => {
    expect(kinds(META, userItem([reply]))).toEqual([["answer", "interactive", "yes\nno"]]);
    const sdk = meta({ source: "vscode", originator: "codex_sdk_ts" });
    expect(kinds(sdk, userItem(["go"]))).toEqual([["prompt", "sdk", "go"]]);
    expect(kinds(sdk, userItem(["Reply with exactly: OK"]))).toEqual([
      ["prompt", "automated", "Reply with exactly: OK"],
    ]);
    expect(kinds(meta({ source: "exec" }), userItem(["Reply with exactly: OK"]))).toEqual([
      ["prompt", "automated", "Reply with exactly: OK"],
    ]);
    expect(kinds(meta({ source: "exec" }), userItem(["go"]), userItem(["Reply with exactly: OK"]))[1]).toEqual([
      "prompt",
      "headless",
      "Reply with exactly: OK",
    ]);
    const begin = (turn: string): object => event("task_started", { turn_id: turn });
    const running = kinds(META, begin("t"), userItem(["go"]), echo("go"), userItem(["and"]), echo("and"));
    expect(running.map((one) => (one as string[])[0])).toEqual(["prompt", "queued"]);
    const next = kinds(META, begin("t"), userItem(["go"]), echo("go"), begin("u"), userItem(["and"]), echo("and"));
    expect(next.map((one) => (one as string[])[0])).toEqual(["prompt", "prompt"]);
  });

  it("are missing in a subagent session, where an agent is the author", () => {
    const child = meta({ source: { subagent: { thread_spawn: { parent_thread_id: "P" } } } });
    const entries = read(
      child,
      userItem(["Automation: x\nAutomation ID: y\nLast run: never\n\ntidy"]),
      event("entered_review_mode"),
    );
    expect(entries[1]).toMatchObject({ class: "reaction", records: [{ type: "user", author: "agent" }] });
    expect(entries[2]).toMatchObject({ class: "reaction", records: [{ type: "user", author: "agent" }] });
    expect(entries[2]?.records[0]).not.toHaveProperty("kind");
  });
});

// Sections as the editors' prompt builder (26.803) and the desktop client write them; their contents are invented.
describe("the typed request in a prompt from a client", () => {
  it.each([
    "# Context from my IDE setup:\n\n## Active file: a.ts",
    "# Selected text:\n\n## Selection 1: a.ts\n```\nlet x\n```",
    "# Files mentioned by the user:\n\n## shot.png: /tmp/shot.png",
    "# Browser comments:\n\n## User Comment 1\nBrowser\nComment:\nmake it blue",
    "# Chrome tabs:\n- Current URL: https://example.com",
    '<in-app-browser-context source="ambient-ui-state">\nopen\n</in-app-browser-context>',
    '## Referenced ChatGPT conversation:\nuntrusted\n{"conversationId":"c","conversation":[{"role":"user"}]}',
    "## Prior conversation with Codex:\n## My request for Codex:\nan older one\n",
    "## Pull request fix:\nchecks fail",
  ])("is the text under its heading after %j", (section) => {
    for (const heading of ["## My request for Codex:", "## My request:"])
      expect(typedText(`${section}\n\n${heading}\nexplain this\n`)).toBe("explain this");
  });

  it("is found without a section before its heading", () => {
    expect(typedText("## My request for Codex:\nexplain this\n")).toBe("explain this");
    expect(typedText("## My request for Codex: explain this")).toBe("explain this");
  });

  it("is found without a heading after the browser state", () => {
    const state = '<in-app-browser-context source="ambient-ui-state">\n1 tab\n</in-app-browser-context>';
    expect(typedText(`${state}\n\nwhy is it blue?`)).toBe("why is it blue?");
  });

  it("is the text of the comments if it was left empty", () => {
    const comments =
      "# Browser comments:\n\n## Comment 1\nNode position: (1, 2)\nComment:\nmake it blue\n\n## Comment 2\nRequested changes:\nlarger\n\n## My request for Codex:\n";
    expect(typedText(comments)).toBe("make it blue\nlarger");
  });

  it.each([
    "why does the doc say\n# Selected text:\n## My request for Codex:\nhere?",
    "# Selected text: is what the button says. Rename it.",
    "# In app browser:\n- the heading of my notes",
    "Rename '## My request for Codex:' in the docs",
    "```\n## My request for Codex:\nx\n```",
  ])("is the whole text if the client added no section: %j", (text) => expect(typedText(text)).toBe(text));
});

describe("answers to the agent's questions", () => {
  it("are extracted if the message is nothing but a list of them", () => {
    const list = JSON.stringify([
      { questionItemId: "q", question: "Done?", answer: "yes" },
      { question: "Which?", answer: "the second" },
    ]);
    const reply = `<send_user_message_question_reply>\n${list}\n</send_user_message_question_reply>`;
    expect(answersIn(reply)).toBe("yes\nthe second");
    expect(answersIn(`what is ${reply}?`)).toBeNull();
    expect(answersIn("<send_user_message_question_reply>no list</send_user_message_question_reply>")).toBeNull();
  });
});

const scratch = mkdtempSync(join(tmpdir(), "codex-unattended-"));
mkdirSync(join(scratch, "sessions"));
mkdirSync(join(scratch, "prompts"));
writeFileSync(
  join(scratch, "prompts", "draft.md"),
  "---\ndescription: x\n---\nDraft the release notes for $ARGUMENTS\n",
);
let unattendedFiles = 0;

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
  const path = join(scratch, "sessions", `rollout-${++unattendedFiles}.jsonl`);
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
