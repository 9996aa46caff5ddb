import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSession } from "./read.ts";
import { clock, uuid } from "../kit/testing.ts";
import {
  CONTEXT,
  HEADER,
  SESSION,
  bodies,
  call,
  classes,
  fixtures,
  prompts,
  reasons,
  reply,
  settlements,
  user,
  workedIn,
} from "./testing.ts";

const { corpusFile, read, readPath, refOf, scratch, writeSession } = fixtures;

const TOKENS = { input: 100, output: 10, cached: 30, thoughts: 5, tool: 2, total: 117 };

const set = (messages: unknown[]): unknown => ({ $set: { messages, lastUpdated: clock() } });
const error = (): unknown => ({ id: uuid(), timestamp: clock(), type: "error", content: "429" });

const answer = (output: string): { output: string } => ({
  output: `<untrusted_context>\nOutput: ${output}\nProcess Group PGID: 7\n</untrusted_context>`,
});

const PLACE = workedIn(corpusFile("682f4124"), "gemini-0.61.0");

describe("genuine sessions", () => {
  it("list the file of a write, and count the usage of a repeated reply once", () => {
    const entries = readPath(corpusFile("682f4124"));
    expect(classes(entries)).toBe(
      "session setup trigger session reaction session reaction reaction session reaction session",
    );
    expect(prompts(entries)).toEqual(["prompt: Write a note. [lab:write]"]);
    expect(bodies(entries, "session_meta")[0]).toMatchObject({ kind: "root", cwd: PLACE });
    expect(settlements(entries)).toEqual(["write_file__call_LwriteS0xpT8oePme0: ok -"]);
    expect(bodies(entries, "tool_finished")[0]?.files).toEqual([{ path: `${PLACE}/note.txt`, operation: "created" }]);
    expect(bodies(entries, "usage").map((usage) => [usage.verdict, usage.input_tokens, usage.output_tokens])).toEqual([
      ["counted", 14472, 2302],
      ["duplicate", 14472, 2302],
      ["counted", 14478, 2304],
    ]);
  });

  it("have the typed command as prompt, not its expansion", () => {
    expect(prompts(readPath(corpusFile("be535089")))).toEqual(["command: /greet the whole team"]);
  });

  it("link a subagent, whose file has a task and no prompt", () => {
    const parent = readPath(corpusFile("feb066b7.jsonl"));
    const child = "af0a5dd9-7de4-484a-a653-2db54bf91888";
    expect(bodies(parent, "child_linked").map((link) => [link.phase, link.child.session_id, link.role])).toEqual([
      ["spawned", child, "generalist"],
      ["returned", child, "generalist"],
    ]);
    const entries = readPath(corpusFile(child));
    expect(prompts(entries)).toEqual([]);
    expect(bodies(entries, "user").map((body) => body.author)).toEqual(["agent", "source"]);
    expect(bodies(entries, "session_meta")[0]).toMatchObject({
      kind: "subagent",
      parent: { source: "gemini", session_id: "feb066b7-48a5-4d7a-b5dd-1c3d44bd230e" },
    });
  });

  it("settle an unknown tool as failed", () => {
    expect(settlements(readPath(corpusFile("b931f6ec")))).toEqual([
      "no_such_tool__call_LunknownS0xWAFFKN5n0: failed -",
    ]);
  });
});

