import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import { unquotePrompt } from "./rules.ts";
import {
  T0,
  assistant,
  discover,
  makeDatabase,
  read,
  readRef,
  text,
  tokens,
  tool,
  user,
  type MadeMessage,
} from "./testing.ts";

const prompt = (id: string, at: number, words: string): MadeMessage => ({ id, data: user(at), parts: [text(words)] });

function turns(messages: readonly MadeMessage[], info = {}) {
  const [ref] = discover([makeDatabase([{ id: "ses_1", info, messages }])]).refs;
  if (!ref) throw new Error("no session");
  return buildDraft(ref, "ses_1", readSession(ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

describe("recognising prompts in user messages", () => {
  it("uses typed text and drops text the client added", () => {
    const parts = [text("Called the Read tool", { synthetic: true }), text("note", { ignored: true }), text("do it")];
    expect(prompts(read([{ data: user(0), parts }]))).toEqual(["prompt: do it"]);
  });

  it("drops the line break that `run` adds for an empty pipe (1.0.61 to 1.14.34)", () => {
    const piped = [text('"two words"\n'), text("two words\n"), text('"two words"\nand more\n')];
    const entries = read(piped.map((part, i) => ({ data: user(i * 900), parts: [part] })));
    expect(prompts(entries)).toEqual(["prompt: two words", "prompt: two words", "prompt: two words\nand more"]);
  });

  it("accepts an attachment or a subtask without text", () => {
    const entries = read([
      { data: user(0), parts: [{ type: "file", mime: "image/png", url: "data:" }] },
      {
        data: user(900),
        parts: [{ type: "subtask", prompt: "long", description: "d", agent: "a", command: "review" }],
      },
    ]);
    expect(prompts(entries)).toEqual(["prompt: ", "command: /review"]);
  });

  it("recognises a `!` command, although its message is synthetic", () => {
    const shell = tool("bash", {
      status: "completed",
      input: { command: "ls -1" },
      output: "a",
      metadata: {},
      time: {},
    });
    const entries = read([
      { data: user(0), parts: [text("The following tool was executed by the user", { synthetic: true })] },
      { data: assistant(10, { finish: undefined, modelID: "" }), parts: [shell] },
    ]);
    expect(prompts(entries)).toEqual(["shell: !ls -1"]);
    expect(bodies(entries, "assistant_finished").some((body) => body.turn_ended)).toBe(true);
  });

  it("ignores continuations, and counts a prompt replayed after an overflow once", () => {
    const summary = assistant(300, { summary: true, tokens: tokens(5, 5) });
    const entries = read([
      prompt("u", 0, "big task"),
      {
        data: assistant(100, { finish: undefined, error: { name: "ContextOverflowError", data: { message: "full" } } }),
      },
      { data: user(200), parts: [{ type: "compaction", auto: true, overflow: true }] },
      { data: summary, parts: [text("what happened")] },
      prompt("replay", 400, "big task"),
      { data: user(500), parts: [text("Continue", { synthetic: true, metadata: { compaction_continue: true } })] },
      { data: assistant(600), parts: [text("done")] },
    ]);
    expect(prompts(entries)).toEqual(["prompt: big task"]);
    expect(bodies(entries, "compacted")).toEqual([{ type: "compacted", trigger: "auto", summary: "what happened" }]);
    expect(bodies(entries, "failed")[0]?.turn_ended).toBe(false);
  });

  it("recognises /compact as a command with a turn", () => {
    const draft = turns([
      { id: "c", data: user(0), parts: [{ type: "compaction", auto: false }] },
      { data: assistant(100, { parentID: "c", summary: true }), parts: [text("sum")] },
    ]);
    expect(draft.turns.map((turn) => [turn.trigger.text, turn.trigger.kind, turn.outcome])).toEqual([
      ["/compact", "command", "completed"],
    ]);
  });

  it("recognises a prompt typed during a running turn as queued", () => {
    const draft = turns([
      prompt("a", 0, "first"),
      {
        data: assistant(10, {
          parentID: "a",
          finish: "tool-calls",
          time: { created: 1_780_000_000_010, completed: 1_780_000_000_900 },
        }),
      },
      prompt("b", 500, "and also"),
      { data: assistant(1000, { parentID: "b" }), parts: [text("both done")] },
    ]);
    expect(draft.turns.map((turn) => [turn.trigger.kind, turn.outcome])).toEqual([
      ["prompt", "completed"],
      ["queued", "completed"],
    ]);
  });

  it("finds only delegated turns in a child session", () => {
    const draft = turns([prompt("u", 0, "count"), { data: assistant(10, { parentID: "u" }), parts: [text("3")] }], {
      parentID: "ses_0",
    });
    expect(draft.meta).toMatchObject({ kind: "subagent", parent: { session_id: "ses_0" } });
    expect(draft.turns.map((turn) => [turn.delegated, turn.trigger.text])).toEqual([[true, "count"]]);
  });
});

describe("a turn without a finished response", () => {
  it("is aborted before another prompt and open at the end, despite partial text", () => {
    const cut = (at: number): MadeMessage => ({
      data: assistant(at, { time: { created: T0 + at }, finish: undefined }),
      parts: [text("I am starting to")],
    });
    const draft = turns([prompt("msg_1", 0, "one"), cut(10), prompt("msg_3", 900, "two"), cut(910)]);
    expect(draft.turns.map((turn) => [turn.trigger.text, turn.outcome])).toEqual([
      ["one", "aborted"],
      ["two", "open"],
    ]);
  });

  it("is completed once an empty response is finished", () => {
    const draft = turns([prompt("msg_1", 0, "one"), { data: assistant(10), parts: [] }]);
    expect(draft.turns.map((turn) => turn.outcome)).toEqual(["completed"]);
  });
});

const settled = (name: string, state: Record<string, unknown>): unknown => {
  const entries = read([
    prompt("u", 0, "go"),
    { data: assistant(10), parts: [tool(name, { input: {}, time: {}, ...state })] },
  ]);
  return bodies(entries, "tool_finished")[0]?.status ?? "none";
};

describe("outcomes of tool calls and turns", () => {
  it.each([
    ["ok", "bash", { status: "completed", output: "", metadata: { exit: 0 } }],
    ["failed", "bash", { status: "completed", output: "", metadata: { exit: 1 } }],
    ["failed", "invalid", { status: "completed", output: "", metadata: {} }],
    ["failed", "edit", { status: "error", error: "no match" }],
    ["interrupted", "bash", { status: "error", error: "Tool execution aborted", metadata: { interrupted: true } }],
    ["interrupted", "bash", { status: "completed", output: "x\nUser aborted the command", metadata: { exit: null } }],
    ["denied", "bash", { status: "error", error: "The user rejected permission to use this specific tool call." }],
    [
      "denied",
      "bash",
      {
        status: "error",
        error: "The user rejected permission to use this specific tool call with the following feedback: no",
      },
    ],
    ["none", "bash", { status: "running" }],
  ])("include status %s for %s %j", (expected, name, state) => {
    expect(settled(name, state)).toBe(expected);
  });

  it("include the child session of a task, spawned and returned", () => {
    const state = {
      status: "completed",
      input: { subagent_type: "explore" },
      output: "x",
      metadata: { sessionId: "ses_9" },
      time: {},
    };
    const links = bodies(
      read([prompt("u", 0, "go"), { data: assistant(10), parts: [tool("task", state)] }]),
      "child_linked",
    );
    expect(links.map((link) => [link.child.session_id, link.phase, link.role])).toEqual([
      ["ses_9", "spawned", "explore"],
      ["ses_9", "returned", "explore"],
    ]);
  });

  it("include aborted turns, and turns rewound by a revert", () => {
    const draft = turns(
      [
        prompt("u1", 0, "one"),
        {
          data: assistant(10, { parentID: "u1", finish: undefined, error: { name: "MessageAbortedError", data: {} } }),
        },
        prompt("u2", 1000, "two"),
        { data: assistant(1010, { parentID: "u2" }), parts: [text("ok")] },
      ],
      { revert: { messageID: "u2" } },
    );
    expect(draft.turns.map((turn) => [turn.outcome, turn.taken_back])).toEqual([
      ["aborted", null],
      ["completed", "rewound"],
    ]);
  });

  it("do not include a rewind of the message whose later parts were reverted", () => {
    const draft = turns(
      [prompt("u1", 0, "one"), { id: "a1", data: assistant(10, { parentID: "u1" }) }, prompt("u2", 1000, "two")],
      {
        revert: { messageID: "a1", partID: "prt_x" },
      },
    );
    expect(draft.turns.map((turn) => turn.taken_back)).toEqual([null, "rewound"]);
  });
});

const step = (t: unknown): Record<string, unknown> => ({ type: "step-finish", reason: "stop", cost: 0, tokens: t });

describe("usage", () => {
  it("is stated per step, not by the message, which repeats the last step", () => {
    const data = assistant(10, { tokens: tokens(3, 4) });
    const usage = bodies(read([{ data, parts: [step(tokens(1, 2)), step(tokens(3, 4))] }]), "usage");
    expect(usage.map((body) => [body.input_tokens, body.output_tokens])).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(new Set(usage.map((body) => body.response_id)).size).toBe(2);
  });

  it("is taken from the message if there are no steps, and none if all tokens are zero", () => {
    expect(bodies(read([{ data: assistant(10, { tokens: tokens(7, 5, 2, 1, 3) }) }]), "usage")).toMatchObject([
      { input_tokens: 7, output_tokens: 7, reasoning_tokens: 2, cached_input_tokens: 1, cache_write_tokens: 3 },
    ]);
    expect(bodies(read([{ data: assistant(10) }]), "usage")).toEqual([]);
  });

  it("does not add reasoning if the total shows that the output includes it", () => {
    const inside = { ...tokens(10, 8, 5), total: 18 };
    expect(bodies(read([{ data: assistant(10), parts: [step(inside)] }]), "usage")[0]?.output_tokens).toBe(8);
  });

  it("does not add reasoning up to 1.1.56 without a total, except for Google's models", () => {
    const output = (version: string, providerID: string): number | undefined =>
      bodies(read([{ data: assistant(10, { providerID }), parts: [step(tokens(10, 8, 5))] }], { version }), "usage")[0]
        ?.output_tokens;
    expect(output("1.1.56", "openai")).toBe(8);
    expect(output("1.0.61", "google-vertex")).toBe(13);
    expect(output("1.1.58", "openai")).toBe(13);
  });
});

describe("unreadable and replaced rows", () => {
  it("are reported, as are unknown types, and reading continues", () => {
    const [ref] = discover([
      makeDatabase([
        {
          id: "ses_1",
          messages: [
            {
              data: "{broken",
              parts: [tool("bash", { status: "completed", input: {}, output: "", metadata: { exit: 0 }, time: {} })],
            },
            { data: user(5), parts: [text("hello"), "[]", { type: "hologram" }] },
            { data: { role: "oracle", time: { created: 9e12 } } },
          ],
        },
      ]),
    ]).refs;
    if (!ref) throw new Error("no session");
    const reading = readSession(ref, null, { detail: "full" });
    const entries = [...reading];
    expect(entries.map((entry) => entry.class)).toEqual([
      "session",
      "corrupt",
      "reaction",
      "trigger",
      "reaction",
      "corrupt",
      "unknown",
      "unknown",
    ]);
    expect(bodies(entries, "tool_finished")).toHaveLength(1);
    expect(bodies(entries, "unreadable")).toHaveLength(2);
    expect(reading.drift().unknownTypes).toEqual({ "1.2.3 · part/hologram": 1, "1.2.3 · message/oracle": 1 });
  });

  it("make reading restart if the rows before the cursor are gone", () => {
    const path = makeDatabase([
      {
        id: "ses_1",
        messages: [prompt("u", 0, "one"), { data: assistant(10) }, prompt("v", 900, "two"), { data: assistant(910) }],
      },
    ]);
    const other = makeDatabase([{ id: "ses_1", messages: [prompt("w", 0, "one"), { id: "x", data: assistant(10) }] }]);
    const [ref] = discover([path]).refs;
    const [moved] = discover([other]).refs;
    if (!ref || !moved) throw new Error("no session");
    const reading = readSession(ref, null, { detail: "full" });
    expect([...reading]).toHaveLength(7);
    expect(readRef(moved, {}, reading.cursor()).map((entry) => entry.line)).toEqual([1, 2, 3, 4]);
  });
});

it.each([
  ['"a b"', "a b"],
  ['"say \\"hi there\\" now"', 'say "hi there" now'],
  ['"two words"\npiped in', "two words\npiped in"],
  ['"word"', null],
  ['"a b" c', null],
  ['say "a b"', null],
  ['"a b', null],
  ["plain text", null],
])("unquotePrompt turns %j into %j", (stored, typed) => {
  expect(unquotePrompt(stored)).toBe(typed);
});

it("unquotePrompt reverses the quoting by `run` of one argument with a space", () => {
  const argument = string().filter((value) => value.includes(" ") && !value.includes("\\"));
  assert(property(argument, (value) => unquotePrompt(`"${value.replaceAll('"', '\\"')}"`) === value));
});
