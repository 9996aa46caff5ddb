import { describe, expect, it } from "vitest";
import type { Explanation } from "../../src/book/reading/explain.ts";
import {
  A,
  at,
  codex,
  E,
  EA,
  ENV,
  event,
  ITEM,
  M,
  only,
  R,
  RAW,
  spans,
  starts,
  TC,
  TD,
  TS,
  type Book,
} from "./build.ts";

const UM = (...content: unknown[]): ReturnType<typeof ITEM> => ITEM("UserMessage", { content });
const text = (value: string): object => ({ type: "text", text: value });
const IMAGE = { type: "input_image", image_url: "data:image/png;base64,AA" };

const provenance = (type: string): object => ({
  internal_chat_message_metadata_passthrough: { content_item_metadata: [{ provenance: { type } }] },
});

async function explain(book: Book, line: number): Promise<Explanation> {
  return only(await book.explain(`rollout-case:${line}`));
}

async function triggersOf(book: Book): Promise<string[]> {
  return (await book.turns()).map((turn) => `${turn.trigger.kind}: ${turn.trigger.text}`);
}

/** Section C: Codex triggers and echoes. */
describe("C. Codex triggers", () => {
  it("case 33: two prompts on adjacent lines are two turns", async () => {
    expect(await spans(codex(R("first"), R("second")))).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it("case 35: an event with another text is a separate turn", async () => {
    const book = codex(R("first"), E("second"));
    expect(await starts(book)).toEqual([1, 2]);
    expect(await triggersOf(book)).toEqual(["prompt: first", "prompt: second"]);
  });

  it.each([
    ["at the same time", "2026-05-12T08:00:00.000Z"],
    ["milliseconds later", "2026-05-12T08:00:00.150Z"],
    ["seconds later", "2026-05-12T08:00:07.000Z"],
    ["at an earlier time", "2026-05-12T07:59:59.000Z"],
  ])("case 36: an event with the same text on the next line is an echo, written %s", async (_, time) => {
    const book = codex(R("same"), at(time, E("same")));
    expect(await spans(book)).toEqual([[1, 2]]);
    expect(only(await book.turns()).trigger).toMatchObject({ line: 1, echo_line: 2, text: "same" });
  });

  it("case 36: an event with the same text after another line is a separate turn", async () => {
    expect(await starts(codex(R("same"), TC(), E("same")))).toEqual([1, 3]);
  });

  it("case 37: a prompt has only one echo, a second event with the same text is a separate turn", async () => {
    expect(await spans(codex(R("same"), E("same"), E("same")))).toEqual([
      [1, 2],
      [3, 3],
    ]);
  });

  it("case 38: an event before a response item with the same text is a separate turn", async () => {
    expect(await spans(codex(E("same"), R("same")))).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it("case 40: an event with the joined text of several text items is their echo", async () => {
    const book = codex(R("First", "", " ", "Last"), E("First\n\n \nLast"));
    const turn = only(await book.turns());
    expect([turn.start_line, turn.end_line]).toEqual([1, 2]);
    expect(turn.trigger).toMatchObject({ text: "First\n\n \nLast", line: 1, echo_line: 2 });
    // What the case calls `duplicate_of 1`: the echo belongs to the turn of line 1 and has no records.
    expect(await explain(book, 2)).toMatchObject({ class: "echo", turn_ref: "T0001", records: [] });
  });

  it("case 41: an event that lacks the prompt's image is no echo", async () => {
    expect(await starts(codex(R("look", IMAGE), E("look")))).toEqual([1, 2]);
    // Real clients do include the image.
    expect(await spans(codex(R("look", IMAGE), E("look", { images: [IMAGE.image_url] })))).toEqual([[1, 2]]);
  });

  it("case 42: a content with invalid items, a plain string and a blank text are prompts", async () => {
    const odd = RAW(["str", {}, { text: 42 }, { text: "  " }, { text: "Real" }]);
    const book = codex(M("s"), odd, RAW("a plain string"), RAW([{ type: "input_text", text: "" }, { text: " " }]));
    expect(await starts(book)).toEqual([2, 3, 4]);
    expect((await book.turns())[1]?.trigger.text).toBe("a plain string");
  });

  const GENERATED = [
    ENV,
    `\n  ${ENV}`,
    "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
    "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    '<subagent_notification>\n{"agent_id":"c","status":"running"}\n</subagent_notification>',
    "<INSTRUCTIONS>be brief</INSTRUCTIONS>",
    "<user_instructions>\nbe brief\n</user_instructions>",
    "<recommended_plugins>\nnone\n</recommended_plugins>",
    "<skill>\n<name>pdf</name>\n</skill>",
    "<user_action>\n  <action>review</action>\n</user_action>",
  ];

  it.each(GENERATED)(
    "case 43: generated text is a prompt only with an echo or if its metadata names the user: %j",
    async (generated) => {
      expect(await starts(codex(R(generated), TC()))).toEqual([]);
      for (const book of [codex(R(generated), E(generated)), codex(R(generated), UM(text(generated)))]) {
        expect(await spans(book)).toEqual([[1, 2]]);
        expect(only(await book.turns()).trigger.text).toBe(generated);
      }
      const content = [{ type: "input_text", text: generated }];
      expect(await starts(codex(RAW(content, { ...provenance("user") }), TC()))).toEqual([1]);
      expect(await starts(codex(RAW(content, { ...provenance("harness") }), TC()))).toEqual([]);
    },
  );

  it("case 43: a text that only begins like generated text is a prompt", async () => {
    expect(await starts(codex(R("<environment_context> is what I want explained"), TC()))).toEqual([1]);
    expect(await starts(codex(R("# AGENTS.md should say more about tests"), TC()))).toEqual([1]);
  });

  it("case 45: generated text is recognised after an item that is no text", async () => {
    const book = codex(M("rollout-case"), RAW([42, { text: ENV }]), TC());
    expect(await starts(book)).toEqual([]);
    expect((await explain(book, 2)).class).toBe("setup");
  });

  it.each(["A previous agent produced the plan below. Implement it.\n\n1. do", "PLEASE IMPLEMENT THIS PLAN:\n1. do"])(
    "case 46: a plan hand-over is a command, and the messages after it are prompts: %j",
    async (plan) => {
      const lines = [R(plan), E(plan), A("working"), R("Continue"), E("Continue"), A("done"), R("Approved, ship it")];
      const book = codex(...lines);
      expect(await triggersOf(book)).toEqual([`command: ${plan}`, "prompt: Continue", "prompt: Approved, ship it"]);
      expect(await spans(book)).toEqual([
        [1, 3],
        [4, 6],
        [7, 7],
      ]);
      // The same in a version that writes tasks.
      const tasks = codex(TS("1"), R(plan), E(plan), A("working"), TD("1"), TS("2"), R("Continue"), E("Continue"));
      expect(await triggersOf(tasks)).toEqual([`command: ${plan}`, "prompt: Continue"]);
    },
  );

  it("case 47: events without response items and response items without events are triggers", async () => {
    expect(await starts(codex(M("s"), E("one"), EA("a"), E("two")))).toEqual([2, 4]);
    expect(await starts(codex(M("s"), R("one"), A("a"), R("two")))).toEqual([2, 4]);
  });

  it("case 48: a user_message without a message is a trigger with empty text", async () => {
    const book = codex(M("s"), event("user_message"), A("a"));
    expect(await spans(book)).toEqual([[2, 3]]);
    expect(only(await book.turns()).trigger).toMatchObject({ text: "", kind: "prompt" });
  });

  it("case 50: an answer written as event and then as item becomes one record, of the item", async () => {
    const book = codex(R("go"), EA("words"), at("2026-05-12T08:00:00.011Z", A("words")));
    expect((await explain(book, 2)).records).toEqual([]);
    expect((await explain(book, 3)).records).toMatchObject([{ type: "assistant_finished", text: "words" }]);
    expect(only(await book.turns())).toMatchObject({ start_line: 1, end_line: 3, final_text: "words" });
  });

  // The case says: no pair. Genuine files disagree: 0.130 writes a review's result as item, then event, and 0.166 as item,
  // then `AgentMessage` (corpus codex-0.130.0 and codex-0.166.0, line 8 of the review sessions). So an event that repeats
  // an item just written is its echo as well; the item is canonical in either order. Nothing but reading depends on it.
  it("case 50, deviating: an answer written as item and then as event also becomes one record", async () => {
    const book = codex(R("go"), A("words"), EA("words"));
    expect((await explain(book, 2)).records).toMatchObject([{ type: "assistant_finished", text: "words" }]);
    expect(await explain(book, 3)).toMatchObject({ reason: "codex.agent_message.echo", records: [] });
    // An item has only one echo: a further event is an answer of its own.
    const twice = codex(R("go"), A("words"), EA("words"), EA("words"));
    expect((await explain(twice, 4)).records).toMatchObject([{ type: "assistant_finished", text: "words" }]);
  });

  it("case 51: a completed UserMessage equal to the item before it is its echo", async () => {
    expect(await spans(codex(R("same"), UM(text("same"))))).toEqual([[1, 2]]);
  });

  it.each([
    ["another text", UM(text("other"))],
    ["an image beside the text", UM(text("same"), { type: "local_image", path: "/a.png" })],
    ["an image alone", UM({ type: "local_image", path: "/a.png" })],
    ["no content", ITEM("UserMessage")],
  ])("case 51: a completed UserMessage with %s is a separate turn", async (_, line) => {
    expect(await starts(codex(R("same"), line))).toEqual([1, 2]);
  });
});