describe("replies", () => {
  it("are completed by later copies with text, usage and tool calls", () => {
    const first = reply("", { tokens: null });
    const worded = { ...first, content: "Now", tokens: TOKENS };
    const called = { ...worded, toolCalls: [call("c", "success", { output: "Output: x" })] };
    const entries = read([HEADER, user("go"), first, worded, called, called]);
    expect(reasons(entries).slice(2)).toEqual([
      "gemini.reply",
      "gemini.reply.completed",
      "gemini.reply.completed",
      "gemini.message.repeated",
    ]);
    expect(bodies(entries, "assistant_finished").map((body) => body.text)).toEqual(["Now"]);
    expect(bodies(entries, "tool_started")).toHaveLength(1);
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["counted", "duplicate", "duplicate"]);
    expect(bodies(entries, "usage")[0]).toMatchObject({
      input_tokens: 72,
      cached_input_tokens: 30,
      output_tokens: 15,
      reasoning_tokens: 5,
    });
  });

  it("settle tool calls by status, exit code, signal and refusal", () => {
    const entries = read([
      HEADER,
      user("go"),
      reply("", {
        toolCalls: [
          call("ok", "success", answer("fine")),
          call("three", "success", answer("no\nExit Code: 3")),
          call("says", "success", answer("Exit Code: 3\nsaid the log")),
          call("killed", "success", answer("x\nSignal: 9")),
          // 0.24.0
          call("zero", "success", answer("x\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)")),
          call("denied", "cancelled", { error: "[Operation Cancelled] Reason: User denied execution." }),
          call("escape", "cancelled", { error: "[Operation Cancelled] Reason: User cancelled the operation." }),
          call("policy", "error", { error: "Tool execution denied by policy." }),
          call("running", "executing", {}),
        ],
      }),
    ]);
    expect(settlements(entries)).toEqual([
      "ok: ok -",
      "three: failed 3",
      "says: ok -",
      "killed: failed -",
      "zero: ok 0",
      "denied: denied -",
      "escape: interrupted -",
      "policy: denied -",
    ]);
    expect(bodies(entries, "cancelled")).toEqual([]);
    const stopped = read([HEADER, user("go"), reply("", { toolCalls: [call("x", "cancelled", { error: "stop" })] })]);
    expect(bodies(stopped, "cancelled")).toEqual([{ type: "cancelled", reason: "interrupted" }]);
  });

  it("are settled by a separate result only if the reply states none", () => {
    const sent = user([{ functionResponse: { id: "c", name: "run_shell_command", response: { error: "boom" } } }]);
    const unstated = read([HEADER, user("go"), reply(""), sent]);
    expect(settlements(unstated)).toEqual(["c: failed -"]);
    const stated = read([HEADER, user("go"), reply("", { toolCalls: [call("c", "success", { output: "" })] }), sent]);
    expect(settlements(stated)).toEqual(["c: ok -"]);
    expect(classes(stated).endsWith("reaction")).toBe(true);
  });
});

describe("patches and shell commands", () => {
  const prompt = user("go");
  const answer = reply("done", { tokens: TOKENS });
  it("of a resumed session are duplicates of its history and add no prompt", () => {
    const context = { ...user(CONTEXT), id: "d04923d38bb0f6017037e74183378ef4" };
    const entries = read([
      HEADER,
      set([context]),
      prompt,
      answer,
      HEADER,
      set([context, prompt, answer]),
      user("more"),
    ]);
    expect(classes(entries)).toBe("session setup trigger reaction session duplicate trigger");
    expect(prompts(entries)).toEqual(["prompt: go", "prompt: more"]);
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["counted", "duplicate"]);
    // Copies with new ids are recognised too.
    const renamed = read([HEADER, prompt, answer, HEADER, set([context, user("go"), reply("done")])]);
    expect(prompts(renamed)).toEqual(["prompt: go"]);
    expect(classes(renamed).endsWith("duplicate")).toBe(true);
  });

  it("at the start of a file are inherited history of another session", () => {
    const entries = read([HEADER, set([prompt, answer]), user("own")]);
    expect(classes(entries)).toBe("session inherited trigger");
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["inherited"]);
  });

  it("settle a command typed with `!` and end its turn (0.61.0)", () => {
    const ran = (printed: string): string =>
      `I ran the following shell command:\n\`\`\`sh\nx\n\`\`\`\n\nThis produced the following result:\n\`\`\`\n${printed}\n\`\`\``;
    const entries = read([HEADER, user(ran("fine")), user(ran("Command exited with code 3.\noops")), user("on")]);
    expect(prompts(entries)).toEqual(["shell: !x", "shell: !x", "prompt: on"]);
    expect(bodies(entries, "tool_finished").map((one) => [one.status, one.exit_code, one.output])).toEqual([
      ["ok", null, "fine"],
      ["failed", 3, "Command exited with code 3.\noops"],
    ]);
    expect(bodies(entries, "assistant_finished").map((one) => one.turn_ended)).toEqual([true, true]);
  });

  it("state compression, shell commands, titles and the working directory", () => {
    const shell = user([
      {
        text: "I ran the following shell command:\n```sh\nls -l\n```\n\nThis produced the following result:\n```\nx\n```",
      },
    ]);
    const entries = read([
      HEADER,
      set([user([{ text: CONTEXT }])]),
      prompt,
      set([prompt, user("<state_snapshot>so far</state_snapshot>")]),
      set([prompt, shell]),
      { $set: { summary: "a title" } },
    ]);
    expect(classes(entries)).toBe("session setup trigger reaction trigger session");
    expect(prompts(entries)).toEqual(["prompt: go", "shell: !ls -l"]);
    expect(bodies(entries, "compacted")[0]?.summary).toBe("<state_snapshot>so far</state_snapshot>");
    expect(bodies(entries, "session_renamed")).toEqual([{ type: "session_renamed", title: "a title", by: "agent" }]);
    expect(bodies(entries, "session_meta").map((meta) => meta.cwd)).toEqual([null, "/w"]);
  });

  it("rewind turns", () => {
    const second = user("second");
    const entries = read([HEADER, prompt, answer, second, { $rewindTo: second["id"] }, { $rewindTo: "never" }]);
    expect(bodies(entries, "cancelled").map((body) => [body.reason, body.from_line])).toEqual([
      ["rewound", 4],
      ["rewound", 1],
    ]);
  });
});

describe("user messages", () => {
  it("are prompts unless the client wrote them", () => {
    const entries = read([
      HEADER,
      user("/usr/bin/env is a path"),
      user([{ text: "see @a" }, { text: "\n--- Content from referenced files ---" }, { text: "secret" }]),
      user([{ text: "look" }, { inlineData: { mimeType: "image/png", data: "" } }]),
      user("System: Please continue."),
      user("Please continue."),
    ]);
    expect(prompts(entries)).toEqual([
      "prompt: /usr/bin/env is a path",
      "prompt: see @a",
      "prompt: look",
      "prompt: Please continue.",
    ]);
    expect(bodies(entries, "user")[2]?.attachments).toBe(1);
  });

  it("with the same id are duplicates", () => {
    const one = user("a");
    expect(classes(read([HEADER, one, one]))).toBe("session trigger duplicate");
  });
});

describe("other records", () => {
  it("of type error end a turn only if the model does not continue", () => {
    const entries = read([HEADER, user("a"), error(), reply("fine"), user("b"), error(), user("c"), error()]);
    expect(bodies(entries, "failed").map((body) => body.turn_ended)).toEqual([false, true, true]);
    expect(entries.map((entry) => entry.tentative).lastIndexOf(false)).toBe(6);
  });

  it("of unknown type are reported as drift", () => {
    const reading = readSession(
      refOf(writeSession([HEADER, { id: "1", type: "new" }, user("x", { odd: 1 }), "{"])),
      null,
      {
        detail: "full",
      },
    );
    expect(classes([...reading])).toBe("session unknown trigger corrupt");
    expect(reading.drift()).toEqual({
      versions: {},
      unknownTypes: { "unknown · new": 1 },
      unknownFields: { "unknown · user · odd": 1 },
    });
  });

  it("copied from another file are inherited", () => {
    const copied = [user("old"), reply("x", { tokens: TOKENS })];
    const inherited = new Set(copied.map((item) => String(item["id"])));
    const entries = read([HEADER, ...copied, user("new")], { inherited });
    expect(classes(entries)).toBe("session inherited inherited trigger");
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["inherited"]);
  });
});

describe("documents of older versions", () => {
  it("are read with one entry per message, and reading can resume", () => {
    const directory = join(scratch(), "chats");
    mkdirSync(directory);
    const path = join(directory, "session-2025-09-01T10-00-abcdef01.json");
    const messages = [
      user("hello"),
      reply("hi", { tokens: TOKENS, toolCalls: [call("c", "success", { output: "" })] }),
      7,
    ];
    writeFileSync(path, JSON.stringify({ ...HEADER, messages }, null, 2));
    const entries = readPath(path);
    expect(classes(entries)).toBe("session trigger reaction corrupt");
    expect(entries[0]).toMatchObject({ native: "session_meta", identity: SESSION, line: 1 });
    expect(settlements(entries)).toEqual(["c: ok -"]);
    const reading = readSession(refOf(path), null, { detail: "full" });
    const [first] = reading;
    expect(first?.line).toBe(1);
    expect(readPath(path, {}, reading.cursor())).toEqual(entries.slice(1));
    writeFileSync(path, "{");
    expect(classes(readPath(path))).toBe("corrupt");
  });
});
